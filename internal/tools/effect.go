package tools

// EffectKind says what a call does to the world. It drives caching, ordering and
// what happens to a call that was in flight when the process died.
type EffectKind string

const (
	// Pure depends on its arguments alone: cached for the TTL, run in any order.
	Pure EffectKind = "pure"
	// Reads looks at the project: cached with a version stamp of what it read.
	Reads EffectKind = "reads"
	// External reads the outside world: cached for the TTL.
	External EffectKind = "external"
	// Volatile may be repeated but never cached: time, usage.
	Volatile EffectKind = "volatile"
	// Writes has an effect: ordered, never cached, never repeated by the server.
	Writes EffectKind = "writes"
	// Resumes runs sub-agents: it may be entered again with the same call.
	Resumes EffectKind = "resumes"
	// Awaits is answered from outside: it is entered again until the answer is there.
	Awaits EffectKind = "awaits"
)

// Cacheable says whether a successful result may be served again.
func (e EffectKind) Cacheable() bool { return e == Pure || e == Reads || e == External }

// Repeatable says whether the server may run a call again that was in flight
// when the process died.
func (e EffectKind) Repeatable() bool { return e != Writes }

// Exclusive says whether a call is ordered against every other call of its
// batch that is not Pure.
func (e EffectKind) Exclusive() bool { return e == Writes || e == Resumes }

// Suspends says whether a call may end without an answer and be entered again
// later (ErrSuspended).
func (e EffectKind) Suspends() bool { return e == Resumes || e == Awaits }

// Valid says whether e is one of the kinds above.
func (e EffectKind) Valid() bool {
	switch e {
	case Pure, Reads, External, Volatile, Writes, Resumes, Awaits:
		return true
	}
	return false
}

// NotCacheable is a tool's return value that knows whether it may be kept: what
// answers true is given to the call that it was made for and not cached.
type NotCacheable interface {
	NotCacheable() bool
}
