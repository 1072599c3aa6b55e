package guard

import (
	"context"
	"errors"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

func modeEngine(t *testing.T, level string, mode func() (string, error)) *Engine {
	t.Helper()
	engine, err := New(Options{
		Settings: func() Settings {
			return Settings{Guard: config.Guard{Level: level, DeniedTools: []string{"file_append"}},
				Profiles: map[string][]config.Permission{"": nil}}
		},
		Mode: func(context.Context, tools.Call) (string, error) { return mode() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func modeCalls() map[string]Call {
	write := toolCall("file_write", "file", tools.Writes, map[string]any{"path": "a.txt", "content": "x"})
	write.Tool.Files = []tools.FileArgument{{Property: "path", Operations: []string{tools.FileWrite}}}
	remove := toolCall("file_delete", "file", tools.Writes, map[string]any{"path": "a.txt"})
	remove.Tool.Files = []tools.FileArgument{{Property: "path", Operations: []string{tools.FileDelete}}}
	return map[string]Call{
		"look": pureCall(), "edit": write, "delete": remove, "command": shellCall("echo done"),
		"danger": shellCall("git reset --hard"), "denied": shellCall("rm -rf /"),
		"off":      toolCall("file_append", "file", tools.Writes, map[string]any{}),
		"client":   toolCall("click", "client", tools.Awaits, map[string]any{}),
		"external": toolCall("delegate_external_agent", "agent", tools.Writes, map[string]any{}),
	}
}

// TG3, CH8: what each permission mode of a conversation makes of each kind of call.
func TestAPermissionModeOnlyTakesAway(t *testing.T) {
	t.Parallel()
	const asks = NeedsApproval
	want := map[string]map[string]Verdict{
		ModeAuto: {"look": Allow, "edit": Allow, "delete": Allow, "command": Allow, "danger": asks, "denied": Deny,
			"off": Deny, "client": Allow, "external": asks},
		ModeEdits: {"look": Allow, "edit": Allow, "delete": asks, "command": asks, "danger": asks, "denied": Deny,
			"off": Deny, "client": asks, "external": asks},
		ModeAsk: {"look": Allow, "edit": asks, "delete": asks, "command": asks, "danger": asks, "denied": Deny,
			"off": Deny, "client": asks, "external": asks},
		ModePlan: {"look": Allow, "edit": Deny, "delete": Deny, "command": Deny, "danger": Deny, "denied": Deny,
			"off": Deny, "client": Deny, "external": Deny},
	}
	for mode, verdicts := range want {
		engine := modeEngine(t, Auto, func() (string, error) { return mode, nil })
		for kind, call := range modeCalls() {
			decision := check(t, engine, call)
			if decision.Verdict != verdicts[kind] {
				t.Errorf("mode %s, %s: %s, want %s (%s)", mode, kind, decision.Verdict, verdicts[kind], decision.Reason)
			}
			if decision.Verdict != Allow && decision.Reason == "" {
				t.Errorf("mode %s, %s: there is no reason", mode, kind)
			}
		}
	}
}

// TG3: no mode lets pass what the administrator's level asks about, or refuses.
func TestNoPermissionModeIsLaxerThanTheLevel(t *testing.T) {
	t.Parallel()
	rank := map[Verdict]int{Allow: 0, NeedsApproval: 1, Deny: 2}
	for _, level := range []string{Strict, Auto, Smart, Off} {
		plain := modeEngine(t, level, func() (string, error) { return ModeAuto, nil })
		for _, mode := range []string{ModeEdits, ModeAsk, ModePlan} {
			engine := modeEngine(t, level, func() (string, error) { return mode, nil })
			for kind, call := range modeCalls() {
				with, without := check(t, engine, call).Verdict, check(t, plain, call).Verdict
				if rank[with] < rank[without] {
					t.Errorf("level %s, mode %s, %s: %s, without a mode %s", level, mode, kind, with, without)
				}
			}
		}
	}
}

// TG3: a mode that cannot be read or is unknown refuses, also what a person has approved.
func TestAPermissionModeFailsClosed(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]func() (string, error){
		"unreadable": func() (string, error) { return ModeAuto, errors.New("no database") },
		"unknown":    func() (string, error) { return "anything", nil },
	} {
		if decision := check(t, modeEngine(t, Off, mode), pureCall()); decision.Verdict != Deny {
			t.Errorf("a mode that is %s: %s", name, decision.Verdict)
		}
	}
	granted := modeCalls()["command"]
	granted.Granted = &Grant{Approved: true, By: "u"}
	plan := modeEngine(t, Auto, func() (string, error) { return ModePlan, nil })
	if decision := check(t, plan, granted); decision.Verdict != Deny {
		t.Errorf("a call that was approved before the person chose plan mode: %s", decision.Verdict)
	}
}

// TG3, MD4: of two modes the one that takes away more holds, and one that nobody knows
// is never lost.
func TestTheStricterOfTwoModesHolds(t *testing.T) {
	t.Parallel()
	modes := []string{"", ModeAuto, ModeEdits, ModeAsk, ModePlan, "unknown"}
	for i, a := range modes {
		for j, b := range modes {
			if got, want := StricterMode(a, b), ModeOf(modes[max(i, j)]); got != want {
				t.Errorf("StricterMode(%q, %q) is %q, want %q", a, b, got, want)
			}
		}
	}
}
