package agent

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"nanoclaw/internal/llm"
)

// paced is a model that takes a second for each of its events.
type paced []llm.Event

func (m paced) Info() llm.Info { return llm.Info{ID: "m"} }

func (m paced) Stream(context.Context, llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		for _, event := range m {
			time.Sleep(time.Second)
			if event.Response != nil && event.Response.FinishReason == "broken" {
				yield(llm.Event{}, errors.New("the connection broke"))
				return
			}
			if !yield(event, nil) {
				return
			}
		}
	}
}

// shown is a journal that is only looked at.
type shown struct{ Journal }

func (shown) TextDelta(string, string)     {}
func (shown) ModelRetry(string, llm.Retry) {}
func (shown) ThinkingDelta(string, string) {}

// CH2: a step knows how long the model thought: from its first thought to what
// followed, be it text, the end, or an error.
func TestAStepKnowsHowLongTheModelThought(t *testing.T) {
	t.Parallel()
	think, say := llm.Event{Kind: llm.EventThinking, Text: "hm"}, llm.Event{Kind: llm.EventText, Text: "so"}
	done := llm.Event{Kind: llm.EventDone, Response: &llm.Response{Text: "so", Reasoning: "hm"}}
	broken := llm.Event{Kind: llm.EventDone, Response: &llm.Response{FinishReason: "broken"}}
	for name, test := range map[string]struct {
		model paced
		want  time.Duration
	}{
		"then text":          {paced{think, think, think, say, say, done}, 3 * time.Second},
		"then the end":       {paced{think, think, done}, 2 * time.Second},
		"again behind text":  {paced{think, say, think, think, done}, time.Second},
		"in one piece":       {paced{done}, 0},
		"no thought":         {paced{say, say, done}, 0},
		"broken off":         {paced{think, think, broken}, 2 * time.Second},
		"broken behind text": {paced{think, say, say, broken}, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			step := &Step{}
			// how it ends does not matter
			_ = stream(t.Context(), Spec{Model: test.model}, llm.Request{}, step, shown{})
			if step.Thought != test.want {
				t.Errorf("%s: %s, want %s", name, step.Thought, test.want)
			}
		})
	}
}
