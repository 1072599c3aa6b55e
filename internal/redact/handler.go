package redact

import (
	"context"
	"fmt"
	"log/slog"
)

// Handler returns a log handler that redacts secrets in messages and attributes
// before inner sees them.
func (r *Redactor) Handler(inner slog.Handler) slog.Handler {
	return &handler{redactor: r, inner: inner}
}

type handler struct {
	redactor *Redactor
	inner    slog.Handler
}

var _ slog.Handler = (*handler)(nil)

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.inner.Enabled(ctx, level)
}

func (h *handler) Handle(ctx context.Context, record slog.Record) error {
	redacted := slog.NewRecord(record.Time, record.Level, h.redactor.String(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		redacted.AddAttrs(h.redactor.rules.Load().attr(a))
		return true
	})
	return h.inner.Handle(ctx, redacted)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{redactor: h.redactor, inner: h.inner.WithAttrs(h.redactor.rules.Load().attrs(attrs))}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{redactor: h.redactor, inner: h.inner.WithGroup(h.redactor.String(name))}
}

func (r *ruleSet) attrs(attrs []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = r.attr(a)
	}
	return out
}

func (r *ruleSet) attr(a slog.Attr) slog.Attr {
	name := a.Key
	a.Key = r.string(name)
	value := a.Value.Resolve()
	switch value.Kind() {
	case slog.KindString:
		a.Value = slog.StringValue(r.field(name, value.String()))
	case slog.KindGroup:
		a.Value = slog.GroupValue(r.attrs(value.Group())...)
	case slog.KindAny:
		a.Value = r.any(name, value)
	case slog.KindInt64, slog.KindUint64, slog.KindFloat64:
		if text := value.String(); r.field(name, text) != text {
			a.Value = slog.StringValue(r.field(name, text))
		}
	}
	return a
}

// any redacts a value that a handler prints in a way of its own: as an error, as
// a Stringer, as JSON or with fmt. It stays as it is only where none of these
// shows a secret.
func (r *ruleSet) any(name string, value slog.Value) slog.Value {
	v := value.Any()
	switch v := v.(type) {
	case error:
		return slog.StringValue(r.string(v.Error()))
	case []byte:
		return slog.AnyValue(r.bytes(v))
	}
	redacted, changed := r.walk(name, v)
	if changed {
		return slog.AnyValue(redacted)
	}
	if text := fmt.Sprintf("%+v", v); r.string(text) != text {
		return slog.StringValue(r.string(text))
	}
	return value
}
