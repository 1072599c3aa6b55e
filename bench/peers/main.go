// Command peers does the same work with NanoClaw and with other agent frameworks
// and prints one table: processor time for each run and runs a second. A run is two
// turns of a model and three tool calls in parallel. The model server and
// the clients live in this process, each peer in one of its own. See
// docs/performance.md.
//
//	make bench-peers
package main

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nanoclaw/bench/peers/peer"
)

// entry is one peer of the table.
type entry struct {
	name, module, program string
	durable               bool
	version               string
	process               *process
	samples               [len(atOnce)][]sample
	failure               error // it is left out from then on
}

// sample is one round.
type sample struct{ cpu, ratio, rate float64 } // milliseconds for each run, times the raw loop, runs a second

var atOnce = [...]int{64, 256}

// The raw loop is first: the others are its multiples.
var entries = []*entry{
	{name: "raw loop, Go", program: "raw"},
	{name: "langchaingo", module: "github.com/tmc/langchaingo", program: "langchaingo"},
	{name: "eino, ReAct agent", module: "github.com/cloudwego/eino", program: "eino"},
	{name: "AI SDK", module: "ai", program: "aisdk.mjs"},
	{name: "LangGraph JS, SQLite", module: "@langchain/langgraph", program: "langgraph.mjs", durable: true},
	{name: "DBOS Transact Go, SQLite", module: "github.com/dbos-inc/dbos-transact-golang", program: "dbos",
		durable: true},
	{name: "NanoClaw, REST and SSE", program: "nanoclaw", durable: true},
}

type options struct {
	binary, programs, node string
	runs, rounds           int
}

func main() {
	var o options
	flag.StringVar(&o.binary, "binary", "bin/nanoclaw", "the server")
	flag.StringVar(&o.programs, "programs", "build/peers", "directory of the Go peers")
	flag.StringVar(&o.node, "node", "bench/peers/node", "directory of the Node peers")
	flag.IntVar(&o.runs, "runs", 1024, "runs of each peer in each round")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds")
	only := flag.String("peers", "", "programs to compare with the raw loop, such as eino,dbos,nanoclaw; empty: all")
	flag.Parse()
	if *only != "" {
		wanted := append(strings.Split(*only, ","), entries[0].program)
		entries = slices.DeleteFunc(entries, func(e *entry) bool { return !slices.Contains(wanted, e.program) })
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	dir, err := os.MkdirTemp("", "bench-peers-")
	if err == nil {
		err = compare(ctx, o, dir)
		os.RemoveAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench-peers:", err)
		os.Exit(1)
	}
}

func compare(ctx context.Context, o options, dir string) error {
	m, err := startModel(50 * time.Millisecond)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := e.start(ctx, o, m.url, filepath.Join(dir, e.program)); err != nil {
			return fmt.Errorf("%s: %w", e.name, err)
		}
		defer e.process.stop()
		e.measure(ctx, m, peer.Job{Runs: 256, AtOnce: 256}) // warm
	}
	before := load()
	for round := range o.rounds {
		for column, concurrent := range atOnce {
			compareOnce(ctx, m, column, peer.Job{Runs: o.runs, AtOnce: concurrent})
		}
		if err := entries[0].failure; err != nil { // nothing to compare with
			return err
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, o.rounds)
	}
	fmt.Printf("Medians of %d rounds, %d runs of each peer in each. Load average %s before, %s after.\n%s\n\n",
		o.rounds, o.runs, before, load(), machine())
	return printTable()
}

// compareOnce measures every peer once, the raw loop first.
func compareOnce(ctx context.Context, m *model, column int, job peer.Job) {
	var raw float64
	for _, e := range entries {
		if e.failure != nil {
			continue
		}
		s := e.measure(ctx, m, job)
		if e == entries[0] {
			raw = s.cpu
		}
		s.ratio = s.cpu / raw
		e.samples[column] = append(e.samples[column], s)
	}
}

