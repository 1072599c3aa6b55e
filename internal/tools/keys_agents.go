package tools

import (
	"context"
	"time"

	"nanoclaw/internal/services"
)

// AgentsKey finds the agents that can be talked to.
var AgentsKey = services.NewKey[Agents]("agents")

// Agents are the profiles of config.yml as colleagues of a running agent.
type Agents interface {
	// Profiles lists the agents, the default one first.
	Profiles() []AgentInfo

	// Check says why no message can be given to an agent (an *Error), or nil.
	Check(agent, message string) error

	// Chat gives a message to an agent and waits for its answer, in a run below the
	// call. Entered again with the same call, it finds the run that it made. The
	// error is an *Error for a message that cannot be given, ErrSuspended,
	// ErrUnfinished, or the end of ctx; an agent that failed is an answer.
	Chat(ctx context.Context, call Call, message AgentMessage) (AgentAnswer, error)
}

// AgentInfo describes an agent for people and other agents.
type AgentInfo struct {
	ID          string
	Name        string
	Description string
}

// AgentMessage is one turn of a session with an agent. SessionID is empty for a
// new session.
type AgentMessage struct {
	Agent     string
	Text      string
	SessionID string
}

// AgentAnswer is what came of it. Response may stand beside an error: what there
// was when the agent failed.
type AgentAnswer struct {
	SessionID  string
	RunID      string
	Response   string
	Incomplete bool   // its rounds with tools were used up, or it was cut off
	Error      string // empty: it ended well
	Code       string // of the error
}

// ExternalAgentsKey finds the agents that are programs of their own.
var ExternalAgentsKey = services.NewKey[ExternalAgents]("external_agents")

// ExternalAgents are programs that speak the Agent Client Protocol.
type ExternalAgents interface {
	// List describes the configured ones, by name.
	List() []AgentInfo

	// Check says why no message can be given to an agent (an *Error), or nil.
	Check(agent, message string) error

	// Delegate gives a message to an agent and waits for its answer. An *Error
	// carries the ExternalAnswer so far as its data.
	Delegate(ctx context.Context, call Call, agent, message string) (ExternalAnswer, error)
}

// ExternalAnswer is what an external agent said and did.
type ExternalAnswer struct {
	Agent      string `json:"agent"`
	Response   string `json:"response"`
	StopReason string `json:"stop_reason,omitempty"`
	// it reached a limit of its own, or its text was too long
	Incomplete bool               `json:"incomplete,omitempty"`
	Refused    []RefusedAction    `json:"refused,omitempty"` // what it asked a permission for and did not get
	Files      []ExternalFileNote `json:"files,omitempty"`   // what it wrote through the project's files
}

// RefusedAction is something that an external agent was not allowed to do.
type RefusedAction struct {
	Action string `json:"action"`
	Reason string `json:"reason"`
}

// ExternalFileNote is a file that an external agent wrote.
type ExternalFileNote struct {
	Path    string `json:"path"`
	Created bool   `json:"created,omitempty"`
}

// MCPServersKey finds the state of the MCP servers.
var MCPServersKey = services.NewKey[MCPServers]("mcp_servers")

// MCPServers tells how the configured MCP servers are.
type MCPServers interface {
	// Status describes every configured server, by name.
	Status() []MCPServerStatus
	// Log is what a server said lately, and what became of it, newest last.
	Log(name string) (lines []MCPLogLine, known bool)
	// Restart ends a server and starts it again. It does not wait.
	Restart(name string) (known bool)
}

// MCPLogLine is a line of a server's log. Secrets are covered.
type MCPLogLine struct {
	Time time.Time  `json:"time"`
	Kind MCPLogKind `json:"kind" enum:"stderr,stdout,state"`
	Text string     `json:"text"`
}

// MCPLogKind is where a line of a log comes from.
type MCPLogKind string

// The kinds of lines.
const (
	MCPLogStderr MCPLogKind = "stderr" // printed as an error or a log
	MCPLogStdout MCPLogKind = "stdout" // printed where only messages belong
	MCPLogState  MCPLogKind = "state"  // what became of the server
)

// MCPPrompts are texts that MCP servers have ready for people to begin with.
type MCPPrompts interface {
	// Prompts lists those of the servers that are ready, by server and name.
	Prompts(ctx context.Context) []MCPPrompt
	// Prompt fills one in. The error is an *Error.
	Prompt(ctx context.Context, server, name string, arguments map[string]string) (MCPPromptText, error)
}

// MCPPrompt is a prompt that a server offers.
type MCPPrompt struct {
	Server      string              `json:"server"`
	Name        string              `json:"name"`
	Title       string              `json:"title,omitempty"`
	Description string              `json:"description,omitempty"`
	Arguments   []MCPPromptArgument `json:"arguments"`
}

// MCPPromptArgument is something to fill in.
type MCPPromptArgument struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required"`
}

// MCPPromptText is a prompt with its arguments filled in.
type MCPPromptText struct {
	Description string             `json:"description,omitempty"`
	Messages    []MCPPromptMessage `json:"messages"`
}

// MCPPromptMessage is one message of a prompt. What is not text in it is named in
// square brackets.
type MCPPromptMessage struct {
	Role string `json:"role" enum:"user,assistant"`
	Text string `json:"text"`
}

// MCPServerState is where an MCP server is in its life.
type MCPServerState string

// The states of MCP servers.
const (
	MCPStarting   MCPServerState = "starting"   // for the first time
	MCPReady      MCPServerState = "ready"      // its tools can be called
	MCPRestarting MCPServerState = "restarting" // it could not be reached or was lost; it is tried again

	MCPUnauthorized MCPServerState = "unauthorized" // a person has to follow AuthorizationURL
)

// MCPServerStatus is one server as people see it. Secrets are covered.
type MCPServerStatus struct {
	Name     string         `json:"name"`
	State    MCPServerState `json:"state"`
	Error    string         `json:"error,omitempty"`    // of the last attempt; empty while it is ready
	Problems []string       `json:"problems,omitempty"` // tools that cannot be offered as they are, and why
	Tools    []string       `json:"tools"`              // registered names, sorted
	Since    time.Time      `json:"since"`              // of the state

	AuthorizationURL string `json:"authorization_url,omitempty"` // where a person authorizes it
}
