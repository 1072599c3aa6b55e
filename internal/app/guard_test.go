package app

import (
	"context"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/programs"
	"nanoclaw/internal/tools"
)

// SH4, TG3: the guard of the server asks where a deny-list cannot decide, and
// refuses what an allow-list does not name.
func TestTheGuardKnowsTheListsOfCommands(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Shell.Deny = []string{"ssh"}
	g := guardOf(t, config.Fixed(c))
	for line, want := range map[string]guard.Verdict{"ls": guard.Allow, "ssh host": guard.Deny,
		"bash script.sh": guard.NeedsApproval} {
		if decision := judgeCommand(t, g, line); decision.Verdict != want {
			t.Errorf("%s: %+v, want %s", line, decision, want)
		}
	}
}

// SH6: at the server's own level, the commands that have to return at once are not
// held back for a person, and the tool's own rules let them through, too.
func TestWhatReturnsAtOncePassesTheGuardOfTheServer(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guard.Level = guard.Auto
	g := guardOf(t, config.Fixed(c))
	for _, line := range []string{"printf foo", "cat", "read x", `echo "unbalanced`, "exit 3", "python3 -c 'input()'",
		"cat <<EOF\nnever closed", "sleep 100 &"} {
		if decision := judgeCommand(t, g, line); decision.Verdict != guard.Allow {
			t.Errorf("%q: %+v, want it to pass", line, decision)
		}
		if err := programs.CheckCommand(c, line, tools.Allowed); err != nil {
			t.Errorf("%q: the tool refuses it: %v", line, err)
		}
	}
}

// TG2: what the server keeps for itself is its own wherever it lies: the trash of
// projects and the versions of their files.
func TestTheTrashAndTheVersionsAreTheServersOwn(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.DataDir, c.WorkspaceRoot, c.Guard.Level = "/srv/claw/data", "/srv/claw/projects", guard.Auto
	g := guardOf(t, config.Fixed(c))
	for line, want := range map[string]guard.Verdict{
		"cat /srv/claw/projects/.trash/p/x": guard.NeedsApproval, "ls /srv/claw/data/versions": guard.NeedsApproval,
		"cat ../../../srv/claw/data/nanoclaw.db": guard.NeedsApproval,
		"cd /srv/claw && cat data/nanoclaw.db":   guard.NeedsApproval, "ls /srv/claw/projects/p": guard.Allow,
	} {
		if decision := judgeCommand(t, g, line); decision.Verdict != want {
			t.Errorf("%s: %+v, want %s", line, decision, want)
		}
	}
}

// TG2: a changed config.yml holds from the next check on; one whose rules are
// wrong leaves the old ones in force.
func TestTheGuardFollowsTheConfiguration(t *testing.T) {
	t.Parallel()
	live := config.Fixed(config.Default())
	g := guardOf(t, live)
	if decision := judgeCommand(t, g, "ls"); decision.Verdict != guard.Allow {
		t.Fatalf("before: %+v", decision)
	}
	changed := config.Default()
	changed.Guard.Rules = []config.GuardRule{{ID: "ls", Tool: "shell_execute", Command: "ls", Severity: "LOW",
		Action: "deny"}}
	if err := g.configure(live, changed); err != nil {
		t.Fatal(err)
	}
	if decision := judgeCommand(t, g, "ls"); decision.Verdict != guard.Deny {
		t.Errorf("after: %+v, want a denial", decision)
	}
	broken := config.Default()
	broken.Guard.Rules = []config.GuardRule{{ID: "x", Tool: "*", Pattern: "(", Severity: "LOW", Action: "ask"}}
	if err := g.configure(live, broken); err == nil {
		t.Error("broken rules are taken")
	}
	if decision := judgeCommand(t, g, "ls"); decision.Verdict != guard.Deny {
		t.Errorf("after a broken change: %+v, want the rules before", decision)
	}
}

func guardOf(t *testing.T, live *config.Live) *toolGuard {
	t.Helper()
	g, err := newGuard(&App{Live: live}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func judgeCommand(t *testing.T, g *toolGuard, line string) guard.Decision {
	t.Helper()
	decision, err := g.Check(context.Background(), guard.Call{
		Tool: &tools.Tool{Name: "shell_execute", Category: "shell", Effect: tools.Writes},
		Args: map[string]any{"command": line},
		Call: tools.Call{ID: "c", Tool: "shell_execute"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return decision
}
