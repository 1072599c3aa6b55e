package runs

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/runs/eventlog/natstest"
	"nanoclaw/internal/store"
	"nanoclaw/internal/store/pgtest"
)

// newReplicas are two backends on one PostgreSQL database and one event log, with the same
// tools. Only the first one takes work, until the second one is opened.
func newReplicas(t *testing.T, lease time.Duration) (first, second *house) {
	t.Helper()
	first = newHouseOn(t, func(tb testing.TB, _ string) store.Options {
		return store.Options{URL: pgtest.URL(tb), MaxConnections: 8}
	})
	first.mu.Lock()
	first.settings.Lease = lease
	first.mu.Unlock()
	return first, first.replica()
}

// replica is another backend on the same database and event log; join opens it.
func (h *house) replica() *house {
	return &house{t: h.t, dir: h.dir, database: h.database, model: h.model, registry: h.registry, settings: h.settings,
		joined: h.log}
}

// join opens the second replica; it ends before the first one's event log.
func (h *house) join() {
	h.t.Helper()
	h.open()
	h.t.Cleanup(func() { h.close(context.WithoutCancel(h.t.Context())) })
}

// workWithNote makes the model call note once, wait for the gate, and answer.
func (h *house) workWithNote(gate *llmtest.Gate) {
	h.model.On(llmtest.User("work")).Func(func(r llmtest.Request) llmtest.Reply {
		switch r.Step() {
		case 1:
			return llmtest.Calls(llmtest.Call{Name: "note", Arguments: `{"line":"once"}`})
		case 2:
			return llmtest.Calls(llmtest.Call{Name: "look", Arguments: `{}`}).At(gate)
		}
		return llmtest.Text("saw {{last}}")
	})
}

// wantContinued fails unless the run ended well on the replica, and had its effect once.
func (h *house) wantContinued(first *house, runID string) {
	h.t.Helper()
	h.events(runID)
	ended, message := h.answer(runID)
	if ended.Status != models.RunCompleted || !strings.Contains(message.Text, `["once"]`) ||
		!slices.Equal(first.noted(), []string{"once"}) {
		h.t.Errorf("run %+v, message %q, notes %v", ended, message.Text, first.noted())
	}
}

// GR4: the runs of a replica that died go on elsewhere once its lease is over, and not
// before; no effect happens twice.
func TestADeadReplicasRunGoesOnElsewhere(t *testing.T) {
	t.Parallel()
	first, second := newReplicas(t, 2*time.Second)
	gate := llmtest.NewGate()
	first.workWithNote(gate)
	run := first.send(first.conversation(), "work")
	if err := first.model.WaitCalls(first.timeout(), 2); err != nil {
		t.Fatal(err)
	}
	dead, cancel := context.WithCancel(t.Context())
	cancel()
	first.runs.Shutdown(dead) // nothing is released
	stored, err := first.store.Run(t.Context(), "", run.ID)
	if err != nil || stored.Status != models.RunRunning || stored.LeaseUntil == 0 {
		t.Fatalf("the run %+v, %v: want one whose lease holds", stored, err)
	}
	gate.Release()
	second.join()
	second.wantContinued(first, run.ID)
	again, err := second.store.Run(t.Context(), "", run.ID)
	if err != nil || again.Attempt != 2 || !strings.HasPrefix(again.LeaseOwner, second.runs.Owner) {
		t.Errorf("the run %+v, %v", again, err)
	}
}

// GR4: a free worker takes a dead replica's run over by itself, without a work message, which
// might reach a process that is frozen.
func TestAFreeWorkerTakesALostRunWithoutAWorkMessage(t *testing.T) {
	t.Parallel()
	first, second := newReplicas(t, 2*time.Second)
	gate := llmtest.NewGate()
	first.workWithNote(gate)
	run := first.send(first.conversation(), "work")
	if err := first.model.WaitCalls(first.timeout(), 2); err != nil {
		t.Fatal(err)
	}
	second.join()
	before, err := second.store.Run(t.Context(), "", run.ID)
	if err != nil {
		t.Fatal(err)
	}
	dead, cancel := context.WithCancel(t.Context())
	cancel()
	first.runs.Shutdown(dead)
	gate.Release()
	second.wantContinued(first, run.ID)
	after, err := second.store.Run(t.Context(), "", run.ID)
	if err != nil || after.Attempt != 2 || after.EnqueueNo != before.EnqueueNo {
		t.Errorf("attempt %d, queued %d times, %v; before: %d times", after.Attempt, after.EnqueueNo, err,
			before.EnqueueNo)
	}
}

