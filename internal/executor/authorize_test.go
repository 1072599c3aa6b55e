package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// scriptedGuard answers by the text argument, or else the tool's name, and remembers what it was asked.
type scriptedGuard struct {
	mu      sync.Mutex
	answers map[string]guard.Decision
	asked   []string
}

func (g *scriptedGuard) Check(_ context.Context, c guard.Call) (guard.Decision, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, c.Call.ID)
	for _, key := range []string{fmt.Sprint(c.Args["text"]), c.Tool.Name} {
		switch key {
		case "panic":
			panic("guard")
		case "error":
			return guard.Decision{Verdict: guard.Allow}, errors.New("no rules")
		}
		if d, found := g.answers[key]; found {
			return d, nil
		}
	}
	return guard.Decision{Verdict: guard.Allow}, nil
}

func guarded(t *testing.T, answers map[string]guard.Decision) (*bench, *scriptedGuard) {
	g := &scriptedGuard{answers: answers}
	return newBench(t, func(o *Options) { o.Guard = g }), g
}

// state is what became of each call: "ok", a code, "suspended" or "deferred".
func state(t *testing.T, outcomes []Outcome) string {
	var all []string
	for _, o := range outcomes {
		switch {
		case o.Deferred && o.Suspended:
			all = append(all, "deferred")
		case o.Suspended:
			all = append(all, "suspended")
		case o.Record.Success:
			all = append(all, "ok")
		default:
			all = append(all, resultOf(t, o).Code)
		}
	}
	return strings.Join(all, " ")
}

var asks = guard.Decision{Verdict: guard.NeedsApproval}

// TG1, TG3
func TestWhatTheGuardDoesNotAllowDoesNotRun(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b, _ := guarded(t, map[string]guard.Decision{
			"bad":     {Verdict: guard.Deny, Reason: "this would delete everything"},
			"found":   {Verdict: guard.Deny, Findings: []guard.Finding{{Message: "a secret path"}}},
			"mute":    {Verdict: guard.Deny},
			"unheard": {Verdict: "maybe"},
			"none":    {},
			"known":   {Verdict: guard.Preapproved},
		})
		var lines []string
		for _, text := range []string{"bad", "found", "mute", "unheard", "none", "panic", "error", "known"} {
			lines = append(lines, fmt.Sprintf(`write {"cell":"x","text":%q}`, text))
		}
		outcomes := process(b, calls(lines...))
		if got := state(t, outcomes); got != "blocked blocked blocked blocked blocked blocked blocked ok" {
			t.Errorf("states: %s", got)
		}
		for i, say := range []string{"this would delete everything", "a secret path", "security rules",
			"security rules", "security rules", "security check of this call failed",
			"security check of this call failed"} {
			if r := resultOf(t, outcomes[i]); !strings.Contains(r.Error, say) {
				t.Errorf("%s: %s", lines[i], r.Error)
			}
		}
		if b.world.get("p1", "x") != "known" || b.world.ran("write") != 1 {
			t.Errorf("cell %q after %d writes", b.world.get("p1", "x"), b.world.ran("write"))
		}
	})
}

// TG1, EX1, EX2
func TestACallThatNeedsApprovalHoldsOnlyWhatMustComeAfterIt(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		lines []string
		want  string
		asked string // the guard, about these
		waits int    // for a person
	}{
		"a write holds what comes later": {
			[]string{`read {"cell":"x"}`, `write {"cell":"x","text":"ask"}`, `read {"cell":"x"}`, `add {"a":1,"b":1}`,
				`write {"cell":"y","text":"1"}`, "clock", "unknown"},
			"ok suspended deferred ok deferred deferred unknown_tool", "abcdef", 1},
		"a read holds later writes and what comes after them": {
			[]string{`read {"cell":"x","text":"ask"}`, `read {"cell":"y"}`, `write {"cell":"x","text":"1"}`,
				`read {"cell":"z"}`, `add {"a":1,"b":1}`},
			"suspended ok deferred deferred ok", "abcde", 1},
		"a duplicate waits with its first": {
			[]string{`write {"cell":"x","text":"ask"}`, `write {"text":"ask","cell":"x"}`},
			"suspended deferred", "a", 1},
		"each that needs it is asked about at once": {
			[]string{`write {"cell":"x","text":"ask"}`, `write {"cell":"y","text":"1"}`,
				`write {"cell":"z","text":"ask"}`, `write {"cell":"z","text":"deny"}`},
			"suspended deferred suspended blocked", "abcd", 2},
		"a blocked call holds nothing": {
			[]string{`write {"cell":"x","text":"deny"}`, `read {"cell":"x"}`},
			"blocked ok", "ab", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
				b, g := guarded(t, map[string]guard.Decision{"ask": asks, "deny": {Verdict: guard.Deny}})
				outcomes := process(b, calls(c.lines...))
				if got := state(t, outcomes); got != c.want {
					t.Errorf("states: %s, want %s", got, c.want)
				}
				if got := strings.Join(g.asked, ""); got != c.asked {
					t.Errorf("asked about %s, want %s", got, c.asked)
				}
				suspended := slices.DeleteFunc(b.journal.all(), func(e string) bool {
					return !strings.HasPrefix(e,
						"suspended")
				})
				if len(suspended) != c.waits {
					t.Errorf("journal: %v", suspended)
				}
			})
		})
	}
}

