// Command llmtest serves a scripted model on a loopback port:
//
//	llmtest -listen 127.0.0.1:8899 script.json
//
// It prints the base URL when it is ready and ends with SIGINT or SIGTERM. Without
// a script it starts empty, for rules that are sent to /control/rules.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"nanoclaw/internal/llm/llmtest"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8899", "address to listen on")
	keep := flag.Int("keep", 1000, "finished requests that are remembered")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: llmtest [-listen address] [-keep n] [script.json]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *listen, *keep, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "llmtest:", err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, listen string, keep int, path string) error {
	script, err := read(path)
	if err != nil {
		return err
	}
	srv, err := llmtest.Listen(listen)
	if err != nil {
		return err
	}
	defer srv.Close()
	srv.Keep(keep)
	srv.Use(script)
	fmt.Println(srv.URL())
	<-ctx.Done()
	return nil
}

// read loads a script; the empty path is the empty script.
func read(path string) (*llmtest.Script, error) {
	if path == "" {
		return &llmtest.Script{}, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	script, err := llmtest.Load(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return script, nil
}
