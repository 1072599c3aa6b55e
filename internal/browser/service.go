package browser

import (
	"context"
	"log/slog"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"nanoclaw/internal/netsafe"
	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/egress"
	"nanoclaw/internal/tools"
)

// Settings are the section browser of config.yml, and what the network tools may reach.
type Settings struct {
	Enabled       bool
	Program       string        // path of Chromium; empty: looked for
	Timeout       time.Duration // in which a page has to load, and an operation to end
	IdleTimeout   time.Duration // pages that nobody used for so long are closed
	Conversations int           // with pages at the same time
	Tabs          int           // of one conversation
	Memory        int64         // bytes of Chromium as a whole
	PageMemory    int64         // bytes of the scripts of one page
	SnapshotLimit int           // bytes
	Download      int64         // bytes of one download
	Network       netsafe.Policy
}

// Options are what the service needs of the server.
type Options struct {
	Settings func() Settings // asked at every use
	// Policy is the sandbox that Chromium runs in, or why there is none.
	Policy func(ctx context.Context) (sandbox.Policy, error)
	Dir    string // for files on their way; the service's own
	Logger *slog.Logger
}

// Service is the browser of all conversations. It is safe for concurrent use.
type Service struct {
	Options
	starting chan struct{} // holds one token: who has it may start an engine
	opening  chan struct{} // holds a token for each tab that is being made

	mu       sync.Mutex
	engine   *engine // nil: none runs
	sessions map[string]*session
	refusals map[string]refusal // by host:port
	idle     *time.Timer
	closed   bool
}

var _ tools.Browser = (*Service)(nil)

// refusal is a host that the proxy did not connect to.
type refusal struct {
	err error
	at  time.Time
}

// New makes the service. Close must be called when no tool runs any more.
func New(o Options) *Service {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Service{Options: o, starting: make(chan struct{}, 1), opening: make(chan struct{}, maxOpening),
		sessions: map[string]*session{}, refusals: map[string]refusal{}}
	s.starting <- struct{}{}
	sweep(s.dir())
	return s
}

func (s *Service) dir() string { return filepath.Join(s.Dir, "browser") }

// Unavailable implements tools.Browser.
func (s *Service) Unavailable(ctx context.Context) string {
	settings := s.Settings()
	if !settings.Enabled {
		return "it is switched off (browser.enabled)"
	}
	if _, err := Find(settings.Program); err != nil {
		return err.Error()
	}
	if _, err := s.Policy(ctx); err != nil {
		return err.Error()
	}
	return ""
}

// Close ends Chromium.
func (s *Service) Close() {
	<-s.starting
	defer func() { s.starting <- struct{}{} }()
	s.mu.Lock()
	s.closed = true
	e := s.engine
	s.engine = nil
	clear(s.sessions)
	if s.idle != nil {
		s.idle.Stop()
	}
	s.mu.Unlock()
	if e != nil {
		e.close()
	}
}

// running is the engine, started where none runs.
func (s *Service) running(ctx context.Context) (*engine, error) {
	select {
	case <-s.starting:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { s.starting <- struct{}{} }()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, tools.Errorf(tools.CodeUnavailable, "the server is shutting down")
	}
	old := s.engine
	if old != nil && old.alive() {
		s.mu.Unlock()
		return old, nil
	}
	s.engine = nil
	clear(s.sessions)
	s.mu.Unlock()
	if old != nil {
		old.close()
	}
	settings := s.Settings()
	if why := s.Unavailable(ctx); why != "" {
		return nil, tools.Errorf(tools.CodeUnavailable, "there is no browser: %s", why)
	}
	program, err := Find(settings.Program)
	if err != nil {
		return nil, tools.Errorf(tools.CodeUnavailable, "there is no browser: %v", err)
	}
	policy, err := s.Policy(ctx)
	if err != nil {
		return nil, err
	}
	e, err := start(ctx, launch{
		program: program, policy: policy, proxy: s.proxy(), dir: s.dir(), heap: settings.PageMemory,
		limits: sandbox.Limits{Memory: settings.Memory, TempSize: tempSize, Processes: maxProcesses,
			OpenFiles: maxOpenFiles, FileSize: max(settings.Download*2, minFileSize)},
	}, s.event)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.engine = e
	s.watchIdle(settings.IdleTimeout)
	s.mu.Unlock()
	return e, nil
}

