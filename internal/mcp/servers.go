package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// Options are what Servers are built of.
type Options struct {
	Registry *tools.Registry
	Redact   func(string) string // covers secrets in what people and logs see; nil: nothing is covered
	Logger   *slog.Logger        // nil: slog.Default()
	Version  string              // of this program, told to servers
	People   People              // answer what servers ask in the middle of a call; nil: servers may not ask
	Changed  func()              // called when a server's state or tools are others; it must not block; nil: nobody is

	// TokensFile is where tokens are kept that people get for servers (OAuth), and
	// RedirectURL where their browsers come back to (Servers.Authorized). Empty: no
	// server can be authorized.
	TokensFile, RedirectURL string
	SecretsChanged          func() // called when Secrets are others; nil: nobody is

	// Pauses between attempts at a server: the first, and the longest that the
	// doubling leads to. 0: 500 ms and 1 minute.
	FirstPause, LongestPause time.Duration
}

// Servers are the MCP servers of the configuration. Make them with New, give
// them a configuration with Apply, and Close them.
type Servers struct {
	Options
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	vault          vault
	authorizations authorizations

	mu     sync.Mutex // guards the registry's groups and the fields below, and a server's status
	closed bool
	byName map[string]*server
}

var _ tools.MCPServers = (*Servers)(nil)

// New makes Servers without any server.
func New(o Options) *Servers {
	if o.Redact == nil {
		o.Redact = func(s string) string { return s }
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.SecretsChanged == nil {
		o.SecretsChanged = func() {}
	}
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.FirstPause = cmp.Or(o.FirstPause, 500*time.Millisecond)
	o.LongestPause = cmp.Or(o.LongestPause, time.Minute)
	s := &Servers{Options: o, byName: map[string]*server{}, vault: vault{path: o.TokensFile, changed: o.SecretsChanged}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Apply puts a configuration in force: servers that are new are started, those
// that are gone are stopped, those that differ are both. It waits for none of them.
func (s *Servers) Apply(configured map[string]config.MCPServer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	for name, old := range s.byName {
		if next, stays := configured[name]; stays && reflect.DeepEqual(old.config, next) {
			continue
		}
		old.retire()
		if _, stays := configured[name]; !stays {
			delete(s.byName, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(configured)) {
		old := s.byName[name]
		if old != nil && !old.retired {
			continue
		}
		s.launch(name, old, configured[name])
	}
}

// launch starts a server in the place of a retired one; nil: there was none. mu is held.
func (s *Servers) launch(name string, old *server, c config.MCPServer) {
	next := newServer(s, name, c)
	if old != nil {
		next.log = old.log
	}
	s.byName[name] = next
	s.wg.Go(func() {
		if old != nil {
			<-old.ended // the two would be in each other's way
		}
		next.live()
	})
}

// Status implements tools.MCPServers.
func (s *Servers) Status() []tools.MCPServerStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]tools.MCPServerStatus, 0, len(s.byName))
	for _, name := range slices.Sorted(maps.Keys(s.byName)) {
		status := s.byName[name].status
		status.Tools = append([]string{}, status.Tools...)
		status.Problems = slices.Clone(status.Problems)
		all = append(all, status)
	}
	return all
}

// Close stops every server, takes their tools out of the registry, and returns
// when they are gone.
func (s *Servers) Close() {
	s.mu.Lock()
	s.closed = true
	for name, one := range s.byName {
		one.retire()
		delete(s.byName, name)
	}
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
}