// GR4, GR9: a replica keeps its runs while something else of it waits for NATS.
func TestLeasesAreRenewedWhileNATSIsAway(t *testing.T) {
	t.Parallel()
	servers, err := natstest.Start(t.TempDir(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(servers.Stop)
	log, err := eventlog.Open(t.Context(), eventlog.Options{Servers: &eventlog.Servers{URLs: servers.URLs(), Prefix: "p"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	h := newHouse(t)
	h.close(t.Context())
	h.joined, h.settings.Lease, h.settings.ApprovalTimeout = log, 2*time.Second, 3*time.Second
	h.open()
	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	h.workWithNote(gate)
	h.model.On(llmtest.User("ask")).Reply(llmtest.Calls(llmtest.Call{Name: "note", Arguments: `{"line":"ask"}`}))
	run := h.send(h.conversation(), "work")
	if err := h.model.WaitCalls(h.timeout(), 2); err != nil {
		t.Fatal(err)
	}
	asking := h.send(h.conversation(), "ask")
	approval := h.waiting(asking.ID, 1)["ask"]
	servers.Stop()
	h.until("the approval expires, and its event waits for NATS", func() bool {
		now, err := h.store.GetApproval(t.Context(), models.LocalUserID, approval.ID)
		return err == nil && now.Status == models.ApprovalExpired
	})
	lease := func() models.Time {
		stored, err := h.store.Run(t.Context(), "", run.ID)
		if err != nil {
			t.Fatal(err)
		}
		return stored.LeaseUntil
	}
	for range 3 {
		before := lease()
		h.until("the lease is renewed", func() bool { return lease() > before })
	}
}

// GR4: a replica that is stopped hands its runs over at once, whatever its lease says.
func TestAStoppedReplicaHandsItsRunsOver(t *testing.T) {
	t.Parallel()
	first, second := newReplicas(t, time.Hour)
	gate := llmtest.NewGate()
	first.workWithNote(gate)
	run := first.send(first.conversation(), "work")
	if err := first.model.WaitCalls(first.timeout(), 2); err != nil {
		t.Fatal(err)
	}
	first.runs.Drain()
	second.join()
	gate.Release() // the step ends, and with it the first replica's part
	second.wantContinued(first, run.ID)
	if stored, err := second.store.Run(t.Context(), "", run.ID); err != nil || stored.LeaseOwner != second.runs.Owner {
		t.Errorf("the run %+v, %v", stored, err)
	}
}

// GR3: another replica than the one that works on a run cancels it.
func TestARunIsCancelledThroughAnotherReplica(t *testing.T) {
	t.Parallel()
	first, second := newReplicas(t, time.Hour)
	gate := llmtest.NewGate()
	first.workWithNote(gate)
	run := first.send(first.conversation(), "work")
	if err := first.model.WaitCalls(first.timeout(), 2); err != nil {
		t.Fatal(err)
	}
	second.join()
	if _, err := second.runs.Cancel(t.Context(), models.LocalUserID, run.ID); err != nil {
		t.Fatal(err)
	}
	second.events(run.ID)
	if ended, _ := second.answer(run.ID); ended.Status != models.RunCancelled {
		t.Errorf("the run is %s", ended.Status)
	}
	if stored, err := second.store.Run(t.Context(), "", run.ID); err != nil || stored.Attempt != 1 {
		t.Errorf("the run %+v, %v: it was taken from its worker", stored, err)
	}
}

// CH3, GR3: a replica that works on a run hears at once of a cancellation that
// another one was told: it need not ask the database for it.
func TestAReplicaHearsAtOnceWhatAnotherOneWasTold(t *testing.T) {
	t.Parallel()
	first := newHouseOn(t, func(tb testing.TB, _ string) store.Options {
		return store.Options{URL: pgtest.URL(tb), MaxConnections: 8}
	})
	first.close(t.Context())
	first.wishesEvery = time.Hour
	first.open()
	second := first.replica()
	gate := llmtest.NewGate()
	first.workWithNote(gate)
	run := first.send(first.conversation(), "work")
	if err := first.model.WaitCalls(first.timeout(), 2); err != nil {
		t.Fatal(err)
	}
	second.join()
	if _, err := second.runs.Cancel(t.Context(), models.LocalUserID, run.ID); err != nil {
		t.Fatal(err)
	}
	second.events(run.ID)
	if ended, _ := second.answer(run.ID); ended.Status != models.RunCancelled {
		t.Errorf("the run is %s", ended.Status)
	}
	if stored, err := second.store.Run(t.Context(), "", run.ID); err != nil || stored.Attempt != 1 {
		t.Errorf("the run %+v, %v: it was taken from its worker", stored, err)
	}
}

// GR3: a start of a replica takes no run away from one that works on it.
func TestAReplicaThatStartsLeavesOthersTheirRuns(t *testing.T) {
	t.Parallel()
	first, second := newReplicas(t, time.Hour)
	gate := llmtest.NewGate()
	first.workWithNote(gate)
	run := first.send(first.conversation(), "work")
	if err := first.model.WaitCalls(first.timeout(), 2); err != nil {
		t.Fatal(err)
	}
	second.join()
	gate.Release()
	second.wantContinued(first, run.ID)
	if stored, err := second.store.Run(t.Context(), "", run.ID); err != nil || stored.Attempt != 1 {
		t.Errorf("the run %+v, %v: it was taken from its worker", stored, err)
	}
}

// GR9: a client that resumes while the last events of a run wait to be sent, because NATS was
// away, is not told that it has seen all of them.
func TestAResumedStreamWaitsForEventsThatAreNotSentYet(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("work")).Reply(llmtest.Text("done"))
	run := h.send(h.conversation(), "work")
	events := h.events(run.ID)
	last := events[len(events)-1].Cursor
	stored, err := h.store.Run(t.Context(), "", run.ID)
	if err != nil {
		t.Fatal(err)
	}
	rows := []*models.Outbox{eventRow(EventRunFinished, stored, finishedPayload{Run: ViewRun(stored)})}
	if err := h.store.Publish(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if watch, err := h.runs.WatchRun(short, models.LocalUserID, run.ID, last); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a stream that begins before the last event is stored: %v, %v", watch, err)
	}
	h.runs.send(rows)
	watch, err := h.runs.WatchRun(t.Context(), models.LocalUserID, run.ID, last)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	if event, err := watch.Next(h.timeout()); err != nil || event.Type != EventRunFinished {
		t.Errorf("the stream goes on with %+v, %v", event, err)
	}
}

// GR9: while the database is away a run waits, and goes on behind what it has done.
func TestARunWaitsForADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	var line *pgtest.Connection
	h := newHouseOn(t, func(tb testing.TB, _ string) (o store.Options) {
		o.MaxConnections = 8
		o.URL, line = pgtest.Line(tb, pgtest.URL(tb))
		return o
	})
	gate := llmtest.NewGate()
	h.workWithNote(gate)
	run := h.send(h.conversation(), "work")
	if err := h.model.WaitCalls(h.timeout(), 2); err != nil {
		t.Fatal(err)
	}
	line.Cut()
	gate.Release()
	if _, err := h.runs.StartTurn(t.Context(), StartRequest{UserID: models.LocalUserID,
		ConversationID: run.ConversationID, Text: "x"}); !store.IsCode(err, store.CodeUnavailable) {
		t.Errorf("a start while the database is away: %v", err)
	}
	line.Restore()
	h.wantContinued(h, run.ID)
}
