package guard

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

func fileCall(tool string, args map[string]any) Call {
	effect := tools.Writes
	return toolCall(tool, "file", effect, args)
}

var (
	all    = []string{"read", "write", "delete"}
	writer = []config.Permission{{Paths: []string{"secrets/**"}, Deny: all}, {Paths: []string{"docs/**"},
		Allow: []string{"read", "write"}}, {Allow: []string{"read"}}}
	reader  = []config.Permission{{Allow: []string{"read"}}}
	open    = []config.Permission{{Allow: all}}
	anybody = map[string][]config.Permission{"": nil, "default": nil, "writer": writer, "reader": reader, "open": open}
)

// FS4: the first rule that matches wins, for each operation and path; what no
// rule allows is refused.
func TestPermissionsDecideByTheFirstRuleThatMatches(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto, DisabledRules: []string{"file.delete"}},
		Profiles: anybody}, nil)
	for _, test := range []struct {
		profile, tool string
		args          map[string]any
		want          Verdict
	}{
		{"writer", "file_read", map[string]any{"path": "src/a.go"}, Allow},
		{"writer", "file_read", map[string]any{"path": "secrets/a"}, Deny},
		{"writer", "file_read", map[string]any{"path": "docs/../secrets/a"}, Deny},
		{"writer", "file_read", map[string]any{"path": "./secrets//a"}, Deny},
		{"writer", "file_of_tomorrow", map[string]any{"path": "docs/a"}, Deny}, // nobody knows what it does
		{"writer", "file_write", map[string]any{"path": "docs/a.md"}, Allow},
		{"writer", "file_write", map[string]any{"path": "src/a.go"}, Deny},
		{"writer", "file_write", map[string]any{"path": "docs/../src/a.go"}, Deny},
		{"writer", "file_append", map[string]any{"path": "src/a.go"}, Deny},
		{"writer", "file_edit", map[string]any{"path": "docs/a.md"}, Allow},
		{"writer", "file_delete", map[string]any{"path": "docs/a.md"}, Deny},
		{"writer", "file_mkdir", map[string]any{"path": "docs/x"}, Allow},
		{"writer", "file_move", map[string]any{"from": "docs/a", "to": "docs/b"}, Deny}, // it would delete docs/a
		{"writer", "file_grep", map[string]any{"path": ".", "pattern": "x"}, Deny},      // it would read secrets
		{"writer", "file_grep", map[string]any{"pattern": "x"}, Deny},
		{"writer", "file_grep", map[string]any{"path": "docs", "pattern": "x"}, Allow},
		{"writer", "file_list", map[string]any{"path": "src"}, Allow},
		{"writer", "file_list", map[string]any{"path": ".", "recursive": true}, Deny},
		{"writer", "file_glob", map[string]any{"pattern": "**"}, Deny},
		{"writer", "db_query", map[string]any{"database": "secrets/a.db"}, Deny},
		{"writer", "shell_execute", map[string]any{"command": "ls"}, Deny},
		{"writer", "execute_python", map[string]any{"code": "1"}, Deny},
		{"writer", "delegate_external_agent", map[string]any{"agent": "a"}, Deny},
		{"reader", "file_grep", map[string]any{"pattern": "x"}, Allow},
		{"reader", "file_write", map[string]any{"path": "a"}, Deny},
		{"reader", "file_exists", map[string]any{"path": "a"}, Allow},
		{"reader", "shell_execute", map[string]any{"command": "cat a"}, Deny},
		{"open", "shell_execute", map[string]any{"command": "ls"}, Allow},
		{"open", "file_delete", map[string]any{"path": "a"}, Allow},
		{"open", "execute_python", map[string]any{"code": "1"}, Allow},
		{"default", "shell_execute", map[string]any{"command": "ls"}, Allow},
		{"", "file_write", map[string]any{"path": "secrets/a"}, Allow},
		{"gone", "file_read", map[string]any{"path": "a"}, Deny},
	} {
		call := fileCall(test.tool, test.args)
		call.Call.Profile = test.profile
		decision := check(t, engine, call)
		if decision.Verdict != test.want {
			t.Errorf("%s: %s %v: %+v, want %s", test.profile, test.tool, test.args, decision, test.want)
		}
		if test.want == Deny && !strings.Contains(decision.Reason, "no approval can allow it") {
			t.Errorf("%s %v: the reason does not say what it means: %q", test.tool, test.args, decision.Reason)
		}
	}
}