// Limits of Chromium that nobody needs to change.
const (
	tempSize     = 512 << 20 // bytes of its profile and cache
	minFileSize  = 512 << 20 // bytes; its shared memory counts as files
	maxProcesses = 2000      // threads count too
	maxOpenFiles = 8192
	maxOpening   = 2 // tabs that are made at the same time

	proxyConnections = 512
	proxyIdle        = 5 * time.Minute
)

// proxy is the way out of the sandbox: to what fetch_page reaches.
func (s *Service) proxy() sandbox.Proxy {
	return egress.New(egress.Settings{
		Connections: proxyConnections, IdleTimeout: proxyIdle,
		Policy:  func() netsafe.Policy { return s.Settings().Network },
		Refused: s.noteRefused,
	})
}

// maxRefusals bounds the refused hosts that are remembered.
const maxRefusals = 1000

func (s *Service) noteRefused(host string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.refusals) >= maxRefusals {
		clear(s.refusals)
	}
	s.refusals[netsafe.Canonical(host)] = refusal{err: err, at: time.Now()}
}

// refused says why the host of an address was refused since a time; nil: it was not.
func (s *Service) refused(address string, since time.Time) error {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.refusals[netsafe.Canonical(joinHost(u.Hostname(), port))]
	if !ok || found.at.Before(since) {
		return nil
	}
	return found.err
}

// watchIdle closes what nobody uses, from time to time. The caller holds mu.
func (s *Service) watchIdle(limit time.Duration) {
	if s.idle != nil {
		s.idle.Stop()
	}
	if !s.closed {
		s.idle = time.AfterFunc(limit/2, s.closeIdle)
	}
}

func (s *Service) closeIdle() {
	settings := s.Settings()
	s.mu.Lock()
	var over []*session
	for key, one := range s.sessions {
		if one.idleSince(time.Now().Add(-settings.IdleTimeout)) {
			over = append(over, one)
			delete(s.sessions, key)
		}
	}
	e := s.engine
	last := len(s.sessions) == 0 && e != nil
	if last {
		s.engine = nil
	} else {
		s.watchIdle(settings.IdleTimeout)
	}
	s.mu.Unlock()
	for _, one := range over {
		one.dispose()
	}
	if last {
		e.close()
	}
}

// EndConversation closes the pages of a conversation.
func (s *Service) EndConversation(conversationID string) {
	s.mu.Lock()
	one := s.sessions[conversationID]
	delete(s.sessions, conversationID)
	s.mu.Unlock()
	if one != nil {
		one.dispose()
	}
}

// session is the one of a conversation, made where there is none. lost says that
// there was one, whose browser has ended.
func (s *Service) session(ctx context.Context, conversation string) (*session, error) {
	e, err := s.running(ctx)
	if err != nil {
		return nil, err
	}
	settings := s.Settings()
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.sessions[conversation]; one != nil && one.engine == e {
		one.used = time.Now()
		return one, nil
	}
	if s.closed || s.engine != e {
		return nil, tools.Errorf(tools.CodeUnavailable, "the browser has been closed; try again")
	}
	if len(s.sessions) >= settings.Conversations {
		return nil, tools.Errorf(tools.CodeUnavailable,
			"%d conversations use the browser already, which is the limit (browser.max_conversations): try again "+
				"later, or read the page with fetch_page", len(s.sessions))
	}
	one := newSession(s, e, conversation)
	s.sessions[conversation] = one
	return one, nil
}

// ofContext is the session that a browser context belongs to; nil: none.
func (s *Service) ofContext(id cdp.BrowserContextID) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sessions {
		if one.isContext(id) {
			return one
		}
	}
	return nil
}

// all are the sessions.
func (s *Service) all() []*session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*session
	for _, one := range s.sessions {
		all = append(all, one)
	}
	return all
}
