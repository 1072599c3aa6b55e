package guard

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// record is a ledger for tests.
type record struct {
	standing                map[string]string // approval ids by hash
	permissions             []Permission      // of any call
	inRun, inConversation   map[string]int
	standingErr, callsError error
}

func (r record) Standing(_ context.Context, _ tools.Call, _, hash string) ([]Permission, error) {
	permissions := r.permissions
	if id, found := r.standing[hash]; found {
		permissions = append(permissions, Permission{ID: id, ApprovalID: id, Coverage: Coverage{Covers: CoversCall}})
	}
	return permissions, r.standingErr
}

func (r record) Calls(_ context.Context, _ tools.Call, tool string) (int, int, error) {
	return r.inRun[tool], r.inConversation[tool], r.callsError
}

func check(t *testing.T, e *Engine, call Call) Decision {
	t.Helper()
	decision, err := e.Check(context.Background(), call)
	if err != nil {
		t.Fatal(err)
	}
	return decision
}

func pureCall() Call {
	return toolCall("calculator", "data", tools.Pure, map[string]any{"expression": "1+1"})
}

// TG3: what each level does with calls of each severity.
func TestEveryLevelDecidesByTheWorstFinding(t *testing.T) {
	t.Parallel()
	calls := map[string]Call{
		"none": pureCall(), "info": shellCall("echo \"unbalanced"), "low": shellCall(": > app.db"),
		"medium": shellCall("git reset --hard"),
		"high":   shellCall("cat ~/.ssh/id_rsa"), "denied": shellCall("rm -rf /"),
	}
	want := map[string]map[string]Verdict{
		Strict: {"none": NeedsApproval, "info": NeedsApproval, "low": NeedsApproval, "medium": NeedsApproval,
			"high": NeedsApproval, "denied": Deny},
		Auto: {"none": Allow, "info": Allow, "low": NeedsApproval, "medium": NeedsApproval, "high": NeedsApproval,
			"denied": Deny},
		Smart: {"none": Allow, "info": Allow, "low": Allow, "medium": NeedsApproval, "high": NeedsApproval,
			"denied": Deny},
		Off: {"none": Allow, "info": Allow, "low": Allow, "medium": Allow, "high": Allow, "denied": Deny},
	}
	for level, verdicts := range want {
		engine := newEngine(t, Settings{Guard: config.Guard{Level: level}}, nil)
		for kind, verdict := range verdicts {
			decision := check(t, engine, calls[kind])
			if decision.Verdict != verdict {
				t.Errorf("level %s, a call with findings %s: %s, want %s (%+v)", level, kind, decision.Verdict, verdict,
					decision.Findings)
			}
			if kind != "none" && len(decision.Findings) == 0 {
				t.Errorf("level %s, %s: the finding is not shown", level, kind)
			}
			if verdict != Allow && decision.Reason == "" {
				t.Errorf("level %s, %s: there is no reason", level, kind)
			}
		}
	}
}

// TG1: what is denied cannot be approved: not by a grant, not by an earlier
// approval, not by the level off.
func TestADenialCannotBeApproved(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		settings Settings
		call     Call
		ledger   record
	}{
		"denied tool": {settings: Settings{Guard: config.Guard{DeniedTools: []string{"calc*"}}}, call: pureCall()},
		"deny rule":   {call: shellCall("mkfs.ext4 /dev/sda")},
		"custom deny": {settings: Settings{Guard: config.Guard{Rules: []config.GuardRule{{ID: "x", Tool: "*",
			Pattern: `1\+1`, Severity: "INFO", Action: "deny"}}}}, call: pureCall()},
		"limit": {settings: Settings{Limits: config.ToolLimits{PerRun: map[string]int{"calculator": 2}}},
			call: pureCall(), ledger: record{inRun: map[string]int{"calculator": 2}}},
		"permission": {settings: Settings{Guard: config.Guard{Permissions: []config.Permission{{Allow: []string{"read"}}}}},
			call: toolCall("file_write", "file", tools.Writes, map[string]any{"path": "a", "content": ""})},
		"shell list": {settings: Settings{Command: func(
			string) CommandAnswer {
			return CommandAnswer{Refused: "not on the list"}
		}}, call: shellCall("ls")},
	} {
		for _, level := range []string{Strict, Smart, Auto, Off} {
			test.settings.Guard.Level = level
			ledger := test.ledger
			ledger.standing = map[string]string{ArgumentsHash(test.call.Tool.Name, test.call.Canonical): "a1"}
			engine := newEngine(t, test.settings, ledger)
			for _, grant := range []*Grant{nil, {Approved: true, By: "user"}} {
				test.call.Granted = grant
				if decision := check(t, engine, test.call); decision.Verdict != Deny || decision.Reason == "" {
					t.Errorf("%s at level %s, grant %v: %+v, want a denial with a reason", name, level, grant, decision)
				}
			}
		}
	}
}

