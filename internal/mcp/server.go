package mcp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

const (
	// startTimeout is how long a start may take; the first one of a program that
	// npx fetches takes its time.
	startTimeout = 3 * time.Minute
	// listTimeout is how long listing the tools anew may take.
	listTimeout = time.Minute
	// steadyAfter is how long a server has to serve before the pauses begin anew.
	steadyAfter = 30 * time.Second
	// stopGrace is how long a program may take to end by itself, and then to obey SIGTERM.
	stopGrace = 2 * time.Second
)

// server is one configured server and its life.
type server struct {
	servers *Servers
	name    string
	config  config.MCPServer
	log     *serverLog

	ctx    context.Context // ends when it is retired
	cancel context.CancelFunc
	ended  chan struct{} // closed when live has returned

	// Guarded by servers.mu.
	retired bool
	status  tools.MCPServerStatus
	session *session // nil: it is not ready
	nextTry time.Time
}

func newServer(s *Servers, name string, c config.MCPServer) *server {
	one := &server{servers: s, name: name, config: c, log: &serverLog{}, ended: make(chan struct{}),
		status: tools.MCPServerStatus{Name: name, State: tools.MCPStarting, Since: time.Now().UTC()}}
	one.ctx, one.cancel = context.WithCancel(s.ctx)
	return one
}

// retire ends a server that the configuration does not have any more. Its tools
// are gone at once. servers.mu is held.
func (s *server) retire() {
	s.retired = true
	s.session = nil
	s.cancel()
	s.setGroup(nil)
}

// live starts the server again and again until it is retired.
func (s *server) live() {
	defer close(s.ended)
	defer s.cancel()
	pause := s.servers.FirstPause
	for {
		began := time.Now()
		err := s.serve()
		if s.ctx.Err() != nil {
			return
		}
		if time.Since(began) > steadyAfter {
			pause = s.servers.FirstPause
		}
		s.lost(err, pause)
		timer := time.NewTimer(pause)
		select {
		case <-s.ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		pause = min(2*pause, s.servers.LongestPause)
	}
}

// lost notes why the server is not there and when it is tried again.
func (s *server) lost(err error, pause time.Duration) {
	defer s.servers.Changed()
	s.servers.mu.Lock()
	defer s.servers.mu.Unlock()
	s.session = nil
	if s.retired {
		return
	}
	message := s.servers.Redact(err.Error())
	if s.status.State != tools.MCPRestarting || s.status.Error != message {
		s.servers.Logger.Warn("an MCP server is not available and will be tried again", "server", s.name, "error",
			message, "pause", pause)
		s.log.add(tools.MCPLogState, message)
	}
	if s.status.State != tools.MCPRestarting {
		s.status.Since = time.Now().UTC()
	}
	s.status.AuthorizationURL = ""
	s.status.State, s.status.Error, s.nextTry = tools.MCPRestarting, message, time.Now().Add(pause)
}

// serve is one life of the server: start, list, and follow it until it is lost.
func (s *server) serve() (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			s.servers.Logger.Error("an MCP server's client panicked", "server", s.name, "panic", panicked, "stack",
				string(debug.Stack()))
			err = fmt.Errorf("the client of this server made a mistake, which is in the server's log: %v", panicked)
		}
	}()
	session, err := s.open()
	if err != nil {
		return err
	}
	defer session.close()
	if err := s.offer(session, startTimeout); err != nil {
		return session.explain(err)
	}
	for {
		select {
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-session.over.Done():
			return session.explain(context.Cause(session.over))
		case <-session.changed:
			if err := s.offer(session, listTimeout); err != nil {
				return session.explain(err)
			}
		}
	}
}

// offer lists the tools of the server and puts them in the registry.
func (s *server) offer(session *session, limit time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(session.over, limit, fmt.Errorf("it did not list its tools within %s",
		limit))
	defer cancel()
	listed, err := session.list(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("list the tools of the MCP server %s: %w", s.name, err)
	}
	s.publish(session, listed)
	return nil
}

// publish makes the listed tools those that the registry has, and the server ready.
func (s *server) publish(session *session, listed []*mcp.Tool) {
	made, problems := s.makeTools(listed)
	made = append(made, s.resourceTools(session, made)...)
	defer s.servers.Changed()
	s.servers.mu.Lock()
	defer s.servers.mu.Unlock()
	if s.retired {
		return
	}
	made, taken := s.leaveOutTaken(made)
	problems = append(problems, taken...)
	names := make([]string, len(made))
	for i, tool := range made {
		names[i] = tool.Name
	}
	slices.Sort(names)
	s.setGroup(made)
	for _, problem := range problems {
		s.servers.Logger.Warn("a tool of an MCP server cannot be offered as it is", "server", s.name, "problem",
			problem)
	}
	if s.status.State != tools.MCPReady {
		s.status.Since = time.Now().UTC()
		s.servers.Logger.Info("an MCP server is ready", "server", s.name, "tools", len(names))
		s.log.add(tools.MCPLogState, fmt.Sprintf("ready with %d tools", len(names)))
	}
	s.session = session
	s.status.State, s.status.Error, s.status.Problems, s.status.Tools = tools.MCPReady, "", problems, names
}

// setGroup replaces the server's tools in the registry. servers.mu is held.
func (s *server) setGroup(made []*tools.Tool) {
	if err := s.servers.Registry.SetGroup(s.group(), made); err != nil {
		// Every tool was checked before: what is left is a mistake of ours.
		s.servers.Logger.Error("the tools of an MCP server could not be registered", "server", s.name, "error", err)
	}
}

func (s *server) group() string { return "mcp:" + s.name }

// present is the session that a call may use, or an error for the model.
func (s *server) present() (*session, error) {
	s.servers.mu.Lock()
	defer s.servers.mu.Unlock()
	switch {
	case s.retired:
		return nil, tools.Errorf(tools.CodeUnavailable,
			"the MCP server %q is no longer configured: its tools cannot be used", s.name)
	case s.session != nil && s.session.over.Err() == nil:
		return s.session, nil
	}
	if s.status.State == tools.MCPUnauthorized {
		return nil, tools.Errorf(tools.CodeUnavailable,
			"the MCP server %q waits for the user to authorize it in the settings: tell them, and go on without it",
			s.name)
	}
	message := fmt.Sprintf("the MCP server %q is not running", s.name)
	if s.status.Error != "" {
		message += " (" + s.status.Error + ")"
	}
	if wait := time.Until(s.nextTry).Round(time.Second); wait > time.Second {
		message += fmt.Sprintf("; it is started again in %s", wait)
	} else {
		message += "; it is being started again"
	}
	return nil, &tools.Error{Code: tools.CodeUnavailable, Message: message + ". Go on without it, or try again later"}
}

var errLost = errors.New("the connection was lost")
