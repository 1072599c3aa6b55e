package executor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

var errLost = errors.New("the lease is lost")

// CH5: a worker that lost its run writes nothing and runs nothing more.
func TestACallWhoseStartIsNotRecordedDoesNotRunAndEndsTheBatch(t *testing.T) {
	t.Parallel()
	for name, process := range map[string]func(*Executor, context.Context, Env, Batch) ([]Outcome, error){
		"in order": (*Executor).Process, "in parallel": (*Executor).ProcessParallel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.journal.failStart = func(inv tools.Invocation) error {
				if inv.ID == "b" {
					return errLost
				}
				return nil
			}
			outcomes, err := process(b.Executor, t.Context(), b.env, calls(
				`write {"cell":"x","text":"1"}`, `write {"cell":"x","text":"2"}`, `write {"cell":"x","text":"3"}`))
			if !errors.Is(err, errLost) {
				t.Fatalf("error: %v", err)
			}
			if got := b.world.get("p1", "x"); got != "1" || b.world.ran("write") != 1 {
				t.Errorf("cell %q after %d writes", got, b.world.ran("write"))
			}
			if !outcomes[0].Record.Success || !outcomes[1].Unrecorded || !outcomes[2].Unrecorded {
				t.Errorf("outcomes: %+v", outcomes)
			}
		})
	}
}

// CH5
func TestALostLeaseStopsTheCallsBesideIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.with("long", tools.Reads, func(ctx context.Context, _ tools.Call) (any, error) {
			<-ctx.Done()
			return nil,
				ctx.Err()
		})
		b.journal.failStart = func(inv tools.Invocation) error {
			if inv.ID == "b" {
				return errLost
			}
			return nil
		}
		if _, err := b.ProcessParallel(t.Context(), b.env, calls("long", `add {"a":1,"b":1}`)); !errors.Is(err,
			errLost) {
			t.Errorf("error: %v", err)
		}
	})
}

// failingJournal fails or panics where it is told to.
type failingJournal struct {
	noJournal
	finish, suspend error
	panics          bool
}

func (j failingJournal) CallFinished(context.Context, tools.Record) error {
	if j.panics {
		panic("journal")
	}
	return j.finish
}

func (j failingJournal) CallSuspended(context.Context, Suspension) error {
	return j.suspend
}

func TestAJournalThatFailsEndsTheBatch(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		journal failingJournal
		say     string
	}{
		"when a call finishes":    {failingJournal{finish: errLost}, "record call a of add: the lease is lost"},
		"when a call waits":       {failingJournal{suspend: errLost}, "suspend call b of write: the lease is lost"},
		"with a panic of its own": {failingJournal{panics: true}, "call a of add: panic: journal"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := guarded(t, map[string]guard.Decision{"write": asks})
			b.env.Journal = c.journal
			_, err := b.ProcessParallel(t.Context(), b.env, calls(`add {"a":1,"b":1}`, `write {"cell":"x"}`))
			if err == nil || !strings.Contains(err.Error(), c.say) {
				t.Errorf("error: %v", err)
			}
		})
	}
}

// EX6, FS5
func TestEveryFinishedCallIsAuditedOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var entries []AuditEntry
	g := &scriptedGuard{answers: map[string]guard.Decision{
		"deny": {Verdict: guard.Deny, Findings: []guard.Finding{{ID: "rule"}}},
		"ask":  asks, "granted": asks,
	}}
	b := newBench(t, func(o *Options) {
		o.Guard = g
		o.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
		o.Audit = func(_ context.Context, e AuditEntry) {
			mu.Lock()
			defer mu.Unlock()
			entries = append(entries, e)
		}
	})
	b.env.Call.UserID = "u1"
	batch := calls(`write {"cell":"hunter2","text":"granted"}`, `write {"cell":"x","text":"deny"}`, `add {"a":1,"b":1}`,
		`add {"a":1,"b":1}`,
		"unknown {", "fail", `read {"cell":"x"}`, `write {"cell":"x","text":"ask"}`)
	batch.Granted = map[string]guard.Grant{"a": {Approved: true, By: "u2",
		Hash: hashOf(`{"cell":"hunter2","project_id":"p1","text":"granted"}`)}}
	batch.Done = map[string]tools.Record{"g": {ID: "g"}}
	if _, err := b.Process(t.Context(), b.env, batch); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if e.UserID != "u1" || e.ConversationID != "c1" || e.ProjectID != "p1" || e.AgentPath != "main" ||
			e.Time.IsZero() {
			t.Errorf("entry: %+v", e)
		}
		got = append(got, strings.Join([]string{e.CallID, e.Tool, e.Arguments, e.Code, string(e.Verdict), e.DecidedBy,
			e.DuplicateOf}, "|"))
	}
	want := []string{
		`a|write|{"cell":"***","project_id":"p1","text":"granted"}||needs_approval|u2|`,
		`b|write|{"cell":"x","project_id":"p1","text":"deny"}|blocked|deny||`,
		`c|add|{"a":1,"b":1}||allow||`,
		`d|add|{"a":1,"b":1}||||c`,
		`e|unknown|{|unknown_tool|||`,
		`f|fail|{}|not_found|allow||`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("audit:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
