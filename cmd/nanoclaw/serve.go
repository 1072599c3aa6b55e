package main

import (
	"context"
	"fmt"

	"nanoclaw/internal/app"
)

func (p *program) serve(ctx context.Context, args []string) error {
	set := p.flags("serve", "serve [--config FILE] [--listen HOST:PORT] [--data DIR] [--pprof HOST:PORT]", `
Serves the web app and the API until it is told to stop (Ctrl-C or SIGTERM); a second time does not wait
for running steps. A change of the configuration file is applied at once; SIGHUP reads it again.`)
	source := p.source(set)
	set.StringVar(&source.Flags.Listen, "listen", "", "the `ADDRESS` to listen on (listen)")
	profiling := set.String("pprof", "", "serve Go's profiles at this loopback `ADDRESS`, below /debug/pprof/")
	if done, err := p.parse(set, args, 0); done || err != nil {
		return err
	}
	return p.serveApp(ctx, app.ServeOptions{
		Source: *source, Version: version, Log: p.stderr, Profiling: *profiling,
		Ready: func(url string) { fmt.Fprintf(p.stdout, "NanoClaw is ready at %s\n", url) },
	})
}
