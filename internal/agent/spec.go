package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nanoclaw/internal/executor"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/tools"
)

// Spec is all that a loop needs to know of its run.
type Spec struct {
	Model    llm.Model
	Context  []llm.Message // system, earlier turns, and the user's message at the end
	Settings llm.Request   // MaxTokens, Temperature and Thinking of every model call
	Tools    []llm.ToolDef // what the model is offered; none: it answers in text at once

	MaxIterations int // rounds with tools; the model call after them offers none
	Steps         []*Step
	Env           executor.Env // Journal is set by the loop

	// Budget is asked before every model call; an error ends the run with its code.
	Budget func(ctx context.Context) error
	// Draining says that the process wants to stop: the loop ends at the next
	// checkpoint with ErrDrained. Nil: never.
	Draining func() bool
	// Steering is what the person said while the run was at work; what is new stands before step
	// next, whose request is about to be made. Nil: nothing is ever said.
	Steering func(next int) []Steering
	// Image reads an image of a tool result that the context has.
	Image func(ctx context.Context, id string) ([]byte, error)
	// Summarise shortens old turns when the context window is full; nil: a digest is made.
	Summarise func(ctx context.Context, old []llm.Message) (string, error)
}

// Steering is a person's message into the run: the model gets it before step Before.
type Steering struct {
	Before int
	Text   string
}

// Step is one model turn and what came of its tool calls.
type Step struct {
	ID       string
	Number   int
	ModelID  string
	Response llm.Response
	Thought  time.Duration // from the first thought to what followed; 0: nobody knows
	Calls    []*Call
	Partial  bool // the turn was stopped: Response holds what there was
}

// Call is a tool call of a step.
type Call struct {
	tools.Invocation
	ProviderID string
	Started    bool // it was begun by an attempt that did not finish it
	Effect     tools.EffectKind
	Record     *tools.Record // nil: not finished
	Grant      *guard.Grant  // a person's decision that has not been acted on
}

// Journal is where a loop checkpoints and what it tells the world. Every method
// that returns an error makes its effect durable before it returns nil; an error
// ends the loop at once.
type Journal interface {
	executor.Journal

	// StepStarted, ThinkingDelta and TextDelta are for the screen only.
	StepStarted(stepID string, number int)
	ThinkingDelta(stepID, text string)
	TextDelta(stepID, text string)
	// ModelRetry: the model call failed before its first word and is made again after a wait.
	ModelRetry(stepID string, retry llm.Retry)

	// StepFinished stores a model turn. It may change the text that is kept
	// (redaction).
	StepFinished(ctx context.Context, step *Step) error
}

// Result is how a loop ended well.
type Result struct {
	Text       string // of the last step
	Incomplete bool   // the call without tools gave no final answer, or the model's output was cut off
	Suspended  bool   // calls wait for a person: enter again when they are decided
}

// Reasons for which a loop ends before its time; they are causes of its context. With
// the last two the run goes on elsewhere, which leaves its calls unfinished.
var (
	ErrCancelled = errors.New("the run was cancelled")
	ErrDrained   = fmt.Errorf("the server is shutting down: %w", tools.ErrUnfinished)
	ErrLost      = fmt.Errorf("another worker has taken the run: %w", tools.ErrUnfinished)
)

// Error is a run's failure with the code that clients see.
type Error struct {
	Code    string
	Message string
}

func (e *Error) Error() string { return e.Message }

// ErrorCode is the code that the failed run carries.
func (e *Error) ErrorCode() string { return e.Code }

// Codes of *Error.
const (
	CodeLoopDetected = "loop_detected"
	CodeTimeout      = "timeout"
	CodeBudget       = "budget_exceeded"
)
