package terminal

import (
	"encoding/json"
	"fmt"
	"time"
)

// Event is an event of the API, as far as a terminal shows it.
type Event struct {
	Type           string    `json:"type"`
	RunID          string    `json:"run_id"`
	RootRunID      string    `json:"root_run_id"`
	ConversationID string    `json:"conversation_id"`
	AgentPath      string    `json:"agent_path"`
	Time           time.Time `json:"time"`

	// thinking.delta, text.delta; Offset is in Unicode code points.
	StepID string `json:"step_id"`
	Offset int    `json:"offset"`
	Delta  string `json:"delta"`

	Run      *Run      `json:"run"`
	Attempt  int       `json:"attempt"`
	Call     *Call     `json:"tool_call"`
	Approval *Approval `json:"approval"`

	// Message is an object in a snapshot and a text in tool_call.progress.
	Message  json.RawMessage `json:"message"`
	CallID   string          `json:"id"`
	Fraction *float64        `json:"fraction"`

	// agent.finished; Error is an object in run.finished.
	TaskName   string          `json:"task_name"`
	Success    bool            `json:"success"`
	Response   string          `json:"response"`
	Incomplete bool            `json:"incomplete"`
	Error      json.RawMessage `json:"error"`

	Agents    []agentSnapshot `json:"agents"`
	Approvals []Approval      `json:"approvals"`
}

// Run is a run with the sub-agents below it. Started and Finished are nil as long
// as that has not happened.
type Run struct {
	ID           string     `json:"id"`
	ParentRunID  string     `json:"parent_run_id"`
	ParentCallID string     `json:"parent_call_id"`
	TaskName     string     `json:"task_name"`
	AgentPath    string     `json:"agent_path"`
	Status       string     `json:"status"`
	Response     string     `json:"response"`
	Incomplete   bool       `json:"incomplete"`
	Error        *Failure   `json:"error"`
	Usage        Usage      `json:"usage"`
	Started      *time.Time `json:"started_at"`
	Finished     *time.Time `json:"finished_at"`
	Children     []*Run     `json:"children"`
}

// Failure is why a run did not complete.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Usage is in tokens.
type Usage struct {
	TotalTokens int     `json:"total_tokens"`
	Cost        float64 `json:"cost"`
	Estimated   bool    `json:"estimated"`
}

// Call is a tool call; the fields behind Function are set when it is finished.
// ExecutionTime is in seconds.
type Call struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Result        string  `json:"result"`
	Success       bool    `json:"success"`
	Skipped       bool    `json:"skipped"`
	Cached        bool    `json:"cached"`
	ExecutionTime float64 `json:"execution_time"`
	Files         []File  `json:"files"`
}

// Approval is a person's decision that a call waits for.
type Approval struct {
	ID        string     `json:"id"`
	Call      *Call      `json:"tool_call"`
	Findings  []Finding  `json:"findings"`
	Coverages []Coverage `json:"coverages"`
	Status    string     `json:"status"`
	AgentPath string     `json:"agent_path"`
	Reason    string     `json:"reason"` // of a denial
}

// Finding is a reason why a call needs an approval. Severity is CRITICAL, HIGH,
// MEDIUM, LOW or INFO.
type Finding struct {
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Evidence string `json:"evidence"`
}

// Coverage is what an approval for more than one call can cover: call, prefix, rule or tool.
type Coverage struct {
	Covers  string `json:"covers"`
	Pattern string `json:"pattern"`
	Rules   []struct {
		Message string `json:"message"`
	} `json:"rules"`
}

// agentSnapshot is what a sub-agent that is at work did so far.
type agentSnapshot struct {
	RunID string `json:"run_id"`
	Calls []Call `json:"tool_calls"`
}

// messageSnapshot is what the assistant said and did so far.
type messageSnapshot struct {
	Steps []struct {
		Type   string `json:"type"`
		Text   string `json:"text"`
		IDRef  string `json:"id_ref"`
		StepID string `json:"step_id"`
	} `json:"steps"`
	Calls []Call `json:"tool_calls"`
}

// Parse reads the data of one event.
func Parse(data []byte) (Event, error) {
	var e Event
	if err := json.Unmarshal(data, &e); err != nil {
		return Event{}, fmt.Errorf("read an event of the server: %w", err)
	}
	return e, nil
}

// Ended says whether the event is the last one of the root run.
func (e Event) Ended() bool { return e.Type == "run.finished" && e.RunID == e.RootRunID }

// text is a field that is a text in this event; "" where it is something else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
