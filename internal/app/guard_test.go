package app

import (
	"context"
	"errors"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/sandbox/commandpolicy"
	"nanoclaw/internal/tools"
)

// SH4: what only a person can decide runs with an approval; what is refused, by a
// rule or a list, never does; and without a guard nothing risky runs.
func TestTheShellLeavesToAPersonWhatOnlyAPersonCanDecide(t *testing.T) {
	t.Parallel()
	open := config.Default()
	host := config.Default()
	host.Shell.Policy = "host"
	denying := config.Default()
	denying.Shell.Deny = []string{"ssh"}
	allowing := config.Default()
	allowing.Shell.Mode, allowing.Shell.Allow = "allowlist", []string{"ls"}
	for _, test := range []struct {
		c                          *config.Config
		line                       string
		unjudged, judged, approved bool // whether it runs
	}{
		{open, "ls", true, true, true},
		{open, "sudo ls", true, true, true}, // it ends with the sandbox
		// a rule asks; the guard, which knows the rules in force, decides
		{host, "sudo ls", false, true, true},
		{open, "git reset --hard", false, true, true}, // it outlives the sandbox
		{open, "rm -rf /", false, false, false},
		{open, "echo \"unbalanced", true, true, true}, // bash says what is wrong
		{denying, "bash script.sh", false, false, true},
		{denying, "ssh host", false, false, false},
		{denying, "$X host", false, false, true},
		{allowing, "ls -la", true, true, true},
		{allowing, "cat x", false, false, false},
		{allowing, "bash script.sh", false, false, false},
	} {
		for cleared, want := range map[tools.Clearance]bool{"": test.unjudged, tools.Judged: test.judged,
			tools.Approved: test.approved} {
			err := checkCommand(test.c, test.line, cleared)
			var refused *commandpolicy.RefusedError
			if (err == nil) != want || err != nil && !errors.As(err, &refused) {
				t.Errorf("%q with clearance %q: %v, want it to run: %v", test.line, cleared, err, want)
			}
		}
	}
}

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
		if err := checkCommand(c, line, tools.Judged); err != nil {
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
