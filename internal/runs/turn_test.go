package runs

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/guard"
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
	running := 0
	for _, event := range events {
		switch event.Type {
		case EventCallProgress: // tells that a call no longer waits; those of a batch begin as they can
			running++
			continue
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
	if running == 0 {
		t.Error("no event told that a call began to run")
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
	h.model.On(llmtest.UserContains("long")).Reply(llmtest.Text("one two three"))
	run := h.send(h.conversation(), strings.Repeat("long ", 100_000)) // its event's body is in the database
	whole := h.events(run.ID)
	watch, err := h.runs.WatchRun(t.Context(), models.LocalUserID, run.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	var sliced []Event
	patience := h.timeout()
	for slice := 10 * time.Microsecond; ; slice += slice / 8 { // a slow machine needs longer ones
		ctx, cancel := context.WithTimeout(patience, slice)
		event, err := watch.Next(ctx)
		cancel()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			sliced = append(sliced, event)
		} else if patience.Err() != nil {
			t.Fatalf("the watch does not end after %v: %v", types(sliced), err)
		}
	}
	if !slices.Equal(types(sliced), types(whole)) {
		t.Errorf("got %v, want %v", types(sliced), types(whole))
	}
}

// TG3, CH8: in plan mode a run is offered what changes nothing, and is told so; its sub-agents, too.
func TestInPlanModeARunIsOfferedWhatReadsAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(fan("helper", 1)), llmtest.Text("a plan"))
	h.model.On(llmtest.User("helper 0")).Steps(llmtest.Text("seen"))
	conv := h.conversation()
	plan := func(c *models.Conversation) error { c.PermissionMode = guard.ModePlan; return nil }
	if _, err := h.store.UpdateConversation(t.Context(), models.LocalUserID, conv.ID, 0, plan); err != nil {
		t.Fatal(err)
	}
	h.events(h.send(conv, "go").ID)
	for who, wanted := range map[string][]string{"go": {"look", "multi_agent"}, "helper 0": {"look"}} {
		request := h.model.Requests(llmtest.User(who))[0]
		if got := slices.Sorted(slices.Values(request.ToolNames())); !slices.Equal(got, wanted) {
			t.Errorf("%s: offered %v, want %v", who, got, wanted)
		}
		if !strings.Contains(request.Messages[0].Text, "Plan mode") {
			t.Errorf("%s is not told that it plans", who)
		}
	}
}

// CH2: while a provider asks to wait, an event says why, and until when; and so does a snapshot, for
// whoever comes meanwhile.
func TestAWaitForTheProviderIsAnEventWithItsReasonAndTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	h.model.On(llmtest.User("hello")).Sequence(
		llmtest.Failure(429, "slow down").WithHeader("Retry-After-Ms", "20"), llmtest.Text("Here it is.").At(gate))
	run := h.send(h.conversation(), "hello")
	await(t, gate.Reached())
	snapshot, _, err := h.runs.snapshotOf(h.timeout(), run.ID)
	if err != nil || snapshot.Retries[run.ID].Try != 1 {
		t.Errorf("the snapshot has %+v, %v", snapshot, err)
	}
	gate.Release()
	var told []Retry
	for _, event := range h.events(run.ID) {
		if event.Type == EventModelRetry {
			told = append(told, decode[Retry](t, event.Data))
		}
	}
	if len(told) != 1 || told[0].Error == nil || told[0].Error.Code != "model_rate_limited" || told[0].Try != 1 ||
		told[0].Max < 1 || told[0].Model == "" {
		t.Fatalf("told %+v", told)
	}
	if _, err := time.Parse(time.RFC3339Nano, told[0].At); err != nil {
		t.Error(err)
	}
	if _, message := h.answer(run.ID); message.Text != "Here it is." {
		t.Errorf("answer %q", message.Text)
	}
}
