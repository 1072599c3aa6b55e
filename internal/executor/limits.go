package executor

import (
	"maps"
	"time"

	"nanoclaw/internal/tools"
)

// Limits are the settings that may change while the server runs.
type Limits struct {
	Workers        int                       // calls of one batch at work at once, 1–64; 0: 4
	DefaultTimeout time.Duration             // of a tool that has none of its own; 0: 60 s; negative: none
	Timeouts       map[string]time.Duration  // by tool; beats the tool's own; 0: not set
	OutputLimit    int                       // bytes of text in one result; 0: 50 KiB
	CacheEnabled   bool                      // false: no result is served twice
	CacheTTL       time.Duration             // 0: 300 s
	Disabled       map[string]bool           // by tool: calls are refused
	Presets        map[string]map[string]any // by tool: arguments that win over the model's
}

// What holds where Limits say nothing.
const (
	DefaultWorkers     = 4
	MaxWorkers         = 64
	DefaultTimeout     = 60 * time.Second
	DefaultOutputLimit = 50 << 10
	DefaultCacheTTL    = 300 * time.Second
)

// complete fills in the defaults and keeps the values in their bounds.
func (l Limits) complete() Limits {
	if l.Workers <= 0 {
		l.Workers = DefaultWorkers
	}
	l.Workers = min(l.Workers, MaxWorkers)
	if l.DefaultTimeout == 0 {
		l.DefaultTimeout = DefaultTimeout
	}
	if l.OutputLimit <= 0 {
		l.OutputLimit = DefaultOutputLimit
	}
	if l.CacheTTL <= 0 {
		l.CacheTTL = DefaultCacheTTL
	}
	return l
}

// timeout is the time limit of one tool; 0 or negative: none.
func (l Limits) timeout(t *tools.Tool) time.Duration {
	if limit := l.Timeouts[t.Name]; limit != 0 {
		return limit
	}
	if t.Timeout != 0 {
		return t.Timeout
	}
	return l.DefaultTimeout
}

// presets are the arguments of one tool that win over the model's: those of the
// agent profile over those of the configuration.
func (l Limits) presets(name string, profile map[string]map[string]any) map[string]any {
	all, own := l.Presets[name], profile[name]
	if len(own) == 0 {
		return all
	}
	merged := maps.Clone(own)
	for property, value := range all {
		if _, set := merged[property]; !set {
			merged[property] = value
		}
	}
	return merged
}
