package api

import (
	"fmt"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"
	"github.com/labstack/echo/v4"
)

// server is the API with all it shows.
type server struct {
	Options
	echo    *echo.Echo
	api     huma.API
	metrics *metrics
	page    *page

	takesFiles map[string]bool  // "METHOD /route": bodies up to http.max_upload
	rights     map[string]right // "METHOD /route": what it needs, where the method does not say it
	streams    openStreams
	mounts     []mounted
}

// New builds the handler of everything that is served.
func New(o Options) (http.Handler, error) {
	s, err := newServer(o)
	if err != nil {
		return nil, err
	}
	return s.echo, nil
}

func newServer(o Options) (*server, error) {
	s := &server{Options: o, echo: echo.New(), takesFiles: map[string]bool{}, rights: map[string]right{}}
	var err error
	if s.page, err = newPage(o.Page, o.Version); err != nil {
		return nil, fmt.Errorf("read the web app: %w", err)
	}
	s.metrics = newMetrics(o.Runs, o.Metrics...)
	s.echo.HTTPErrorHandler = s.answerError
	s.echo.IPExtractor = s.clientAddress
	s.echo.Use(s.identify, s.logAccess, s.metrics.measure, s.guardPanics, s.secure, s.checkHost, s.allowOrigins(),
		s.checkOrigin, s.requireAccess, s.limitBody, s.repeat, s.page.fallback, compressListings())
	described := s.document()
	s.api = huma.NewAPI(described, headAdapter{humaecho.NewWithGroup(s.echo, s.echo.Group(basePath),
		described).Adapter()})
	s.registerDocument()
	s.registerReference()
	s.registerHealth()
	s.registerUser()
	s.registerCatalog()
	s.registerProjects()
	s.registerMembers()
	s.registerFiles()
	s.registerSkills()
	s.registerMemory()
	s.registerWorkspace()
	s.registerConversations()
	s.registerTags()
	s.registerExport()
	s.registerShares()
	s.registerMessages()
	s.registerUploads()
	s.registerRuns()
	s.registerTasks()
	s.registerChanges()
	s.registerApprovals()
	s.registerEvents()
	s.registerAudit()
	s.registerUsage()
	s.registerConfig()
	s.registerSchedules()
	s.registerHooks()
	s.registerPrompts()
	s.mountAll()
	return s, nil
}
