package telemetry

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

const run = "01a206de-b42d-79a3-9ef6-e74dacb21702"

var testTime = time.Unix(1, 0)

// GR8: log lines of a run carry the id of its trace.
func TestLogLinesOfARunCarryItsTrace(t *testing.T) {
	t.Parallel()
	tracer := newTracer("test", sdktrace.WithSyncer(tracetest.NewInMemoryExporter()))
	var out bytes.Buffer
	log := slog.New(LogHandler(slog.NewTextHandler(&out, nil))).With("a", 1)
	log.InfoContext(tracer.Enter(t.Context(), Run{ID: run}), "inside")
	log.InfoContext(t.Context(), "outside")
	lines := strings.Split(out.String(), "\n")
	id := "trace_id=" + strings.ReplaceAll(run, "-", "")
	if !strings.Contains(lines[0], id) || strings.Contains(lines[1], "trace_id") {
		t.Errorf("logged\n%s", out.String())
	}
}

// A caller that does not want its trace sampled gets none, and a foreign header that is
// malformed changes nothing.
func TestTheCallerDecidesWhetherItsTraceIsSampled(t *testing.T) {
	t.Parallel()
	for traceparent, want := range map[string]int{
		"": 2, "nonsense": 2, "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01": 2,
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00": 0,
	} {
		spans := tracetest.NewInMemoryExporter()
		tracer := newTracer("test", sdktrace.WithSyncer(spans))
		of := Run{ID: run, Traceparent: traceparent}
		_, end := Start(tracer.Enter(t.Context(), of), "step")
		end("timeout")
		tracer.Finish(of, testTime, testTime, "")
		if got := len(spans.GetSpans()); got != want {
			t.Errorf("%q: %d spans, want %d", traceparent, got, want)
		}
	}
}

// Without an endpoint nothing is recorded, and contexts stay what they are.
func TestWithoutAnEndpointNothingIsTraced(t *testing.T) {
	tracer, err := Open(t.Context(), "", "test", nil)
	if tracer != nil || err != nil {
		t.Fatalf("got %v, %v", tracer, err)
	}
	if ctx := tracer.Enter(t.Context(), Run{ID: run}); ctx != t.Context() {
		t.Error("the context is another one")
	}
	tracer.Record(Run{ID: run}, "x", testTime, testTime)
	tracer.Finish(Run{ID: run}, testTime, testTime, "")
	if allocs := testing.AllocsPerRun(100, func() {
		_, end := Start(context.Background(), "x")
		end("")
	}); allocs > 0 {
		t.Errorf("a span that nobody records makes %v allocations", allocs)
	}
	if err := tracer.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