// FS4: an agent gains no rights by asking another one, as a sub-agent or with
// chat_with_agent: every agent above has to be allowed, too.
func TestAnAgentGainsNoRightsByAskingAnother(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}, Profiles: anybody}, nil)
	for _, test := range []struct {
		callers []string
		profile string
		want    Verdict
	}{
		{nil, "open", Allow},
		{[]string{"reader"}, "open", Deny},            // the reader asks an agent with all rights
		{[]string{"open", "reader"}, "open", Deny},    // in the middle of the chain
		{[]string{"reader", "open"}, "default", Deny}, // at its top, a sub-agent of a colleague
		{[]string{"open", "default"}, "open", Allow},
		{[]string{"default"}, "reader", Deny},
		{[]string{"gone"}, "open", Deny},
	} {
		call := fileCall("file_write", map[string]any{"path": "a", "content": ""})
		call.Call.Callers, call.Call.Profile = test.callers, test.profile
		if decision := check(t, engine, call); decision.Verdict != test.want {
			t.Errorf("%v > %s: %+v, want %s", test.callers, test.profile, decision, test.want)
		}
	}
}

// FS4: permissions for everybody hold beside those of the agent, and for roles.
func TestPermissionsHoldForEverybodyAndByRole(t *testing.T) {
	t.Parallel()
	settings, err := Settings{Profiles: anybody, Guard: config.Guard{Level: Auto, Permissions: []config.Permission{
		{Paths: []string{"admin/**"}, Allow: all, Roles: []string{"admin"}}, {Paths: []string{"admin/**"}, Deny: all},
		{Allow: all},
	}}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	engine, err := New(Options{Settings: func() Settings { return settings }, Role: func(_ context.Context,
		user string) (string, error) {
		switch user {
		case "boss":
			return "admin", nil
		case "lost":
			return "", errors.New("no such user")
		}
		return "user", nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		user, profile, path string
		want                Verdict
	}{
		{"boss", "default", "admin/a", Allow}, {"guest", "default", "admin/a", Deny}, {"lost", "default", "admin/a",
			Deny}, {"", "default", "admin/a", Deny},
		{"guest", "default", "a", Allow}, {"boss", "reader", "admin/a", Deny}, {"boss", "open", "admin/a", Allow},
	} {
		call := fileCall("file_write", map[string]any{"path": test.path, "content": ""})
		call.Call.UserID, call.Call.Profile = test.user, test.profile
		if decision := check(t, engine, call); decision.Verdict != test.want {
			t.Errorf("%s as %s, %s: %+v, want %s", test.user, test.profile, test.path, decision, test.want)
		}
	}
}

// FS4: a link is no way around a permission, and where nobody can say where a path
// leads the call is denied.
func TestALinkIsNoWayAroundAPermission(t *testing.T) {
	t.Parallel()
	settings, err := Settings{Guard: config.Guard{Level: Auto}, Profiles: anybody}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	engine, err := New(Options{
		Settings: func() Settings { return settings }, Logger: slog.New(slog.DiscardHandler),
		RealPath: func(_ context.Context, project, path string) (string, error) {
			asked++
			switch {
			case project != "p":
				t.Errorf("asked about the project %q", project)
			case path == "docs/broken":
				return "", errors.New("the disk is gone")
			case path == "docs/outside":
				return "", nil
			case strings.HasPrefix(path, "docs/link"):
				return "secrets" + strings.TrimPrefix(path, "docs/link"), nil
			case path == "docs/harmless":
				return "config/.ssh/id_rsa", nil
			}
			return path, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		profile, tool string
		args          map[string]any
		want          Verdict
	}{
		{"writer", "file_read", map[string]any{"path": "docs/a.md"}, Allow},
		{"writer", "file_read", map[string]any{"path": "docs/link/key"}, Deny},
		{"writer", "file_write", map[string]any{"path": "docs/link"}, Deny},
		{"writer", "file_grep", map[string]any{"path": "docs/link", "pattern": "x"}, Deny},
		{"writer", "file_read", map[string]any{"path": "docs/broken"}, Deny},
		{"writer", "file_read", map[string]any{"path": "docs/outside"}, Allow}, // the tool refuses it
		{"default", "file_read", map[string]any{"path": "docs/link/key"}, Allow},
		{"default", "file_read", map[string]any{"path": "docs/harmless"}, NeedsApproval},
	} {
		call := fileCall(test.tool, test.args)
		call.Call.Profile, call.Call.ProjectID = test.profile, "p"
		decision, err := engine.Check(t.Context(), call)
		if err != nil || decision.Verdict != test.want {
			t.Errorf("%s %s %v: %s (%s), error %v, want %s", test.profile, test.tool, test.args, decision.Verdict,
				decision.Reason, err, test.want)
		}
	}
	if asked == 0 {
		t.Error("nobody asked where the paths lead")
	}
}