func (e *entry) start(ctx context.Context, o options, modelURL, dir string) (err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	program := filepath.Join(o.programs, e.program)
	switch {
	case e.program == "nanoclaw":
		version, err := exec.CommandContext(ctx, o.binary, "version").Output()
		if err != nil {
			return err
		}
		e.version, _, _ = strings.Cut(strings.TrimPrefix(string(version), "nanoclaw "), " ")
		e.process, err = startNanoClaw(ctx, modelURL, dir, o.binary)
		return err
	case strings.HasSuffix(e.program, ".mjs"):
		if e.version, err = nodeVersion(o.node, e.module); err != nil {
			return err
		}
		e.process, err = startPeer(ctx, modelURL, dir, "node", filepath.Join(o.node, e.program))
		return err
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	e.version = strings.Replace(info.GoVersion, "go", "Go ", 1)
	for _, dep := range info.Deps {
		if dep.Path == e.module {
			e.version = strings.TrimPrefix(dep.Version, "v")
		}
	}
	e.process, err = startPeer(ctx, modelURL, dir, program)
	return err
}

// nodeVersion is the version of a package that is installed.
func nodeVersion(dir, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", name, "package.json"))
	if err != nil {
		return "", err
	}
	var manifest struct{ Version string }
	return manifest.Version, json.Unmarshal(text, &manifest)
}

// measure gives a peer a job and checks what came of it. A peer that fails is stopped.
func (e *entry) measure(ctx context.Context, m *model, job peer.Job) (s sample) {
	if s, e.failure = e.tryMeasure(ctx, m, job); e.failure != nil {
		e.failure = fmt.Errorf("%s, %d at once: %w", e.name, job.AtOnce, e.failure)
		e.process.stop()
		m.take()
	}
	return s
}

func (e *entry) tryMeasure(ctx context.Context, m *model, job peer.Job) (sample, error) {
	before, err := e.process.cpu()
	if err != nil {
		return sample{}, err
	}
	began := time.Now()
	report, err := e.process.work(ctx, job)
	wall := time.Since(began)
	if err != nil {
		return sample{}, err
	}
	if report.Error != "" {
		return sample{}, errors.New(report.Error)
	}
	time.Sleep(500 * time.Millisecond) // what a peer does after its answer is work for the run, too
	after, err := e.process.cpu()
	if err != nil {
		return sample{}, err
	}
	asked, texts := m.take()
	slices.Sort(texts)
	slices.Sort(report.Texts)
	if asked != job.Runs || report.ToolCalls != 3*job.Runs || !slices.Equal(texts, report.Texts) {
		return sample{}, fmt.Errorf("%d runs came to %d first turns, %d tool calls and %d final texts, or other texts "+
			"than the model sent", job.Runs, asked, report.ToolCalls, len(report.Texts))
	}
	runs := float64(job.Runs)
	return sample{cpu: (after - before).Seconds() * 1000 / runs, rate: runs / wall.Seconds()}, nil
}

// printTable prints the peers that did all their work and names the others in its error.
func printTable() (failures error) {
	fmt.Print("| peer | version | durable |")
	for _, n := range atOnce {
		fmt.Printf(" CPU for each run, %d at once | × raw (range) | runs a second |", n)
	}
	fmt.Println("\n|---|---|---|" + strings.Repeat("--:|--:|--:|", len(atOnce)))
	for _, e := range entries {
		if e.failure != nil {
			failures = errors.Join(failures, e.failure)
			continue
		}
		durable := map[bool]string{true: "yes", false: "no"}[e.durable]
		fmt.Printf("| %s | %s | %s |", e.name, e.version, durable)
		for _, samples := range e.samples {
			cpu, _, _ := middle(samples, func(s sample) float64 { return s.cpu })
			ratio, low, high := middle(samples, func(s sample) float64 { return s.ratio })
			rate, _, _ := middle(samples, func(s sample) float64 { return s.rate })
			fmt.Printf(" %.2f ms | %.1f (%.1f–%.1f) | %.0f |", cpu, ratio, low, high, rate)
		}
		fmt.Println()
	}
	return failures
}

// middle is the median of a figure over the rounds, and its least and greatest value.
func middle(samples []sample, figure func(sample) float64) (median, low, high float64) {
	var list []float64
	for _, s := range samples {
		list = append(list, figure(s))
	}
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2, list[0], list[n-1]
}

// load is the load average of the last minute.
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// machine names the processors and Node.
func machine() string {
	model, cores := "unknown processor", 0
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			model = strings.TrimSpace(value)
			cores++
		}
	}
	node, _ := exec.Command("node", "--version").Output()
	return fmt.Sprintf("%d cores, %s; Node %s.", cores, model, strings.TrimSpace(string(node)))
}