// TG1, TG4: an earlier approval counts for exactly its tool and arguments.
func TestAStandingApprovalCountsForItsArgumentsAlone(t *testing.T) {
	t.Parallel()
	foo, bar := shellCall("rm -r foo"), shellCall("rm -r bar")
	ledger := record{standing: map[string]string{ArgumentsHash("shell_execute", foo.Canonical): "a1"}}
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, ledger)
	if decision := check(t, engine, foo); decision.Verdict != Preapproved || decision.ApprovalID != "a1" {
		t.Errorf("rm -r foo: %+v, want preapproved by a1", decision)
	}
	if decision := check(t, engine, bar); decision.Verdict != NeedsApproval {
		t.Errorf("rm -r bar: %+v, want a question", decision)
	}
	if ArgumentsHash("a", []byte("bc")) == ArgumentsHash("ab", []byte("c")) {
		t.Error("two calls have the same hash")
	}
}

// TG1: guarded tools ask, but at level off.
func TestGuardedToolsAsk(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]Verdict{Auto: NeedsApproval, Smart: NeedsApproval, Strict: NeedsApproval,
		Off: Allow} {
		engine := newEngine(t, Settings{Guard: config.Guard{Level: level, GuardedTools: []string{"calculator"}}}, nil)
		if decision := check(t, engine, pureCall()); decision.Verdict != want {
			t.Errorf("level %s: %s, want %s", level, decision.Verdict, want)
		}
	}
}

// brokenGuardian fails in one of the ways of foreign code.
type brokenGuardian struct{ panics bool }

func (brokenGuardian) name() string { return "broken" }

func (b brokenGuardian) check(context.Context, *inspection) ([]finding, error) {
	if b.panics {
		panic("a defect")
	}
	return nil, errors.New("no connection")
}

// TG3: a guardian that panics or fails denies, at every level and with a grant.
func TestAGuardianThatFailsDenies(t *testing.T) {
	t.Parallel()
	for _, panics := range []bool{true, false} {
		for _, level := range []string{Strict, Smart, Auto, Off} {
			engine := newEngine(t, Settings{Guard: config.Guard{Level: level}}, nil)
			engine.guardians = append(engine.guardians, brokenGuardian{panics})
			call := pureCall()
			call.Granted = &Grant{Approved: true}
			decision := check(t, engine, call)
			if decision.Verdict != Deny || !strings.Contains(decision.Reason, "guardian broken") {
				t.Errorf("level %s, panics %v: %+v, want a denial that names the guardian", level, panics, decision)
			}
		}
	}
}

// TG3: what the guard rests on fails closed, too.
func TestALedgerAndSettingsThatFailLetNothingThrough(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Strict}}, record{standingErr: errors.New("no database")})
	if decision, err := engine.Check(context.Background(), pureCall()); err == nil {
		t.Errorf("an approval that cannot be looked up: %+v, want an error", decision)
	}
	engine = newEngine(t, Settings{Guard: config.Guard{Level: Off},
		Limits: config.ToolLimits{PerRun: map[string]int{"*": 9}}}, record{callsError: errors.New("no database")})
	if decision := check(t, engine, pureCall()); decision.Verdict != Deny {
		t.Errorf("calls that cannot be counted: %+v, want a denial", decision)
	}
	broken, err := New(Options{Settings: func() Settings { return Settings{Guard: config.Guard{Level: "lax"}} }})
	if err != nil {
		t.Fatal(err)
	}
	if decision := check(t, broken, pureCall()); decision.Verdict != Deny {
		t.Errorf("a level that nobody knows: %+v, want a denial", decision)
	}
}

