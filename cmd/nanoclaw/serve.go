package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"

	"nanoclaw/internal/app"
	"nanoclaw/internal/heap"
)

func (p *program) serve(ctx context.Context, args []string) error {
	set := p.flags("serve", "serve [--config FILE] [--listen HOST:PORT] [--data DIR]", `
Serves the web app and the API until it is told to stop (Ctrl-C or SIGTERM); a second time does not wait
for running steps. A change of the configuration file is applied at once; SIGHUP reads it again.`)
	source := p.source(set)
	set.StringVar(&source.Flags.Listen, "listen", "", "the `ADDRESS` to listen on (listen)")
	if done, err := p.parse(set, args, 0); done || err != nil {
		return err
	}
	defer heap.KeepRoom(heap.Room)()
	serving, stop := context.WithCancel(ctx)
	defer stop()
	go heap.ReleaseWhenQuiet(serving)
	return p.serveApp(ctx, app.ServeOptions{
		Source: *source, Version: version, Log: p.stderr, DecisionToken: p.token(),
		Ready: func(url string) {
			fmt.Fprintf(p.stdout, "NanoClaw is ready at %s\nWhere it cannot tell you from a tool (%s), decide at %s/#decisions=%s\n", url, untold(), url, p.token())
		},
	})
}

// untold are the ways to the server on which it cannot tell a person from a tool.
func untold() string {
	if runtime.GOOS == "linux" {
		return "through ssh or a proxy"
	}
	return "always on this system"
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
