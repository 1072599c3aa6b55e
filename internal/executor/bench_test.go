package executor

import (
	"context"
	"testing"

	"nanoclaw/internal/tools"
)

// EX1–EX6: what a call costs beside its tool.
func BenchmarkOverheadPerCall(b *testing.B) {
	redact := func(s string) string { return s }
	run := func(name string, effect tools.EffectKind, limits Limits, lines ...string) {
		b.Run(name, func(b *testing.B) {
			world := newBench(b, func(o *Options) {
				o.Redact = redact
				o.Limits = func() Limits { return limits }
			})
			world.registry.Register(tools.Define("lookup", "Answers at once.", func(_ context.Context, _ tools.Call,
				a cellArgs) (page, error) {
				return page{URL: a.Cell, Text: a.Text, Size: 1}, nil
			}, tools.Effect(effect)))
			world.env.Journal = noJournal{}
			batch := calls(lines...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := world.ProcessParallel(b.Context(), world.env, batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(lines)), "ns/call")
		})
	}
	one := []string{`lookup {"cell":"src/main.go","text":"some text of a usual length, in one line"}`}
	four := []string{`lookup {"cell":"1","text":"x"}`, `lookup {"cell":"2","text":"x"}`,
		`lookup {"cell":"3","text":"x"}`, `lookup {"cell":"4","text":"x"}`}
	run("one write", tools.Writes, Limits{}, one...)
	run("one read", tools.Volatile, Limits{}, one...)
	run("one from the cache", tools.Pure, Limits{CacheEnabled: true}, one...)
	run("four reads in parallel", tools.Volatile, Limits{}, four...)
	run("four writes in order", tools.Writes, Limits{}, four...)
}

// A result at the default limit.
func BenchmarkLongResult(b *testing.B) {
	world := newBench(b)
	text := make([]byte, 40<<10)
	for i := range text {
		text[i] = "abcdefghi \n"[i%11]
	}
	world.with("long", tools.Volatile, func(context.Context, tools.Call) (any, error) { return string(text), nil })
	world.env.Journal = noJournal{}
	batch := calls("long")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := world.Process(b.Context(), world.env, batch); err != nil {
			b.Fatal(err)
		}
	}
}
