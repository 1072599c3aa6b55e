package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"

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
	c, _, err := source.Load() // what is wrong with it, the server says
	multi := err == nil && c.AuthMode == "multi"
	return p.serveApp(ctx, app.ServeOptions{
		Source: *source, Version: version, Log: p.stderr, Profiling: *profiling, DecisionToken: p.token(),
		SetUp: func(address string) {
			fmt.Fprintf(p.stdout, "Make the administrator's account at %s\n", address)
		},
		Ready: func(url string) {
			if multi {
				fmt.Fprintf(p.stdout, "NanoClaw is ready at %s\n", url)
				return
			}
			fmt.Fprintf(p.stdout, "NanoClaw is ready at %s\n%s, open %s/#decisions=%s to decide on approvals\n", url,
				indirect(), url, p.token())
		},
	})
}

// indirect are the connections on which the server cannot tell a person from a tool.
func indirect() string {
	if runtime.GOOS == "linux" {
		return "Through ssh or a proxy"
	}
	return "On this system"
}

// token lets this program decide at a server of its own, and at another one that
// printed it: then it is in the environment.
func (p *program) token() string {
	if p.decisionToken == "" {
		p.decisionToken, _ = p.env("NANOCLAW_DECISION_TOKEN")
	}
	if p.decisionToken == "" {
		p.decisionToken = rand.Text()
	}
	return p.decisionToken
}
