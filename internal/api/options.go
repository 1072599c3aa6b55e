package api

import (
	"context"
	"io/fs"
	"log/slog"
	"net/netip"

	"github.com/prometheus/client_golang/prometheus"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
	"nanoclaw/internal/process"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/skills"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/triggers"
	"nanoclaw/internal/undo"
	"nanoclaw/internal/workspace"
)

// Models is what the API shows of the language models.
type Models interface {
	List() []llm.Info
	Default() string
}

// Processes end with the conversation or the project that they belong to.
type Processes interface {
	EndConversation(ctx context.Context, conversationID string) error
	EndProject(ctx context.Context, projectID string) error
}

// Options are what the API is built from; all fields are needed where nothing else is said.
type Options struct {
	Store    *store.Store
	Runs     *runs.Service
	Projects *workspace.Projects
	Undo     *undo.Service
	Skills   *skills.Service
	Triggers *triggers.Service
	Live     *config.Live
	Models   Models
	// TryModels tests models for people; nil: nobody can.
	TryModels TryModels
	Registry  *tools.Registry
	Ready     func(ctx context.Context) []Check // what /readyz promises
	Page      fs.FS                             // the built web app
	Version   string
	Logger    *slog.Logger
	MCP       tools.MCPServers // nil: there are none
	Prompts   tools.MCPPrompts // of the MCP servers; nil: there are none
	// Authorized takes what an MCP server's authorization server sends a browser back with; nil: there are none.
	Authorized func(state, code, issuer string) error
	// Foresee is what a waiting call would change in files; nil: nobody can tell. The
	// error of a call that would fail has a code.
	Foresee func(ctx context.Context, approval *models.Approval, limits undo.DiffLimits) (*undo.Change, error)
	Places  func(ctx context.Context, tool string) Place // where a tool runs processes; nil: no tool does
	// covers secrets in what is audited; nil: nothing is covered
	Redact  func(string) string
	Metrics []prometheus.Collector // more for /metrics; may be empty

	// Processes are what runs for conversations and projects; nil: nothing does.
	Processes Processes
	// Workspace says how the files of access.ProjectID are kept; nil: on this server's disk.
	Workspace func(ctx context.Context, access workspace.Access) (*WorkspaceStatus, error)
	// Forget deletes the files of a conversation or a user that was deleted, by its kind (of
	// store.Deletion) and id; nil: there are none.
	Forget func(ctx context.Context, kind, id string)

	// Stopping ends when the server begins to shut down: streams end then. nil: never.
	Stopping context.Context
	// Accounts say who may do what, in auth_mode multi; nil: it is single.
	Accounts *accounts.Service

	// Caller says who connected from remote to local: process.CallerOf.
	Caller func(local, remote netip.AddrPort) process.Caller
	// DecisionToken lets clients decide where Caller cannot tell; empty: nobody can.
	DecisionToken string
}
