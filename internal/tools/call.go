package tools

import (
	"context"

	"nanoclaw/internal/services"
)

// Invocation is what the model asked for: one tool call before anything is done
// to it. ID is the server's own id of the call, not the provider's.
type Invocation struct {
	ID        string
	Name      string
	Arguments string // JSON text as the model sent it, perhaps broken
}

// Settings are the conversation's choices that a tool may need.
type Settings struct {
	Model       string
	MaxTokens   int      // 0: the model's default
	Temperature *float64 // nil: the model's default
}

// ContextValue is what a call knows by a name that arguments are injected with (see
// Injection); nil: it has none.
func (c Call) ContextValue(name string) any {
	switch {
	case name == "project_id" && c.ProjectID != "":
		return c.ProjectID
	case name == "model" && c.Settings.Model != "":
		return c.Settings.Model
	case name == "max_tokens" && c.Settings.MaxTokens > 0:
		return c.Settings.MaxTokens
	case name == "temperature" && c.Settings.Temperature != nil:
		return *c.Settings.Temperature
	}
	return nil
}

// contextValues are the names that ContextValue knows.
var contextValues = []string{"project_id", "model", "max_tokens", "temperature"}

// Clearance says how a call got past the guard.
type Clearance string

// The clearances. Empty: no guard was asked.
const (
	Allowed  Clearance = "judged"   // the guard has nothing against it
	Approved Clearance = "approved" // a person allowed it, or a rule of one
)

// Call is what a running tool knows about its call, beside its arguments.
type Call struct {
	ID             string
	Tool           string
	RunID          string // the run (of an agent or a sub-agent) that made the call
	RootRunID      string // the run at the top of the tree
	ConversationID string
	ProjectID      string // empty: the conversation has no project
	UserID         string
	AgentPath      string // "main", "main/research", …
	Profile        string // id of the agent profile
	// Callers are the profiles of the agents above this one, the outermost first: a
	// permission needs the consent of each of them and of Profile.
	Callers  []string
	Settings Settings
	Services *services.Locator

	// Clearance is what the guard decided about this very call. A tool that has
	// checks of its own leaves to a person what only a person can decide.
	Clearance Clearance

	// OutputLimit is how many bytes of text a result may hold before the executor
	// cuts it; 0: unknown. A tool that can continue where it stopped keeps to it and
	// says how to read on.
	OutputLimit int

	// Progress reports how far the call is, as a message and a fraction from 0 to 1
	// (negative: unknown). Never nil when the executor makes the call.
	Progress func(message string, fraction float64)

	// Pause stops the call's time limit until the function that it returns is
	// called: waiting for a person or for sub-agents does not count.
	// Never nil when the executor makes the call.
	Pause func() (resume func())

	// MayLook says, in a preflight, whether the agent could call a tool with these
	// arguments unasked, and would see there what its own call will see. Nil: no.
	MayLook func(ctx context.Context, tool string, args map[string]any) bool
}
