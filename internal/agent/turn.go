package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/tokens"
	"nanoclaw/internal/tools"
)

// partialGrace is how long storing the text of a stopped turn may take.
const partialGrace = 3 * time.Second

// turn makes one model call and checkpoints what came. The last one offers no tools. When it fails after text
// has come, that text is stored as a partial step.
func (l *Loop) turn(ctx context.Context, spec Spec, steps []*Step, said []Steering, last bool,
	notes map[string]string, journal Journal) (*Step, error) {
	request := spec.Settings
	request.Messages = contextOf(spec, steps, said, notes)
	if !last {
		request.Tools = spec.Tools
	}
	window := spec.Model.Info().ContextWindow
	fitted, err := fit(ctx, spec, request, window)
	if err != nil {
		return nil, err
	}
	step := &Step{ID: newID(), Number: len(steps), ModelID: spec.Model.Info().ID}
	journal.StepStarted(step.ID, step.Number)
	err = stream(ctx, spec, fitted, step, journal)
	if overflowed(err) && step.empty() {
		// The count was an estimate: once more with what surely fits.
		if fitted, err = fit(ctx, spec, request, window*6/10); err == nil {
			err = stream(ctx, spec, fitted, step, journal)
		}
	}
	if err != nil {
		return nil, l.stopped(ctx, step, fitted, journal, err)
	}
	if last && len(step.Response.ToolCalls) > 0 {
		// offered none, asked all the same
		step.Response.ToolCalls, step.Response.FinishReason = nil, llm.FinishToolCalls
	}
	step.Calls = callsOf(step.Response.ToolCalls)
	if err := journal.StepFinished(ctx, step); err != nil {
		return nil, err
	}
	return step, nil
}

// stream fills the step's response from the model's stream: also with what there is of
// it when that fails.
func stream(ctx context.Context, spec Spec, request llm.Request, step *Step, journal Journal) error {
	r := &received{step: step, journal: journal}
	defer r.end()
	request.Messages = readImages(ctx, spec, request.Messages)
	for event, err := range spec.Model.Stream(ctx, request) {
		if err != nil {
			return err
		}
		r.add(event)
	}
	if !r.done {
		return &llm.Error{Code: llm.CodeProtocol, Model: spec.Model.Info().ID,
			Message: "stream ended without a finish event"}
	}
	return nil
}

// received is what has come of a turn.
type received struct {
	step            *Step
	journal         Journal
	text, reasoning strings.Builder
	thinking        time.Time // since then; zero: there was no thought
	done            bool      // the response is whole
}

func (r *received) add(event llm.Event) {
	if event.Kind != llm.EventThinking {
		r.endThought()
	}
	switch event.Kind {
	case llm.EventText:
		r.text.WriteString(event.Text)
		r.journal.TextDelta(r.step.ID, event.Text)
	case llm.EventThinking:
		if r.thinking.IsZero() {
			r.thinking = time.Now()
		}
		r.reasoning.WriteString(event.Text)
		r.journal.ThinkingDelta(r.step.ID, event.Text)
	case llm.EventRetry:
		r.journal.ModelRetry(r.step.ID, *event.Retry)
	case llm.EventDone:
		r.step.Response, r.done = *event.Response, true
	}
}

func (r *received) endThought() {
	if r.step.Thought == 0 && !r.thinking.IsZero() {
		r.step.Thought = time.Since(r.thinking)
	}
}

// end keeps what came of a turn that is not whole. Of one that came in one piece nothing
// was shown yet.
func (r *received) end() {
	response := &r.step.Response
	if !r.done {
		response.Text, response.Reasoning = r.text.String(), r.reasoning.String()
		r.endThought()
		return
	}
	if r.reasoning.Len() == 0 && response.Reasoning != "" {
		r.journal.ThinkingDelta(r.step.ID, response.Reasoning)
	}
	if r.text.Len() == 0 && response.Text != "" {
		r.journal.TextDelta(r.step.ID, response.Text)
	}
}

// stopped keeps the text of a turn that failed, and returns why it did.
func (l *Loop) stopped(ctx context.Context, step *Step, request llm.Request, journal Journal, why error) error {
	if ctx.Err() != nil {
		why = context.Cause(ctx)
	}
	if step.empty() || errors.Is(why, ErrLost) || errors.Is(why, ErrDrained) {
		return why
	}
	step.Partial = true
	step.Response.Usage = tokens.Usage(request, step.Response)
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), partialGrace)
	defer cancel()
	if err := journal.StepFinished(keep, step); err != nil {
		return errors.Join(why, fmt.Errorf("keep the partial text: %w", err))
	}
	return why
}

func (s *Step) empty() bool { return s.Response.Text == "" && s.Response.Reasoning == "" }

func overflowed(err error) bool {
	var failed *llm.Error
	return errors.As(err, &failed) && failed.Code == llm.CodeContextOverflow
}

// callsOf gives each of the model's calls an id of our own.
func callsOf(asked []llm.ToolCall) []*Call {
	calls := make([]*Call, len(asked))
	for i, call := range asked {
		calls[i] = &Call{
			Invocation: tools.Invocation{ID: newID(), Name: call.Name, Arguments: call.Arguments},
			ProviderID: call.ID,
		}
	}
	return calls
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func mustJSON(v any) []byte {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err))
	}
	return encoded
}

func validObject(text string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &object) == nil && object != nil
}