// SH10: tool_limits hold per run and per conversation, per tool and for all.
func TestToolLimitsHold(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		limits config.ToolLimits
		made   record
		want   Verdict
	}{
		"below the run's": {config.ToolLimits{PerRun: map[string]int{"calculator": 3}},
			record{inRun: map[string]int{"calculator": 2}}, Allow},
		"at the run's": {config.ToolLimits{PerRun: map[string]int{"calculator": 3}},
			record{inRun: map[string]int{"calculator": 3}}, Deny},
		"at the conversation's": {config.ToolLimits{PerConversation: map[string]int{"calculator": 3}},
			record{inConversation: map[string]int{"calculator": 3}}, Deny},
		"any tool, run": {config.ToolLimits{PerRun: map[string]int{"*": 3}},
			record{inRun: map[string]int{"*": 3}}, Deny},
		"any, conversation": {config.ToolLimits{PerConversation: map[string]int{"*": 3}},
			record{inConversation: map[string]int{"*": 7}}, Deny},
		"another tool's": {config.ToolLimits{PerRun: map[string]int{"weather": 1}},
			record{inRun: map[string]int{"calculator": 9, "weather": 9}}, Allow},
		"none": {config.ToolLimits{PerRun: map[string]int{"calculator": 0}},
			record{inRun: map[string]int{"calculator": 9}}, Allow},
	} {
		engine := newEngine(t, Settings{Guard: config.Guard{Level: Off}, Limits: test.limits}, test.made)
		if decision := check(t, engine, pureCall()); decision.Verdict != test.want {
			t.Errorf("%s: %+v, want %s", name, decision, test.want)
		}
	}
}

// TG2: rules of the administrator's own, by pattern and by command, and rules
// that are switched off, alone and as a group.
func TestRulesCanBeAddedAndSwitchedOff(t *testing.T) {
	t.Parallel()
	rules := []config.GuardRule{
		{ID: "no-prod", Tool: "db_*", Argument: "database", Pattern: "^prod$", Severity: "HIGH", Action: "deny",
			Message: "The production database is off limits."},
		{ID: "npm", Tool: "shell_execute", Command: "npm publish", Severity: "LOW", Action: "ask"},
		{ID: "word", Tool: "*", Pattern: "(?i)classified", Severity: "MEDIUM", Action: "ask"},
	}
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto, Rules: rules,
		DisabledRules: []string{"shell.git_history", "file.delete"}}}, nil)
	for _, test := range []struct {
		call Call
		want Verdict
		id   string
	}{
		{toolCall("db_query", "database", tools.Reads, map[string]any{"database": "prod", "sql": "SELECT 1"}), Deny,
			"no-prod"},
		{toolCall("db_query", "database", tools.Reads, map[string]any{"database": "test", "sql": "SELECT 'prod'"}),
			Allow, ""},
		{shellCall("cd web && npm --silent publish"), NeedsApproval, "npm"},
		{shellCall("env X=1 npm publish"), NeedsApproval, "npm"},
		{shellCall("npm publisher"), Allow, ""},
		{toolCall("web", "x", tools.Pure, map[string]any{"list": []any{map[string]any{"text": "Classified"}}}),
			NeedsApproval, "word"},
		{toolCall("file_delete", "file", tools.Writes, map[string]any{"path": "a"}), Allow, ""},
		{shellCall("git reset --hard"), Allow, ""},
		{shellCall("git push --force"), Allow, ""},
		{shellCall("git clean -fd"), NeedsApproval, "shell.destructive.git_clean"},
	} {
		decision := check(t, engine, test.call)
		if decision.Verdict != test.want || test.id != "" && !slices.ContainsFunc(decision.Findings,
			func(f Finding) bool { return f.ID == test.id }) {
			t.Errorf("%s %v: %+v, want %s by %q", test.call.Tool.Name, test.call.Args, decision, test.want, test.id)
		}
	}
}

