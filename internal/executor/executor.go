package executor

import (
	"log/slog"
	"sync/atomic"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// Options are what an Executor is built of.
type Options struct {
	Registry *tools.Registry     // required
	Guard    guard.Guard         // required; guard.AllowAll for none
	Redact   func(string) string // covers secrets in one string; nil: nothing is covered
	// the number of secrets that Redact redacts in one string; nil: results do not say
	Count func(string) int
	// finds what must not go out at all, and the redaction rule that says so; nil: nothing is
	Blocked func(string) (rule string, blocked bool)
	// Placeholder finds what stands for a secret in a string: no tool that writes gets
	// it, unless it resolves it by itself. nil: there is no such thing.
	Placeholder func(string) (placeholder string, found bool)
	Limits      func() Limits // read once per batch, so that a reload applies to the next one; nil: the defaults
	Logger      *slog.Logger  // nil: slog.Default()
	Audit       AuditFunc     // nil: no audit
}

// Executor runs tool calls. It is safe for concurrent use.
type Executor struct {
	registry    *tools.Registry
	guard       guard.Guard
	redact      func(string) string
	count       func(string) int
	blocked     func(string) (rule string, blocked bool)
	holds       func(string) (placeholder string, found bool)
	limits      func() Limits
	log         *slog.Logger
	audit       AuditFunc
	cache       *resultCache
	authorizing keyedLock // by conversation
	abandoned   atomic.Int64
}

// New builds an Executor. Missing required options are a mistake in the program and panic.
func New(o Options) *Executor {
	if o.Registry == nil || o.Guard == nil {
		panic("executor: New needs a Registry and a Guard")
	}
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Count == nil {
		o.Count = func(string) int { return 0 }
	}
	if o.Placeholder == nil {
		o.Placeholder = func(string) (string, bool) { return "", false }
	}
	if o.Limits == nil {
		o.Limits = func() Limits { return Limits{CacheEnabled: true} }
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Executor{
		registry: o.Registry,
		guard:    o.Guard,
		redact:   o.Redact,
		count:    o.Count,
		blocked:  o.Blocked,
		holds:    o.Placeholder,
		limits:   o.Limits,
		log:      o.Logger,
		audit:    o.Audit,
		cache:    newResultCache(),
	}
}

// ClearCache forgets every cached result, for example after the redaction rules changed.
func (e *Executor) ClearCache() { e.cache.clear() }

// Abandoned is the number of calls whose tool still runs although its call was
// answered: it ignored the end of its context. A number that stays above zero is
// a defect of a tool.
func (e *Executor) Abandoned() int64 { return e.abandoned.Load() }
