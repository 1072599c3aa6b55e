// Package telemetry sends traces over OTLP/HTTP: one trace for each root run, whoever
// works on it and however often it changes hands.
//
// The trace of a run that came with a traceparent header is that of the caller. Else its
// id is the run's id without dashes, so that every process knows it, and so does who reads
// the log. A run's own span is sent when the run has ended; what happened in between
// belongs to it. A nil *Tracer records nothing, and costs a look for a value in a context.
//
// The room knows nothing of runs, models and tools but their names.
package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// exportTimeout bounds one attempt to send spans. They are dropped where the receiver
// is away for longer than retries take.
const exportTimeout = 10 * time.Second

// Attr is something that a span says.
type Attr = attribute.KeyValue

// String and Int make attributes.
var (
	String = attribute.String
	Int    = attribute.Int
)

// Tracer makes the spans of a process. Nil: there are none.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// Open sends spans to an OTLP/HTTP endpoint, such as http://collector:4318, below which
// /v1/traces is. The empty one gives a nil Tracer. A receiver that is away is logged, and
// stops nothing.
func Open(ctx context.Context, endpoint, version string, log *slog.Logger) (*Tracer, error) {
	if endpoint == "" {
		return nil, nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces could not be sent", "error", err) }))
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(strings.TrimSuffix(endpoint, "/")+"/v1/traces"),
		otlptracehttp.WithTimeout(exportTimeout))
	if err != nil {
		return nil, fmt.Errorf("send traces to telemetry.otlp_endpoint: %w", err)
	}
	return newTracer(version, sdktrace.WithBatcher(exporter)), nil
}

func newTracer(version string, options ...sdktrace.TracerProviderOption) *Tracer {
	provider := sdktrace.NewTracerProvider(append(options,
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", "nanoclaw"), attribute.String("service.version", version))),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.AlwaysSample())),
		sdktrace.WithIDGenerator(ids{}),
	)...)
	return &Tracer{provider, provider.Tracer("nanoclaw")}
}

// Close sends what is left, until ctx ends.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}

// Run is a root run: its id, and the traceparent that it came with, if any.
type Run struct{ ID, Traceparent string }

type tracerKey struct{}

// Enter returns a context whose spans belong to a run.
func (t *Tracer) Enter(ctx context.Context, run Run) context.Context {
	own, _ := run.span()
	if t == nil || !own.IsValid() {
		return ctx
	}
	return trace.ContextWithSpanContext(context.WithValue(ctx, tracerKey{}, t), own)
}

// Record makes a span of a run from what has happened already.
func (t *Tracer) Record(run Run, name string, begun, ended time.Time, attrs ...Attr) {
	ctx := t.Enter(context.Background(), run)
	if t == nil {
		return
	}
	_, span := t.tracer.Start(ctx, name, trace.WithTimestamp(begun), trace.WithAttributes(attrs...))
	span.End(trace.WithTimestamp(ended))
}

// Finish makes the span of a run itself. failure is why it failed; empty: it did not.
func (t *Tracer) Finish(run Run, begun, ended time.Time, failure string, attrs ...Attr) {
	own, parent := run.span()
	if t == nil || !own.IsValid() {
		return
	}
	ctx := context.WithValue(trace.ContextWithRemoteSpanContext(context.Background(), parent), idsKey{}, own)
	_, span := t.tracer.Start(ctx, "run", trace.WithTimestamp(begun), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(append(attrs, attribute.String("nanoclaw.run.id", run.ID))...))
	if failure != "" {
		span.SetStatus(codes.Error, failure)
	}
	span.End(trace.WithTimestamp(ended))
}

// Start makes a span below that of ctx, which ends with end: failure is the code of an
// error, and not its text, which may hold a secret; empty: there was none. Where ctx
// belongs to no run that is traced, it does nothing.
func Start(ctx context.Context, name string, attrs ...Attr) (_ context.Context, end func(failure string,
	attrs ...Attr)) {
	t, ok := ctx.Value(tracerKey{}).(*Tracer)
	if !ok {
		return ctx, func(string, ...Attr) {}
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithAttributes(attrs...))
	return ctx, func(failure string, attrs ...Attr) {
		span.SetAttributes(attrs...)
		if failure != "" {
			span.SetStatus(codes.Error, failure)
		}
		span.End()
	}
}
