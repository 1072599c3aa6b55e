package terminal

import (
	"fmt"
	"io"
	"strings"
)

// Lines shows a run as plain lines, for a pipe or a log: the text as it comes, and
// a line in brackets for everything else. It writes no escape code.
type Lines struct {
	out    io.Writer
	state  *state
	mid    bool // the cursor is inside of a line
	musing strings.Builder
	err    error
}

var _ viewer = (*Lines)(nil)

// NewLines writes to out.
func NewLines(out io.Writer) *Lines { return &Lines{out: out, state: newState()} }

// Show shows an event. The error is the first one of the output.
func (l *Lines) Show(e Event) error {
	if e.Type != "thinking.delta" && e.Type != "tool_call.progress" && e.RunID == e.RootRunID {
		l.endThinking()
	}
	l.state.apply(e, l)
	return l.err
}

// Note shows a line that is not of the run.
func (l *Lines) Note(text string) error {
	l.endThinking()
	l.notice(clean(text))
	return l.err
}

// Refresh does nothing: what was written stays.
func (l *Lines) Refresh() error { return l.err }

// Close ends the line that is under way.
func (l *Lines) Close() error {
	l.endThinking()
	l.endLine()
	return l.err
}

const thinkingShown = 160 // columns

func (l *Lines) thinking(delta string) {
	if l.musing.Len() < 4*thinkingShown {
		l.musing.WriteString(delta)
	}
}

func (l *Lines) endThinking() {
	if thought := oneLine(l.musing.String()); thought != "" {
		l.line("[thinking] %s", cut(thought, thinkingShown))
	}
	l.musing.Reset()
}

func (l *Lines) text(delta string) {
	l.write(delta)
	l.mid = !strings.HasSuffix(delta, "\n")
}

func (l *Lines) began(*call) {}

func (l *Lines) ended(c *call) {
	word := outcome(c.Call)
	switch {
	case !c.Success:
		word = "failed: " + word
	case word == "":
		word = "ok"
	}
	who := ""
	if c.agent != nil {
		who = "[agent " + c.agent.name + "] "
	}
	what := oneLine(c.Function.Name)
	if args := summary(c.Call); args != "" {
		what += " " + cut(args, thinkingShown)
	}
	l.line("%s[tool] %s -> %s, %s", who, what, word, took(c.Call))
	for _, file := range handedOver(c.Call) {
		l.line("%s[file] %s", who, file)
	}
}

func (l *Lines) joined(a *agent) { l.line("[agent %s] started", a.name) }

func (l *Lines) left(a *agent) {
	verb := "done"
	switch {
	case !a.success:
		verb = "failed"
	case a.incomplete:
		verb = "incomplete"
	}
	took := ""
	if !a.started.IsZero() {
		took = ", " + Duration(a.finished.Sub(a.started))
	}
	l.line("[agent %s] %s%s: %s", a.name, verb, took, cut(oneLine(a.answer), thinkingShown))
}

func (l *Lines) notice(text string) { l.line("[note] %s", text) }

func (l *Lines) line(format string, args ...any) {
	l.endLine()
	l.write(fmt.Sprintf(format, args...) + "\n")
}

func (l *Lines) endLine() {
	if l.mid {
		l.write("\n")
		l.mid = false
	}
}

func (l *Lines) write(s string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.out, s)
	}
}
