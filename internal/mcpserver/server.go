// Package mcpserver offers this server's agents, conversations and project files to other
// programs over the Model Context Protocol. It decides nothing: decisions on approvals
// are not among its tools.
package mcpserver

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/config"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace"
)

// Options are what the server is built from; all are needed.
type Options struct {
	Store    *store.Store
	Runs     *runs.Service
	Projects *workspace.Projects
	Live     *config.Live
	Version  string
	// User is whose request it is.
	User func(ctx context.Context) string
}

// New builds the handler of /mcp: streamable HTTP without sessions, so that any replica
// answers any request.
func New(o Options) http.Handler {
	schemas := mcp.NewSchemaCache()
	return mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		server := mcp.NewServer(&mcp.Implementation{Name: "nanoclaw", Version: o.Version}, &mcp.ServerOptions{
			SchemaCache: schemas,
			// A session is one request long: no news of the list reach it.
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
			Instructions: "Agents that work in projects on this server. ask_agent starts a run and waits for it a while; " +
				"get_run follows one that takes longer.",
		})
		(&tools{Options: o, user: o.User(r.Context())}).add(server)
		return server
	}, &mcp.StreamableHTTPOptions{
		Stateless: true, MaxRequestBodyBytes: -1, // the API limits bodies and hosts
		DisableLocalhostProtection: true,
	})
}

// tools are the tools as one user has them.
type tools struct {
	Options
	user string
}

func (t *tools) add(server *mcp.Server) {
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "ask_agent", Description: "Send a message to an agent and wait for its answer. " +
			"Without conversation_id a new conversation is opened. When status is not completed, follow with get_run."},
		t.askAgent,
	)
	mcp.AddTool(server, &mcp.Tool{Name: "get_run", Annotations: reads,
		Description: "A run's status and answer; waits for its end as long as wait_seconds says."}, t.getRun)
	mcp.AddTool(server, &mcp.Tool{Name: "cancel_run", Description: "Stop a run and everything below it."}, t.cancelRun)
	mcp.AddTool(server, &mcp.Tool{Name: "list_agents", Annotations: reads,
		Description: "The agents that can be asked."}, t.listAgents)
	mcp.AddTool(server, &mcp.Tool{Name: "search_conversations", Annotations: reads,
		Description: "Titles and messages that have all words of the query, the newest first."}, t.search)
	mcp.AddTool(server, &mcp.Tool{Name: "read_conversation", Annotations: reads,
		Description: "The messages of a conversation's active branch."}, t.readConversation)
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "list_projects", Annotations: reads, Description: "The projects."},
		t.listProjects,
	)
	mcp.AddTool(server, &mcp.Tool{Name: "list_files", Annotations: reads,
		Description: "Files and directories of a project."}, t.listFiles)
	mcp.AddTool(server, &mcp.Tool{Name: "read_file", Annotations: reads,
		Description: "A text file of a project, up to 256 KiB from offset."}, t.readFile)
}
