package guard

import (
	"context"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// TG2, FS4: the guard takes what a call does with files from the definition of its
// tool, of a tool that it has never heard of, too.
func TestTheGuardGoesByTheAccessOfATool(t *testing.T) {
	t.Parallel()
	type arguments struct {
		Inputs  []string `json:"inputs" access:"read"`
		Output  string   `json:"output,omitempty" access:"write"`
		Remarks string   `json:"remarks,omitempty"`
	}
	tool := tools.Define("convert", "converts", func(context.Context, tools.Call, arguments) (int, error) {
		return 0, nil
	}, tools.Category("media"), tools.Effect(tools.Writes))
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Smart}, Profiles: map[string][]config.Permission{
		"": nil, "reader": reader}}, nil)
	for name, c := range map[string]struct {
		profile string
		args    map[string]any
		want    Verdict
	}{
		"a plain file":             {"", map[string]any{"inputs": []any{"a", "b"}, "output": "c"}, Allow},
		"a secret among the files": {"", map[string]any{"inputs": []any{"a", "/root/.ssh/id_rsa"}}, NeedsApproval},
		"a file that runs": {"", map[string]any{"inputs": []any{"a"}, "output": ".git/hooks/pre-commit"},
			NeedsApproval},
		"a text about a secret": {"", map[string]any{"inputs": []any{"a"}, "remarks": "~/.ssh/id_rsa"}, Allow},
		"reading by permission": {"reader", map[string]any{"inputs": []any{"a"}}, Deny}, // the output is the project
		"writing by permission": {"reader", map[string]any{"inputs": []any{"a"}, "output": "c"}, Deny},
	} {
		call := toolCall("convert", "media", tools.Writes, c.args)
		call.Tool, call.Call.Profile = tool, c.profile
		decision, err := engine.Check(t.Context(), call)
		if err != nil || decision.Verdict != c.want {
			t.Errorf("%s: %+v, %v, want %s", name, decision, err, c.want)
		}
	}
}

// TG2: a tool that runs anything needs every permission, and so does a file tool that
// does not say what it does.
func TestAToolThatReachesAnyFileNeedsEveryPermission(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Off}, Profiles: map[string][]config.Permission{
		"reader": reader, "open": open}}, nil)
	runs := &tools.Tool{Name: "runs", Category: "x", AnyFile: true}
	silent := &tools.Tool{Name: "silent", Category: "file"}
	for _, tool := range []*tools.Tool{runs, silent} {
		for profile, want := range map[string]Verdict{"reader": Deny, "open": Allow} {
			call := toolCall(tool.Name, tool.Category, tools.Reads, map[string]any{"path": "a"})
			call.Tool, call.Call.Profile = tool, profile
			if decision, err := engine.Check(t.Context(), call); err != nil || decision.Verdict != want {
				t.Errorf("%s of %s: %+v, %v, want %s", tool.Name, profile, decision, err, want)
			}
		}
	}
	call := toolCall("silent", "file", tools.Reads, map[string]any{"where": "/root/.ssh/id_rsa"})
	call.Tool, call.Call.Profile = silent, "open"
	decision, err := engine.Check(t.Context(), call)
	if err != nil || len(decision.Findings) == 0 {
		t.Errorf("a secret in an argument of a silent file tool: %+v, %v", decision, err)
	}
}
