package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/api/a2a"
	"nanoclaw/internal/api/agui"
	"nanoclaw/internal/api/aisdk"
	"nanoclaw/internal/api/openai"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/mcpserver"
)

// mounted is the interface of another protocol, below its prefix.
type mounted struct {
	prefix string
	// refuse answers in the protocol's form what fails before its handler; nil: as a problem.
	refuse func(w http.ResponseWriter, status int, code, message string)
}

// mount serves a protocol with everything that holds for the API: identity, hosts,
// origins, limits.
func (s *server) mount(m mounted, handler http.Handler) {
	s.mounts = append(s.mounts, m)
	for _, route := range []string{m.prefix, m.prefix + "/*"} {
		s.echo.Any(route, echo.WrapHandler(handler))
		s.takesFiles[http.MethodPost+" "+route] = true
	}
}

// mountOf is the protocol that a path belongs to, or nil.
func (s *server) mountOf(path string) *mounted {
	for i, m := range s.mounts {
		if path == m.prefix || strings.HasPrefix(path, m.prefix+"/") {
			return &s.mounts[i]
		}
	}
	return nil
}

// isAPI says whether a path is for programs, and not part of the web app.
func (s *server) isAPI(path string) bool {
	return strings.HasPrefix(path, "/api/") || s.mountOf(path) != nil
}

func (s *server) mountAll() {
	host := wire.Host{Store: s.Store, Runs: s.Runs, Live: s.Live, Models: s.Models, User: currentUser,
		Problem: s.explain, OpenStream: s.openStream, Allowed: s.stillAllowed, Person: s.requirePerson, Logger: s.Logger, Version: s.Version}
	s.mount(mounted{"/v1", openai.WriteError}, openai.New(host))
	s.mount(mounted{aisdk.Prefix, aisdk.WriteError}, aisdk.New(host))
	s.mount(mounted{agui.Prefix, agui.WriteError}, agui.New(host))
	tasks := a2a.New(host)
	s.mount(mounted{a2a.Prefix, a2a.WriteError}, tasks)
	for _, path := range []string{a2a.CardPath, a2a.Prefix + a2a.CardPath} {
		s.mount(mounted{path, a2a.WriteError}, tasks)
		s.rights[http.MethodGet+" "+path] = rightPublic
	}
	s.mount(mounted{prefix: "/mcp"}, mcpserver.New(mcpserver.Options{Store: s.Store, Runs: s.Runs, Projects: s.Projects,
		Live: s.Live, Version: s.Version, User: currentUser}))
}

// explain says how an error is shown, and logs what clients are not told.
func (s *server) explain(ctx context.Context, err error) (status int, code, message string) {
	problem := *problemOf(err)
	finishProblem(ctx, &problem)
	return problem.Status, problem.Code, problem.Detail
}

// openStream counts an answer that is streamed.
func (s *server) openStream(ctx context.Context) (done func(), err error) {
	closed, err := s.streams.open(requestOf(ctx).client, s.Live.Current().HTTP.MaxStreams)
	if err != nil {
		return nil, err
	}
	s.metrics.streams.Inc()
	return func() {
		s.metrics.streams.Dec()
		closed()
	}, nil
}
