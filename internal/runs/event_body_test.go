package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// CH2: a run of 5 steps with 4 results of 60 KB each, and a request of 300 KB of
// markup, are streamed to their ends, whole, and the server starts again on them.
func TestEventsOverALimitOfTheLogReachClientsWhole(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.registry.Register(tools.Define("big", "a lot of text", func(_ context.Context, _ tools.Call,
		args noteArgs) (string, error) {
		return strings.Repeat(args.Line+"<>&", 12_000), nil
	}, tools.Effect(tools.Volatile)))
	var steps []llmtest.Reply
	for i := range 5 {
		var calls []llmtest.Call
		for j := range 4 {
			calls = append(calls, llmtest.Call{Name: "big", Arguments: fmt.Sprintf(`{"line":"%d%d"}`, i, j)})
		}
		steps = append(steps, llmtest.Calls(calls...))
	}
	h.model.On(llmtest.User("read all of it")).Steps(append(steps, llmtest.Text("done"))...)
	markup := strings.Repeat("<a>", 100_000)
	h.model.On(llmtest.User(markup)).Reply(llmtest.Text("much"))
	request := h.send(h.conversation(), markup)
	h.events(request.ID)
	run := h.send(h.conversation(), "read all of it")
	for again := range 2 {
		events := h.events(run.ID)
		seen := types(events)
		if seen[len(seen)-1] != EventRunFinished || seen[len(seen)-2] != EventMessageCompleted {
			t.Fatalf("the stream ends with %v", seen[len(seen)-2:])
		}
		began := h.events(request.ID)[0]
		asked := decode[messagePayload](t, began.Data)
		if began.Type != EventMessageCreated || asked.Message.Text != markup {
			t.Errorf("the first event is %s with a text of %d bytes", began.Type, len(asked.Message.Text))
		}
		if raw := string(began.Data); strings.Contains(raw, `\u003c`) {
			t.Error("markup is escaped")
		}
		answered := decode[messagePayload](t, events[len(events)-2].Data)
		_, kept := h.answer(run.ID)
		if calls := answered.Message.ToolCalls; len(calls) < 20 || !reflect.DeepEqual(calls, kept.ToolCalls) {
			t.Errorf("message.completed has %d calls, the stored message %d", len(calls), len(kept.ToolCalls))
		}
		if size := len(events[len(events)-2].Data); size < 1<<20 {
			t.Errorf("message.completed has only %d bytes", size)
		}
		if again == 0 {
			h.close(t.Context())
			h.open()
		}
	}
}

// The outbox never waits behind a message that cannot be sent, and nothing in it
// prevents a start.
func TestAMessageThatCannotBeSentIsReplacedAndStopsNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("ok"))
	conv := h.conversation()
	first := h.send(conv, "one")
	h.events(first.ID)
	root, err := h.store.Run(t.Context(), "", first.ID)
	if err != nil {
		t.Fatal(err)
	}
	bad := []*models.Outbox{
		{Subject: "no stream has this", MessageID: store.NewID(), Payload: []byte(`{}`)},
		{Subject: "", MessageID: "a\r\nb", Payload: nil},
		{Subject: subjectOf(root), MessageID: store.NewID(), Payload: []byte(strings.Repeat("not JSON ", 1<<18))},
		{Subject: subjectOf(root) + ".more", MessageID: store.NewID(), Payload: encodeEvent(EventRunQueued, root, nil)},
		{Subject: eventlog.EventSubject("u", "gone", "gone"), MessageID: store.NewID(),
			Payload: encodeEvent("x", &models.Run{}, map[string]string{"a": strings.Repeat("x", 1<<21)})},
		{Subject: eventlog.WorkSubject, MessageID: store.NewID(), Payload: []byte("no job")},
		eventRow(EventConversation, root, map[string]string{"after": "the bad ones"}),
	}
	if err := h.store.Publish(t.Context(), bad); err != nil {
		t.Fatal(err)
	}
	h.close(t.Context())
	h.open()
	if rows, err := h.store.PendingOutbox(t.Context(), models.Now(), 100); err != nil || len(rows) != 0 {
		t.Errorf("%d rows are still in the outbox, %v", len(rows), err)
	}
	if n := h.runs.Unsendable(); n != 5 {
		t.Errorf("%d messages were counted as unsendable, want 5", n)
	}
	second := h.send(conv, "two")
	if seen := types(h.events(second.ID)); seen[len(seen)-1] != EventRunFinished {
		t.Errorf("the next run: %v", seen)
	}
	watch, err := h.runs.WatchRun(t.Context(), models.LocalUserID, first.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	watch.Close()
}

// A property: an event of any size and shape that was written is delivered as it
// was, in order.
func TestEventsOfEverySizeAndShapeArriveAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conv := h.conversation()
	root := &models.Run{ID: store.NewID(), UserID: models.LocalUserID, ConversationID: conv.ID, AgentPath: RootPath}
	root.RootRunID = root.ID
	watch, err := h.runs.WatchConversation(t.Context(), models.LocalUserID, conv.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	if _, err := watch.Next(h.timeout()); err != nil { // the snapshot
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "<", "&", "\"", "\\", "\n", "\x00", "\u2028", "é", "😀", "\xff", "\\u003c"}
	sizes := []int{0, 1, 1000, eventlog.MaxData - 300, eventlog.MaxData, eventlog.MaxData + 1, 1<<20 - 1, 1 << 20,
		1<<20 + 1, 3 << 20}
	for range 30 {
		sizes = append(sizes, random.IntN(400<<10))
	}
	for i, size := range sizes {
		piece := alphabet[i%len(alphabet)]
		payload := any(map[string]any{"text": strings.Repeat(piece, size/len(piece)), "n": i})
		switch i % 3 {
		case 1:
			payload = map[string]any{"list": strings.Split(strings.Repeat(piece+",", size/(len(piece)+4)), ","), "n": i}
		case 2:
			payload = map[string]any{"nested": map[string]any{"deep": json.RawMessage(encode(payload))}, "n": i}
		}
		row := eventRow(EventUsage, root, payload)
		if err := h.store.Publish(t.Context(), []*models.Outbox{row}); err != nil {
			t.Fatal(err)
		}
		h.runs.send([]*models.Outbox{row})
		event, err := watch.Next(h.timeout())
		if err != nil {
			t.Fatalf("event %d of %d bytes: %v", i, len(row.Payload), err)
		}
		if string(event.Data) != string(row.Payload) || event.Type != EventUsage {
			t.Fatalf("event %d of %d bytes came as %s of %d bytes", i, len(row.Payload), event.Type, len(event.Data))
		}
	}
	if h.runs.sent.behind.Load() {
		t.Error("something was left behind")
	}
}

// Where the stored body is gone, the client learns the state that there is now.
func TestAnEventWhoseBodyIsGoneIsShownFromThePresentState(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("fine"))
	run := h.send(h.conversation(), strings.Repeat("long ", 100_000))
	h.events(run.ID)
	if n, err := h.store.PurgeEventBodies(t.Context(), models.Now()); err != nil || n == 0 {
		t.Fatalf("purged %d, %v", n, err)
	}
	seen := types(h.events(run.ID))
	if seen[0] != EventSnapshot || seen[len(seen)-1] != EventRunFinished {
		t.Errorf("%v", seen)
	}
}