// TG4, CH5
func TestADecisionLetsTheBatchGoOn(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		grant   guard.Grant
		answers map[string]guard.Decision
		want    string
		cell    string
		say     string
	}{
		"approved": {guard.Grant{Approved: true, By: "u"}, map[string]guard.Decision{"write": asks},
			"ok ok ok", "1", ""},
		"approved with edits": {guard.Grant{Approved: true, By: "u", Arguments: `{"cell":"x","text":"2"}`},
			map[string]guard.Decision{"write": asks}, "ok ok ok", "2", ""},
		"edits that are wrong": {guard.Grant{Approved: true, By: "u", Arguments: `{"cell":`},
			map[string]guard.Decision{"write": asks}, "invalid_arguments suspended deferred", "", "not complete"},
		"denied with a reason": {guard.Grant{By: "u", Reason: "use another name"},
			map[string]guard.Decision{"write": asks}, "denied denied ok", "", "use another name"},
		"denied": {guard.Grant{By: "u"}, map[string]guard.Decision{"write": asks}, "denied denied ok", "",
			"the user denied"},
		"expired": {guard.Grant{}, map[string]guard.Decision{"write": asks}, "denied denied ok", "",
			"not approved in time"},
		"approved for others": {guard.Grant{Approved: true, By: "u", Arguments: `{"cell":"z","text":"3"}`},
			map[string]guard.Decision{"write": asks}, "suspended deferred deferred", "", ""},
		"forbidden meanwhile": {guard.Grant{Approved: true, By: "u"},
			map[string]guard.Decision{"write": {Verdict: guard.Deny}}, "blocked blocked ok", "", "security rules"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
				b, _ := guarded(t, c.answers)
				batch := calls(`write {"cell":"x","text":"1"}`, `write {"text":"1","cell":"x"}`, `read {"cell":"x"}`)
				if strings.Contains(c.grant.Arguments, "2") {
					batch.Calls[1].Arguments = c.grant.Arguments
				}
				grant := c.grant
				grant.Hash = hashOf(`{"cell":"x","project_id":"p1","text":"` + firstOf(c.cell, "1") + `"}`)
				batch.Granted = map[string]guard.Grant{"a": grant}
				outcomes := process(b, batch)
				if got := state(t, outcomes); got != c.want {
					t.Errorf("states: %s, want %s", got, c.want)
				}
				if got := b.world.get("p1", "x"); got != c.cell {
					t.Errorf("cell %q", got)
				}
				if !strings.Contains(outcomes[0].Record.Result, c.say) {
					t.Errorf("result: %s", outcomes[0].Record.Result)
				}
			})
		})
	}
}

// EX3, EX6
func TestTheGuardIsAskedBeforeTheCache(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b, g := guarded(t, map[string]guard.Decision{})
		b.env.Journal = nil
		process(b, calls(`add {"a":1,"b":1}`))
		g.answers["add"] = guard.Decision{Verdict: guard.Deny}
		if got := state(t, process(b, calls(`add {"a":1,"b":1}`))); got != "blocked" {
			t.Errorf("state: %s", got)
		}
	})
}

// overlapGuard notices when it is asked about two calls of one conversation at once.
type overlapGuard struct {
	mu      sync.Mutex
	inside  map[string]int
	overlap bool
	entered chan string
	leave   chan struct{}
}

func (g *overlapGuard) Check(_ context.Context, c guard.Call) (guard.Decision, error) {
	g.enter(c.Call.ConversationID, 1)
	defer g.enter(c.Call.ConversationID, -1)
	g.entered <- c.Call.ConversationID
	<-g.leave
	return guard.Decision{Verdict: guard.Allow}, nil
}

func (g *overlapGuard) enter(conversation string, by int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside[conversation] += by
	g.overlap = g.overlap || g.inside[conversation] > 1
}

// TG1
func TestCallsOfOneConversationAreJudgedOneAfterTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := &overlapGuard{inside: map[string]int{}, entered: make(chan string, 3), leave: make(chan struct{})}
		b := newBench(t, func(o *Options) { o.Guard = g })
		b.env.Journal = nil
		var wg sync.WaitGroup
		for _, conversation := range []string{"c1", "c1", "c2"} {
			env := b.env
			env.Call.ConversationID = conversation
			wg.Go(func() {
				if _, err := b.ProcessParallel(t.Context(), env, calls(`add {"a":1,"b":1}`)); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if first, second := <-g.entered, <-g.entered; first == second || len(g.entered) != 0 {
			t.Errorf("judged at once: %s, %s and %d more", first, second, len(g.entered))
		}
		for range 3 {
			g.leave <- struct{}{}
		}
		wg.Wait()
		if g.overlap || len(b.authorizing.locks) != 0 {
			t.Errorf("overlap %v, %d locks are kept", g.overlap, len(b.authorizing.locks))
		}
	})
}

// TG4
func TestTheGuardLearnsWhatItJudges(t *testing.T) {
	t.Parallel()
	var seen guard.Call
	b := newBench(t, func(o *Options) {
		o.Guard = guardFunc(func(_ context.Context, c guard.Call) (guard.Decision, error) {
			seen = c
			return guard.Decision{Verdict: guard.Allow}, nil
		})
	})
	if _, err := b.Process(t.Context(), b.env, calls(`write {"text":"1","cell":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if string(seen.Canonical) != `{"cell":"x","project_id":"p1","text":"1"}` || seen.Tool.Effect != tools.Writes ||
		seen.Call.ID != "a" || seen.Call.AgentPath != "main" || seen.Granted != nil {
		t.Errorf("the guard saw %+v, %s", seen, seen.Canonical)
	}
}

// hashOf is what an approval of a write with these canonical arguments is bound to.
func hashOf(canonical string) string { return guard.ArgumentsHash("write", []byte(canonical)) }

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

type guardFunc func(context.Context, guard.Call) (guard.Decision, error)

func (f guardFunc) Check(ctx context.Context, c guard.Call) (guard.Decision, error) { return f(ctx, c) }
