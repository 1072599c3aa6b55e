package telemetry

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// span is the context of a run's own span, and of the one above it, which may be
// invalid. The span's id is the end of the run's id.
func (r Run) span() (own, parent trace.SpanContext) {
	id, err := hex.DecodeString(strings.ReplaceAll(r.ID, "-", ""))
	if err != nil || len(id) != 16 {
		return own, parent
	}
	parent = parse(r.Traceparent)
	config := trace.SpanContextConfig{TraceID: trace.TraceID(id), SpanID: trace.SpanID(id[8:]),
		TraceFlags: trace.FlagsSampled}
	if parent.IsValid() {
		config.TraceID, config.TraceFlags, config.TraceState = parent.TraceID(), parent.TraceFlags(), parent.TraceState()
	}
	return trace.NewSpanContext(config), parent
}

// parse reads a traceparent header (W3C Trace Context); what is none is invalid.
func parse(traceparent string) trace.SpanContext {
	ctx := propagation.TraceContext{}.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent})
	return trace.SpanContextFromContext(ctx)
}

type idsKey struct{}

// ids gives a span the ids that its context names, and random ones otherwise.
type ids struct{}

// NewIDs implements sdktrace.IDGenerator.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if own, ok := ctx.Value(idsKey{}).(trace.SpanContext); ok {
		return own.TraceID(), own.SpanID()
	}
	var id trace.TraceID
	_, _ = rand.Read(id[:]) // it never fails
	return id, randomSpan()
}

// NewSpanID implements sdktrace.IDGenerator.
func (ids) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if own, ok := ctx.Value(idsKey{}).(trace.SpanContext); ok {
		return own.SpanID()
	}
	return randomSpan()
}

func randomSpan() (id trace.SpanID) {
	_, _ = rand.Read(id[:])
	return id
}
