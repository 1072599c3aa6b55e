package terminal

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestLinesShowARunWithoutEscapeCodes(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := NewLines(&out)
	s := newScript(t, l.Show)
	s.event("run.started", `"attempt":1`)
	s.thinking("s1", 0, "The user wants\n")
	s.thinking("s1", 15, "files.")
	s.text("s1", 0, "I look.")
	s.call("root", "c1", "file_list", `{"path":"."}`)
	s.result("root", "c1", "file_list", `{"path":"."}`, `{"success":true,"data":[]}`, `,"execution_time":0.0021`)
	s.result("root", "c2", "file_read", `{"path":"no\u001b[31m","start_line":1}`,
		`{"success":false,"error":"there is\nno file","code":"not_found"}`, `,"execution_time":1.25`)
	s.result("root", "c3", "file_list", `{"path":"."}`, `{"success":true,"data":[]}`, `,"skipped":true`)
	s.text("s2", 0, "One \x1b[2J")
	s.text("s2", 8, "line.\nTwo.")
	s.event("run.finished", `"run":{"id":"root","status":"completed"}`)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	want := `[thinking] The user wants files.
I look.
[tool] file_list . -> ok, 2.1 ms
[tool] file_read path=no⟨U+001B⟩[31m, start_line=1 -> failed: there is no file (not_found), 1.2 s
[tool] file_list . -> duplicate, 0 ms
One [2Jline.
Two.
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestLinesShowSubAgents(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := NewLines(&out)
	s := newScript(t, l.Show)
	s.call("root", "m", "multi_agent", `{"tasks":[{"name":"a"},{"name":"b"}]}`)
	s.of("ra", "run.queued", `"run":%s`, child("ra", "m", "alpha", "queued", ""))
	s.of("rb", "run.queued", `"run":%s`, child("rb", "m", "beta\n", "queued", ""))
	s.agent("agent.started", "ra", "m", "alpha", "")
	s.agent("agent.started", "rb", "m", "beta\n", "")
	s.of("ra", "text.delta", `"step_id":"x","offset":0,"delta":"not shown"`)
	s.call("ra", "c", "calculator", `{"expression":"1+1"}`)
	s.result("ra", "c", "calculator", `{"expression":"1+1"}`, `{"success":true,"data":{"result":"2"}}`,
		`,"cached":true`)
	s.wait(1500 * time.Millisecond)
	s.agent("agent.finished", "ra", "m", "alpha", `,"success":true,"response":"It is\n2."`)
	s.again()
	s.agent("agent.finished", "rb", "m", "beta\n", `,"success":false,"error":"timed out"`)
	s.result("root", "m", "multi_agent", `{"tasks":[{"name":"a"},{"name":"b"}]}`, `{"success":true,"data":{}}`,
		`,"execution_time":125`)
	want := `[agent alpha] started
[agent beta] started
[agent alpha] [tool] calculator 1+1 -> cached, 0 ms
[agent alpha] done, 1.5 s: It is 2.
[agent beta] failed, 1.5 s: timed out
[tool] multi_agent 2 tasks -> ok, 2m05s
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// CH2
func TestWhatWasShownIsNotShownAgainBehindASnapshot(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := NewLines(&out)
	s := newScript(t, l.Show)
	s.text("s1", 0, "Grüße, ")
	s.text("s1", 0, "Grüße, ")
	s.call("root", "c1", "pure", `{}`)
	s.event("snapshot", `"run":{"id":"root","status":"running","children":[%s,%s]},"message":{"steps":[
		{"type":"text","text":"Grüße, Welt","step_id":"s1"},{"type":"tool_call","id_ref":"c1"},{"type":"tool_result","id_ref":"c1"},
		{"type":"text","text":"und","step_id":"s2"}],"tool_calls":[%s]},
		"agents":[{"run_id":"ra","tool_calls":[%s]}],"approvals":[{"id":"ap","tool_call":{"function":{"name":"rm"}}}]`,
		child("ra", "m", "alpha", "running", `,"started_at":"2026-01-02T03:04:05Z"`),
		child("rb", "m", "beta", "failed",
			`,"started_at":"2026-01-02T03:04:05Z","finished_at":"2026-01-02T03:04:06Z","error":{"code":"x","message":"broke"}`),
		record("c1", "pure", "{}", `{"success":true,"data":1}`, ""), record("c2", "inner", "{}",
			`{"success":true,"data":1}`, ""))
	s.again()
	s.text("s2", 1, "nd mehr")
	s.event("run.started", `"attempt":2`)
	want := `Grüße, Welt
[tool] pure -> ok, 0 ms
und
[agent alpha] started
[agent alpha] [tool] inner -> ok, 0 ms
[agent beta] started
[agent beta] failed, 1.0 s: broke
[note] approval ap is needed for rm
 mehr
[note] the run continues after an interruption
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestAnOutputThatIsGoneIsReported(t *testing.T) {
	t.Parallel()
	gone := errors.New("broken pipe")
	for name, p := range map[string]interface {
		Show(Event) error
		Note(string) error
		Close() error
	}{
		"lines":  NewLines(failing{gone}),
		"screen": NewScreen(failing{gone}, Options{Size: func() (int, int) { return 80, 24 }}),
	} {
		e, err := Parse([]byte(`{"type":"text.delta","run_id":"r","root_run_id":"r","step_id":"s","delta":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Show(e); !errors.Is(err, gone) {
			t.Errorf("%s: %v", name, err)
		}
		if err := p.Note("x"); !errors.Is(err, gone) {
			t.Errorf("%s: %v", name, err)
		}
		if err := p.Close(); !errors.Is(err, gone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func FuzzShow(f *testing.F) {
	f.Add([]byte(`{"type":"text.delta","run_id":"r","root_run_id":"r","step_id":"s","offset":-5,"delta":"x\u001b[2J"}`))
	f.Add([]byte(
		`{"type":"snapshot","run_id":"r","root_run_id":"r","run":{"children":[{"id":"a","parent_run_id":"a","parent_call_id":"c","children":[{}]}]},"message":{"steps":[{"type":"tool_call","id_ref":"c"}],"tool_calls":[{"id":"c","result":"{"}]}}`))
	f.Add([]byte(
		`{"type":"tool_call.finished","tool_call":{"id":"c","function":{"name":"\n","arguments":"{\"a\":[{}],\"b\":"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Parse(data)
		if err != nil {
			return
		}
		var plain, drawn bytes.Buffer
		l := NewLines(&plain)
		s := NewScreen(&drawn, Options{Size: func() (int, int) { return 40, 10 }})
		for range 2 {
			if err := errors.Join(l.Show(e), s.Show(e)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(l.Close(), s.Close()); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsFunc(plain.String(), func(r rune) bool { return r != '\n' && r != '\t' && controls(r) }) {
			t.Errorf("control characters: %q", plain.String())
		}
		// Without colour the screen's own sequences are those that erase.
		for i, piece := range strings.Split(drawn.String(), "\x1b[") {
			if i > 0 && !strings.HasPrefix(strings.TrimLeft(piece, "0123456789"), "A\r") && !strings.HasPrefix(piece,
				"J") {
				t.Errorf("foreign sequence %q", piece)
			}
		}
	})
}

// TG4: a run that goes on because a person decided was not interrupted; what was
// decided is told once.
func TestARunThatGoesOnAfterADecisionWasNotInterrupted(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	l := NewLines(&out)
	approval := &Approval{ID: "a1", Status: "pending", Call: &Call{}}
	approval.Call.Function.Name, approval.Call.Function.Arguments = "file_delete", `{"path":"x"}`
	resolved := *approval
	resolved.Status, resolved.Reason = "denied", "keep it"
	for _, e := range []Event{
		{Type: "run.started", Attempt: 1}, {Type: "approval.requested", Approval: approval},
		{Type: "approval.resolved", Approval: &resolved}, {Type: "approval.resolved", Approval: &resolved},
		{Type: "run.started", Attempt: 2}, {Type: "run.started", Attempt: 3},
	} {
		e.RunID, e.RootRunID = "r", "r"
		if err := l.Show(e); err != nil {
			t.Fatal(err)
		}
	}
	want := "[note] approval a1 is needed for file_delete x\n[note] denied: file_delete x (keep it)\n[note] the run " +
		"continues after an interruption\n"
	if out.String() != want {
		t.Errorf("shown:\n%s\nwant:\n%s", out.String(), want)
	}
}
