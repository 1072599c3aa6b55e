package runs

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
)

// CH2: a run tells of itself in order, and what was stored is what was streamed.
func TestATurnStreamsThinkingToolsAndTextAndStoresThem(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("hello")).Steps(
		llmtest.Calls(llmtest.Call{Name: "note", Arguments: `{"line":"one"}`}, llmtest.Call{Name: "look",
			Arguments: `{}`}).WithThinking("let me see").After(5*time.Millisecond, 5*time.Millisecond),
		llmtest.Text("All is done."),
	)
	conv := h.conversation()
	run := h.send(conv, "hello")
	events := h.events(run.ID)

	var text, thinking strings.Builder
	var order []string
	for _, event := range events {
		switch event.Type {
		case EventTextDelta, EventThinkingDelta:
			delta := decode[deltaPayload](t, event.Data)
			target := &text
			if event.Type == EventThinkingDelta {
				target = &thinking
			}
			if delta.Offset != target.Len() {
				t.Errorf("%s at offset %d, but %d were sent before", event.Type, delta.Offset, target.Len())
			}
			target.WriteString(delta.Delta)
		}
		if len(order) == 0 || order[len(order)-1] != event.Type {
			order = append(order, event.Type)
		}
	}
	want := []string{EventMessageCreated, EventRunQueued, EventRunStarted, EventThinkingDelta, EventCallStarted,
		EventUsage,
		EventCallFinished, EventTextDelta, EventUsage, EventMessageCompleted, EventRunFinished}
	if !slices.Equal(order, want) {
		t.Errorf("order of events\n%v, want\n%v", order, want)
	}
	ended, message := h.answer(run.ID)
	if ended.Status != models.RunCompleted || message.Text != "All is done." || text.String() != message.Text ||
		thinking.String() != "let me see" {
		t.Errorf("run %+v, message %+v, streamed %q and %q", ended, message, text.String(), thinking.String())
	}
	if len(message.ToolCalls) != 2 || message.ToolCalls[1].Result != `{"success":true,"data":["one"]}` {
		t.Errorf("tool calls %+v: the look after the note must see it", message.ToolCalls)
	}
	var steps []string
	for _, step := range message.Steps {
		steps = append(steps, step.Type)
	}
	if want := []string{"thinking", "tool_call", "tool_call", "tool_result", "tool_result",
		"text"}; !slices.Equal(steps, want) {
		t.Errorf("steps %v, want %v", steps, want)
	}
	if message.Steps[0].DurationMS <= 0 {
		t.Error("nobody knows how long the model thought")
	}
	if again := h.events(run.ID); !slices.Equal(types(again), types(events)) {
		t.Errorf("a replay gave %v, want %v", types(again), types(events))
	}
}

// An event that was taken is handed out, however short the caller waits.
func TestNoEventIsLostToACallerThatWaitsInSlices(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("hello")).Reply(llmtest.Text("one two three"))
	run := h.send(h.conversation(), "hello")
	whole := h.events(run.ID)
	watch, err := h.runs.WatchRun(t.Context(), models.LocalUserID, run.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	var sliced []Event
	for {
		ctx, cancel := context.WithTimeout(h.timeout(), 100*time.Microsecond)
		event, err := watch.Next(ctx)
		cancel()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			sliced = append(sliced, event)
		} else if h.timeout().Err() != nil {
			t.Fatalf("the watch does not end after %v", types(sliced))
		}
	}
	if !slices.Equal(types(sliced), types(whole)) {
		t.Errorf("got %v, want %v", types(sliced), types(whole))
	}
}
