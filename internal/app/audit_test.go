package app

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

type auditLine struct {
	Kind, Tool, Outcome, Severity, Detail, Arguments string
	AgentPath                                        string  `json:"agent_path"`
	ResolvedPath                                     string  `json:"resolved_path"`
	RunID                                            string  `json:"run_id"`
	RootRunID                                        string  `json:"root_run_id"`
	UserID                                           string  `json:"user_id"`
	CallID                                           string  `json:"call_id"`
	Duration                                         float64 `json:"duration"`
}

func (h *house) auditLines(query string) []auditLine {
	h.t.Helper()
	var list struct{ Items []auditLine }
	h.call("GET", "/api/v1/audit?limit=200&"+query, "", &list)
	return list.Items
}

// scripted is a configuration whose only model is a scripted server.
func scripted(model *llmtest.Server, more string) string {
	return strings.ReplaceAll(`
models: [{id: m, provider: openai, base_url: "MODEL", api_key: sk-verysecretkey123, supports: [tools]}]
default_model: m
`, "MODEL", model.URL()) + more
}

// FS5, SH9: every call of a run has its row: who, what, which file, what came of
// it, how long; secrets are covered, long contents are cut, failures are there too.
func TestEveryCallIsAudited(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	h := newHouse(t, scripted(model, "tools: {file_mkdir: {disabled: true}}\nretention: {audit_text: 100}\n"))
	project := h.create("/projects", `{"name":"p"}`)
	conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
	arguments := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	model.On(llmtest.User("go")).Steps(llmtest.Calls(
		llmtest.Call{Name: "file_write", Arguments: arguments(map[string]string{"path": "dir/a.txt",
			"content": "sk-verysecretkey123 " + strings.Repeat("x", 500)})},
		llmtest.Call{Name: "file_read", Arguments: `{"path":"../out"}`},
		llmtest.Call{Name: "file_mkdir", Arguments: `{"path":"d"}`},
		llmtest.Call{Name: "made_up", Arguments: `{"path":"d"}`},
		llmtest.Call{Name: "file_move", Arguments: `{"from":"dir/a.txt","to":"b.txt"}`},
		llmtest.Call{Name: "file_move", Arguments: `{"from":"b.txt","to":"dir/a.txt"}`},
		llmtest.Call{Name: "db_schema", Arguments: `{"database":"none.db"}`},
		llmtest.Call{Name: "file_read", Arguments: `{"path":"dir/a.txt"}`},
		llmtest.Call{Name: "file_read", Arguments: `{"path":"dir/a.txt"}`},
	), llmtest.Text("done"))
	h.events("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"go"}`)

	lines := h.auditLines("kind=call")
	dir := filepath.Join(h.dir, "workspaces", project)
	seen := map[string]auditLine{}
	for _, line := range lines {
		detail, _, _ := strings.Cut(line.Detail, " call ")
		seen[line.Tool+" "+line.Outcome+" "+detail] = line
		if line.AgentPath != "main" || line.RunID == "" || line.RootRunID != line.RunID || line.UserID == "" ||
			line.CallID == "" {
			t.Errorf("a row without who: %+v", line)
		}
	}
	if len(lines) != 9 || len(seen) != 8 {
		t.Fatalf("there are %d rows, %d different: %+v", len(lines), len(seen), lines)
	}
	wrote := seen["file_write success "]
	if wrote.ResolvedPath != filepath.Join(dir, "dir/a.txt") || wrote.Duration <= 0 {
		t.Errorf("the write is %+v", wrote)
	}
	if strings.Contains(wrote.Arguments, "verysecret") || !strings.Contains(wrote.Arguments, "sha256") ||
		!json.Valid([]byte(wrote.Arguments)) {
		t.Errorf("its arguments are %s", wrote.Arguments)
	}
	if refused := seen["file_read access_denied "]; refused.ResolvedPath != filepath.Join(filepath.Dir(dir), "out") {
		t.Errorf("the refused read is %+v", refused)
	}
	if moved := seen["file_move success "]; moved.ResolvedPath != filepath.Join(dir, "dir/a.txt") &&
		moved.ResolvedPath != filepath.Join(dir, "b.txt") {
		t.Errorf("the move is %+v", moved)
	}
	if schema := seen["db_schema not_found "]; schema.ResolvedPath != filepath.Join(dir, "none.db") {
		t.Errorf("the database is %+v", schema)
	}
	for _, want := range []string{"file_mkdir blocked ", "made_up unknown_tool ", "file_read success ",
		"file_read success same as"} {
		if _, ok := seen[want]; !ok {
			t.Errorf("%q has no row: %+v", want, lines)
		}
	}
}

// judge is a guard that says what it was made for.
type judge guard.Decision

func (j judge) Check(context.Context, guard.Call) (guard.Decision, error) {
	return guard.Decision(j), nil
}

// FS5: a decision that is more than an allow has its row when it is made, and one
// alone however often it is made.
func TestDecisionsOfTheGuardAreAudited(t *testing.T) {
	t.Parallel()
	_, a := toolServices(t, config.Default())
	redactor, err := redact.New(redact.Options{ValuesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	a.Redactor = redactor
	finding := []guard.Finding{{ID: "a.low", Severity: guard.Low}, {ID: "b.high", Severity: guard.High}}
	for _, decision := range []guard.Decision{
		{Verdict: guard.Allow},
		{Verdict: guard.Allow, Findings: finding[:1]},
		{Verdict: guard.NeedsApproval, Findings: finding, ApprovalID: "ap"},
		{Verdict: guard.Deny, Reason: "no"},
	} {
		call := guard.Call{Call: tools.Call{ID: "c", Tool: "shell_execute", RunID: "r", RootRunID: "r"},
			Args: map[string]any{"command": "rm x"}}
		got, err := auditedGuard{a, judge(decision)}.Check(t.Context(), call)
		if err != nil || got.Verdict != decision.Verdict {
			t.Errorf("the decision became %+v, %v", got, err)
		}
	}
	// The call that waits is looked at again; then other arguments of it are judged.
	for _, command := range []string{"rm x", "rm x", "rm y"} {
		call := guard.Call{Call: tools.Call{ID: "c", Tool: "shell_execute", RunID: "r", RootRunID: "r"},
			Args: map[string]any{"command": command}}
		if _, err := (auditedGuard{a, judge(guard.Decision{Verdict: guard.NeedsApproval, Findings: finding,
			ApprovalID: "ap"})}).Check(t.Context(), call); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := a.Store.ListAudit(t.Context(), store.AuditQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, line := range rows.Items {
		got = append(got, strings.Join([]string{line.Kind, line.Outcome, line.Severity, line.Detail, line.Arguments},
			"|"))
	}
	want := []string{
		`decision|needs_approval|HIGH|a.low; b.high; approval ap|{"command":"rm y"}`,
		`decision|deny||no|{"command":"rm x"}`,
		`decision|needs_approval|HIGH|a.low; b.high; approval ap|{"command":"rm x"}`,
		`decision|allow|LOW|a.low|{"command":"rm x"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the rows are\n%s", strings.Join(got, "\n"))
	}
}
