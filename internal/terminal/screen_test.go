package terminal

import (
	"strings"
	"testing"
	"time"
)

func newScreen(t *testing.T, columns, rows int) (*emulator, *Screen, *script) {
	e := newEmulator(t, columns, rows)
	s := newScript(t, nil)
	screen := NewScreen(e, Options{Size: func() (int, int) { return e.columns, e.height }, Colour: true, Now: s.now})
	s.show = screen.Show
	return e, screen, s
}

func TestScreenShowsWhatIsAtWorkBelowWhatIsDone(t *testing.T) {
	t.Parallel()
	e, screen, s := newScreen(t, 51, 24)
	s.event("run.queued", `"run":{"id":"root","status":"queued"}`)
	e.want("⠋ waiting for a worker 0 ms")
	s.event("run.started", `"attempt":1`)
	s.wait(1200 * time.Millisecond)
	if err := screen.Refresh(); err != nil {
		t.Fatal(err)
	}
	e.want("⠙ working 1.2 s")
	s.thinking("s", 0, "First I look at what is there, and then I compute.")
	e.want("⠙ thinking: …at what is there, and then I compute.")
	s.wait(time.Second)
	s.call("root", "c1", "file_list", `{"path":"."}`)
	s.call("root", "c2", "file_read", `{"path":"missing.txt"}`)
	e.want(
		"✻ First I look at what is there, and then I… 1.0 s",
		"⠙ file_list .                                 0 ms",
		"⠙ file_read missing.txt                       0 ms")
	s.wait(40 * time.Millisecond)
	s.event("tool_call.progress", `"id":"c1","message":"half"`)
	s.result("root", "c2", "file_read", `{"path":"missing.txt"}`, `{"success":false,"error":"there is no such file"}`,
		`,"execution_time":0.04`)
	e.want(
		"✻ First I look at what is there, and then I… 1.0 s",
		"✗ file_read missing.… there is no such file  40 ms",
		"⠙ file_list .                           half  0 ms")
	s.result("root", "c1", "file_list", `{"path":"."}`, `{"success":true,"data":1}`, `,"execution_time":0.05`)
	s.text("t", 0, "\n\nOne ")
	s.text("t", 6, "file.")
	e.want(
		"✻ First I look at what is there, and then I… 1.0 s",
		"✗ file_read missing.… there is no such file  40 ms",
		"✓ file_list .                                50 ms",
		"",
		"One file.")
	s.event("run.finished", `"run":{"id":"root","status":"completed"}`)
	if err := screen.Close(); err != nil {
		t.Fatal(err)
	}
	if got := e.lines()[4:]; len(got) != 1 || got[0] != "One file." || e.column != 0 {
		t.Errorf("at the end: %q, the cursor in column %d", got, e.column)
	}
}

// MA6
func TestScreenRedrawsTheTreeOfSubAgentsInPlace(t *testing.T) {
	t.Parallel()
	e, screen, s := newScreen(t, 51, 24)
	const tasks = `{"tasks":[{},{},{}]}`
	s.call("root", "m", "multi_agent", tasks)
	for _, name := range []string{"历史研究员", "physics", "biology"} {
		s.of(name, "run.queued", `"run":%s`, child(name, "m", name, "queued", ""))
	}
	s.agent("agent.started", "历史研究员", "m", "历史研究员", "")
	s.agent("agent.started", "physics", "m", "physics", "")
	s.of("physics", "thinking.delta", `"step_id":"x","offset":0,"delta":"hm"`)
	s.wait(2 * time.Second)
	s.call("历史研究员", "c", "web_search", `{"query":"明朝"}`)
	e.want(
		"⠋ multi_agent 3 tasks                        2.0 s",
		"  ├─ ⠋ 历史研究员  web_search 明朝           2.0 s",
		"  ├─ ⠋ physics  thinking                     2.0 s",
		"  └─ ○ biology  queued")
	s.result("历史研究员", "c", "web_search", `{"query":"明朝"}`, `{"success":true,"data":1}`, "")
	s.agent("agent.finished", "历史研究员", "m", "历史研究员", `,"success":true,"response":"明朝是中国历史上的一个朝代，从公元一三六八年开始。"`)
	s.agent("agent.finished", "physics", "m", "physics", `,"success":false,"error":"cancelled"`)
	s.agent("agent.started", "biology", "m", "biology", "")
	s.agent("agent.finished", "biology", "m", "biology", `,"success":true,"incomplete":true,"response":"Cells"`)
	s.result("root", "m", "multi_agent", tasks, `{"success":true,"data":1}`, `,"execution_time":2`)
	if err := screen.Close(); err != nil {
		t.Fatal(err)
	}
	e.want(
		"✓ multi_agent 3 tasks                        2.0 s",
		"  ├─ ✓ 历史研究员  明朝是中国历史上… 1 tool  2.0 s",
		"  ├─ ✗ physics  cancelled                    2.0 s",
		"  └─ ◐ biology  Cells                         0 ms")
}

func TestScreenNeverGoesAboveItsWindow(t *testing.T) {
	t.Parallel()
	e, screen, s := newScreen(t, 40, 6)
	for i := range 20 {
		s.call("root", string(rune('a'+i)), "tool", `{"n":1}`)
	}
	lines := e.lines()
	if len(lines) != 4 || !strings.Contains(lines[3], "17 more") {
		t.Errorf("%q", lines)
	}
	// A narrower window wraps what is there; all of it is taken back.
	e.columns = 25
	narrow := newEmulator(t, 25, 12)
	for _, l := range lines {
		for _, r := range l {
			narrow.put(r)
		}
		narrow.put('\n')
	}
	screen.out = narrow
	if err := screen.Close(); err != nil {
		t.Fatal(err)
	}
	narrow.want()
}

func TestTextGoesOnBelowARegion(t *testing.T) {
	t.Parallel()
	e, screen, s := newScreen(t, 40, 24)
	s.text("a", 0, "Before")
	s.call("root", "c", "tool", `{}`)
	e.want("Before", "", "⠋ tool                             0 ms")
	if err := screen.Note("a word of the server\x1b[2J"); err != nil {
		t.Fatal(err)
	}
	s.result("root", "c", "tool", `{}`, `{"success":true,"data":1}`, "")
	s.text("b", 0, "After\n\nall.")
	e.want("Before", "", "• a word of the server[2J", "✓ tool                             0 ms", "", "After", "",
		"all.")
}

func TestAgentsBelowAgentsAreIndented(t *testing.T) {
	t.Parallel()
	e, _, s := newScreen(t, 51, 24)
	s.call("root", "m", "chat_with_agent", `{"agent":"a"}`)
	s.agent("agent.started", "ra", "m", "a", "")
	s.call("ra", "n", "chat_with_agent", `{"agent":"b"}`)
	s.agent("agent.started", "rb", "n", "b", "")
	e.want(
		"⠋ chat_with_agent a                           0 ms",
		"  └─ ⠋ a  chat_with_agent b                   0 ms",
		"       └─ ⠋ b                                    …")
}
