package catalog

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/discover"
)

// Where a model comes from (llm.Info.Source).
const (
	SourceConfig      = "config"
	SourceEnvironment = "environment"
	SourceOllama      = "ollama"
	SourceBuiltin     = "builtin"
)

// Catalog holds the models that can be used now. It is safe for concurrent use.
type Catalog struct {
	opts    llm.Options
	sources sources
	now     atomic.Pointer[snapshot]

	mu      sync.Mutex // of a rebuild
	cfg     *config.Config
	ollama  []config.Model // as found last
	misses  int            // looks since then that found no Ollama
	refresh chan struct{}  // asks for another look at Ollama
	stop    context.CancelFunc
	done    chan struct{} // closed when the background has ended
}

// snapshot is the catalog at one moment; it is never changed.
type snapshot struct {
	order    []*entry
	byID     map[string]*entry
	fallback string
}

type entry struct {
	cfg   config.Model
	opts  llm.Options
	info  llm.Info
	model llm.Model // nil where the model is disabled
}

// New builds the catalog and begins to look for Ollama where the config asks for
// that. Of opts, HTTPClient and Logger are used; limits come from the config.
// Close ends the background.
func New(cfg *config.Config, opts llm.Options) *Catalog {
	return start(cfg, opts, sources{environment: environment, ollama: discover.Ollama, build: build})
}

func start(cfg *config.Config, opts llm.Options, from sources) *Catalog {
	ctx, stop := context.WithCancel(context.Background())
	c := &Catalog{
		opts: opts.WithDefaults(), sources: from, cfg: cfg,
		refresh: make(chan struct{}, 1), stop: stop, done: make(chan struct{}),
	}
	c.rebuild()
	go c.watchOllama(ctx)
	return c
}

// Close ends the background and waits for it. Models that were handed out go on working.
func (c *Catalog) Close() {
	c.stop()
	<-c.done
}

// Reload takes another configuration. Models whose entry did not change stay the
// same, with what they have learned of their provider.
func (c *Catalog) Reload(cfg *config.Config) {
	c.mu.Lock()
	if !cfg.LLM.DiscoverOllama || cfg.LLM.OllamaURL != c.cfg.LLM.OllamaURL {
		c.ollama, c.misses = nil, 0
	}
	c.cfg = cfg
	c.mu.Unlock()
	c.rebuild()
	select {
	case c.refresh <- struct{}{}:
	default: // one is waiting already
	}
}

// List describes all models, those that are disabled included: first the
// configured ones in their order, then the discovered ones.
func (c *Catalog) List() []llm.Info {
	now := c.now.Load()
	list := make([]llm.Info, len(now.order))
	for i, e := range now.order {
		list[i] = e.info
	}
	return list
}

// Get returns a model. The error is a *llm.Error: CodeNotFound for an id that does
// not exist (it names those that do), CodeAuth for a model that is disabled.
func (c *Catalog) Get(id string) (llm.Model, error) {
	now := c.now.Load()
	e, ok := now.byID[id]
	switch {
	case !ok:
		return nil, &llm.Error{Code: llm.CodeNotFound, Message: fmt.Sprintf("there is no model %q; there are %s", id,
			now.names())}
	case e.model == nil:
		return nil, &llm.Error{Code: llm.CodeAuth, Model: id, Message: "it is disabled: " + e.info.Reason}
	}
	return e.model, nil
}

// Default is the id of the model for conversations that choose none: the
// configured one, also when it is disabled, since another model may cost or tell
// more than was meant; where none is configured, the first that can be used.
func (c *Catalog) Default() string { return c.now.Load().fallback }

// names lists the models that can be used.
func (s *snapshot) names() string {
	var names []string
	for _, e := range s.order {
		if e.model != nil {
			names = append(names, e.info.ID)
		}
	}
	if len(names) == 0 {
		return "none that can be used"
	}
	return strings.Join(names, ", ")
}

// rebuild makes the next snapshot of config, environment and what Ollama has.
func (c *Catalog) rebuild() {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := &snapshot{byID: make(map[string]*entry)}
	add := func(models []config.Model, source string) {
		for _, cfg := range models {
			if _, taken := next.byID[cfg.ID]; taken || cfg.ID == "" {
				continue // what stands in config.yml wins
			}
			e := c.entryFor(cfg, source)
			next.order = append(next.order, e)
			next.byID[cfg.ID] = e
		}
	}
	add(c.cfg.Models, SourceConfig)
	if c.cfg.LLM.DiscoverEnv {
		add(c.sources.environment(), SourceEnvironment)
	}
	add(c.ollama, SourceOllama)
	next.fallback = fallback(c.cfg.DefaultModel, next)
	c.now.Store(next)
}

func fallback(configured string, s *snapshot) string {
	if _, ok := s.byID[configured]; ok {
		return configured
	}
	for _, e := range s.order {
		if e.model != nil {
			return e.info.ID
		}
	}
	return configured
}

// entryFor makes an entry, or takes the one that there is when nothing changed.
func (c *Catalog) entryFor(cfg config.Model, source string) *entry {
	opts := c.limits()
	info := infoOf(cfg, source)
	info.Hidden = slices.Contains(c.cfg.LLM.Hidden, cfg.ID)
	if now := c.now.Load(); now != nil {
		if old, ok := now.byID[cfg.ID]; ok && old.opts == opts && reflect.DeepEqual(old.cfg, cfg) &&
			reflect.DeepEqual(old.info, info) {
			return old
		}
	}
	e := &entry{cfg: cfg, opts: opts, info: info}
	if info.Disabled {
		return e
	}
	e.model = c.sources.build(cfg, info, opts)
	if e.model == nil {
		e.info.Disabled, e.info.Reason = true, fmt.Sprintf("there is no provider %q", info.Provider)
	}
	return e
}

// limits are the options with the config's limits; a config that says 0 means 0.
func (c *Catalog) limits() llm.Options {
	opts := c.opts
	if idle := c.cfg.LLM.IdleTimeout.Std(); idle > 0 {
		opts.IdleTimeout = idle
	}
	if opts.MaxRetries = c.cfg.LLM.MaxRetries; opts.MaxRetries == 0 {
		opts.MaxRetries = -1
	}
	return opts
}