// TG2: rules that cannot be compiled are an error that names them.
func TestRulesThatAreWrongAreNamed(t *testing.T) {
	t.Parallel()
	for _, rule := range []config.GuardRule{
		{ID: "both", Tool: "*", Pattern: "a", Command: "b", Action: "ask"}, {ID: "none", Tool: "*", Action: "ask"},
		{ID: "pattern", Tool: "*", Pattern: "(", Action: "ask"}, {ID: "action", Tool: "*", Pattern: "a",
			Action: "maybe"}, {ID: "glob", Tool: "[", Pattern: "a", Action: "ask"},
	} {
		_, err := Settings{Guard: config.Guard{Level: Auto, Rules: []config.GuardRule{rule}}}.Compile()
		if err == nil || !strings.Contains(err.Error(), rule.ID) {
			t.Errorf("rule %s: %v, want an error with its id", rule.ID, err)
		}
	}
}

// TG2: new settings hold from the next check on.
func TestNewRulesHoldFromTheNextCheck(t *testing.T) {
	t.Parallel()
	var current atomic.Pointer[Settings]
	set := func(g config.Guard) {
		settings, err := Settings{Guard: g}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		current.Store(&settings)
	}
	set(config.Guard{Level: Auto})
	engine, err := New(Options{Settings: func() Settings { return *current.Load() }})
	if err != nil {
		t.Fatal(err)
	}
	if decision := check(t, engine, pureCall()); decision.Verdict != Allow {
		t.Fatalf("before: %+v", decision)
	}
	set(config.Guard{Level: Auto, DeniedTools: []string{"calculator"}})
	if decision := check(t, engine, pureCall()); decision.Verdict != Deny {
		t.Errorf("after: %+v, want a denial", decision)
	}
}

// FS7 and what else of the built-in tools asks: everyday work does not.
func TestEverydayCallsPassAndTheOthersAsk(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for _, test := range []struct {
		call Call
		want Verdict
	}{
		{toolCall("file_write", "file", tools.Writes, map[string]any{"path": "docs/a.md",
			"content": "rm -rf / and ~/.ssh/id_rsa"}), Allow},
		{toolCall("file_read", "file", tools.Reads, map[string]any{"path": "src/main.go"}), Allow},
		{toolCall("file_grep", "file", tools.Reads, map[string]any{"pattern": "id_rsa", "path": "."}), Allow},
		{toolCall("file_delete", "file", tools.Writes, map[string]any{"path": "a", "recursive": true}), NeedsApproval},
		{toolCall("delegate_external_agent", "agent", tools.Writes, map[string]any{"agent": "a", "message": "hi"}),
			NeedsApproval},
		{toolCall("multi_agent", "agent", tools.Resumes, map[string]any{"tasks": []any{}}), Allow},
		{toolCall("execute_python", "code", tools.Writes, map[string]any{"code": "print(sum(range(10)))"}), Allow},
		{toolCall("mcp__x__y", "mcp", tools.Writes, map[string]any{}), NeedsApproval},
		{toolCall("mcp__x__y", "mcp", tools.Reads, map[string]any{}), Allow},
		{toolCall("mcp__x__y", "mcp", tools.Reads, map[string]any{"path": "/root/.ssh/id_rsa"}), NeedsApproval},
		{toolCall("fetch_page", "crawler", tools.External, map[string]any{"url": "https://example.com/.env"}), Allow},
		{toolCall("fetch_page", "crawler", tools.External, map[string]any{"url": "http://169.254.169.254/latest"}),
			NeedsApproval},
		{shellCall("ls -la && git status"), Allow},
	} {
		if decision := check(t, engine, test.call); decision.Verdict != test.want {
			t.Errorf("%s %v: %s %+v, want %s", test.call.Tool.Name, test.call.Args, decision.Verdict, decision.Findings,
				test.want)
		}
	}
}

// SH4: what the lists of commands cannot decide asks, but at level off; what they
// refuse is refused.
func TestTheListsOfCommandsAskWhereTheyCannotDecide(t *testing.T) {
	t.Parallel()
	unclear := func(string) CommandAnswer { return CommandAnswer{Unclear: "the deny-list cannot be applied"} }
	for level, want := range map[string]Verdict{Strict: NeedsApproval, Auto: NeedsApproval, Smart: NeedsApproval,
		Off: Allow} {
		engine := newEngine(t, Settings{Guard: config.Guard{Level: level}, Command: unclear}, nil)
		if decision := check(t, engine, shellCall("ls")); decision.Verdict != want {
			t.Errorf("level %s: %s, want %s", level, decision.Verdict, want)
		}
	}
}
