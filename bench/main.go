// Command bench measures the promises that only a whole process can keep: cold
// start, idle memory, durable runs a second and what one costs, the time to the first
// token, what a run costs as everything around it grows, and the memory of open event
// streams. It starts the real binary on a scratch directory, with a
// scripted model server in this process, and talks to it over loopback.
//
//	go run ./bench -binary bin/nanoclaw
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	binary := flag.String("binary", "bin/nanoclaw", "the binary to measure")
	only := flag.String("only", "", "one of start, runs, first-token, curves, streams; empty: all")
	count := flag.Int("runs", 1280, "durable runs in all")
	atOnce := flag.String("parallel", "64,256", "durable runs at once, one measurement for each number")
	think := flag.Duration("think", 50*time.Millisecond, "how long the model takes before its first byte")
	profile := flag.String("pprof", "", "write processor and allocation profiles of the runs into this `FOLDER`")
	flag.StringVar(&elsewhere.database, "database-url", "", "a PostgreSQL database for the server; empty: SQLite")
	flag.StringVar(&elsewhere.nats, "nats-url", "", "NATS servers for the server; empty: in its process")
	megabytes := flag.Int("database", 2048, "size of the large database of the curves, in megabytes")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	for _, part := range []struct {
		name string
		run  func() error
	}{
		{"start", func() error { return measureStart(ctx, *binary) }},
		{"runs", func() error { return runsAtOnce(ctx, *atOnce, workload{*binary, *count, *think, *profile}) }},
		{"first-token", func() error { return measureFirstToken(ctx, *binary, 640, 64) }},
		{"curves", func() error { return measureCurves(ctx, *binary, *megabytes) }},
		{"streams", func() error { return measureStreams(ctx, *binary, 1000, 5000) }},
	} {
		if *only != "" && *only != part.name {
			continue
		}
		if err := part.run(); err != nil {
			fmt.Fprintf(os.Stderr, "bench %s: %v\n", part.name, err)
			os.Exit(1)
		}
	}
}
