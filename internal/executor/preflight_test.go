package executor

import (
	"context"
	"testing"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// withPreflight is a bench with the tool "erase", which asks and cannot erase an
// empty cell. Whether it may look at one is up to the tool "read".
func withPreflight(t *testing.T, answers map[string]guard.Decision) (*bench, *scriptedGuard) {
	t.Helper()
	if _, found := answers["erase"]; !found {
		answers["erase"] = asks
	}
	b, g := guarded(t, answers)
	b.registry.Register(tools.Define("erase", "Empties a cell.", func(_ context.Context, _ tools.Call,
		a cellArgs) (string, error) {
		b.world.count("erase")
		b.world.set(a.ProjectID, a.Cell, "")
		return "erased", nil
	}, tools.Effect(tools.Writes), tools.Preflight(func(ctx context.Context, call tools.Call, a cellArgs) error {
		switch {
		case a.Cell == "outside":
			return tools.Errorf("access_denied", "the cell lies outside")
		case a.Cell == "broken":
			panic("a defect")
		case a.Cell == "unsure":
			return context.DeadlineExceeded
		case !call.MayLook(ctx, "read", map[string]any{"cell": a.Cell}):
			return nil
		case b.world.get(a.ProjectID, a.Cell) == "":
			return tools.Errorf("not_found", "the cell is empty")
		}
		return nil
	})))
	return b, g
}

// EX1 TG1: nobody is asked about a call that cannot succeed; a preflight that
// fails or cannot tell leaves the call to the person.
func TestNobodyIsAskedAboutACallThatCannotSucceed(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		for _, c := range []struct {
			name    string
			answers map[string]guard.Decision
			lines   []string
			want    string
		}{
			{"fails at once", nil, []string{`erase {"cell":"outside"}`, `erase {"cell":"x"}`},
				"access_denied not_found"},
			{"a call that may succeed asks", nil, []string{`erase {"cell":"full"}`}, "suspended"},
			{"a preflight that panics or runs out of time asks", nil, []string{`erase {"cell":"broken"}`,
				`erase {"cell":"unsure"}`}, "suspended suspended"},
			{"what the guard asks about is not looked at", map[string]guard.Decision{"read": asks},
				[]string{`erase {"cell":"x"}`, `erase {"cell":"outside"}`}, "suspended access_denied"},
			{"what the guard denies is denied", map[string]guard.Decision{"erase": {Verdict: guard.Deny}},
				[]string{`erase {"cell":"x"}`}, "blocked"},
			{"an earlier write of the batch may change it", nil, []string{`write {"cell":"x","text":"1"}`,
				`erase {"cell":"x"}`}, "ok suspended"},
			{"an earlier call that failed changes nothing", nil, []string{`erase {"cell":"outside"}`,
				`erase {"cell":"x"}`}, "access_denied not_found"},
			{"a call that runs unasked has no preflight", map[string]guard.Decision{"erase": {Verdict: guard.Allow}},
				[]string{`erase {"cell":"outside"}`}, "ok"},
		} {
			answers := c.answers
			if answers == nil {
				answers = map[string]guard.Decision{}
			}
			b, _ := withPreflight(t, answers)
			b.world.set("p1", "full", "text")
			if got := state(t, process(b, calls(c.lines...))); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	})
}

// TG3: a tool that the agent may not use is not looked with.
func TestAPreflightLooksOnlyWithToolsOfTheAgent(t *testing.T) {
	t.Parallel()
	b, _ := withPreflight(t, map[string]guard.Decision{})
	b.env.Refuse = func(tool string) error {
		if tool == "read" {
			return tools.Errorf(tools.CodeBlocked, "no")
		}
		return nil
	}
	outcomes, err := b.Process(t.Context(), b.env, calls(`erase {"cell":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := state(t, outcomes); got != "suspended" {
		t.Errorf("states: %s", got)
	}
}
