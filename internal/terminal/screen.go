package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Options say what a Screen draws on.
type Options struct {
	Size   func() (columns, rows int) // of the terminal, asked at every redraw
	Colour bool
	Now    func() time.Time // nil: time.Now
}

// Screen shows a run on a terminal: what is finished is written once, and below it
// a region with what is at work is redrawn in place. Show, Note, Refresh and Close
// must not be called at the same time.
type Screen struct {
	out     io.Writer
	options Options
	state   *state
	begun   time.Time

	pending strings.Builder // what is to be written above the region
	mid     bool            // the text ended inside of a line
	last    kind            // what was written last
	region  []int           // widths of the region's lines on the terminal
	frame   int             // of the spinner
	musing  string          // end of the thoughts under way
	opening string          // their first words
	thought time.Time       // when they began
	writing bool            // the newest thing is the answer's text
	err     error
}

var _ viewer = (*Screen)(nil)

// kind of output; another kind is set off by an empty line.
type kind int

const (
	nothing kind = iota
	prose
	entries
)

// NewScreen draws on out.
func NewScreen(out io.Writer, o Options) *Screen {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Screen{out: out, options: o, state: newState(), begun: o.Now()}
}

// Show shows an event. The error is the first one of the output.
func (s *Screen) Show(e Event) error {
	if e.RunID == e.RootRunID && e.Type != "thinking.delta" && e.Type != "tool_call.progress" && e.Type != "usage" {
		s.endThinking()
	}
	s.state.apply(e, s)
	return s.draw(!e.Ended())
}

// Note shows a line that is not of the run.
func (s *Screen) Note(text string) error {
	s.notice(clean(text))
	return s.draw(true)
}

// Refresh redraws the region: clocks go on. It is to be called a few times a second.
func (s *Screen) Refresh() error {
	s.frame++
	return s.draw(true)
}

// Close takes the region away and ends the line that is under way.
func (s *Screen) Close() error {
	s.endThinking()
	s.endLine()
	return s.draw(false)
}

func (s *Screen) thinking(delta string) {
	if s.musing == "" {
		s.thought, s.opening = s.options.Now(), ""
	}
	s.musing += delta
	if len(s.opening) < openingKept {
		s.opening += delta
	}
	if len(s.musing) > musingKept {
		s.musing = strings.ToValidUTF8(s.musing[len(s.musing)-musingKept/2:], "")
	}
	s.writing = false
}

// Bytes.
const (
	musingKept  = 2000
	openingKept = 400
)

func (s *Screen) endThinking() {
	if strings.TrimSpace(s.musing) != "" {
		columns, _ := s.size()
		s.entry(spread(line{{dim, "✻ " + oneLine(s.opening)}}, line{s.since(s.thought)}, columns))
	}
	s.musing = ""
}

func (s *Screen) text(delta string) {
	if !s.mid && strings.Trim(delta, "\n") == "" && s.last != prose {
		return // no empty lines before the first word
	}
	if !s.writing {
		delta = strings.TrimLeft(delta, "\n")
	}
	s.begin(prose)
	s.writing = true
	s.pending.WriteString(delta)
	s.mid = !strings.HasSuffix(delta, "\n")
}

func (s *Screen) began(c *call) {
	if c.agent == nil {
		s.writing = false
	}
}

func (s *Screen) ended(c *call) {
	defer func() {
		for _, file := range handedOver(c.Call) {
			s.entry(line{{green, "▸ "}, {normal, file}})
		}
	}()
	if c.agent != nil {
		return // its line in the tree tells
	}
	s.writing = false
	s.entry(s.callLine(c))
	for _, l := range s.tree(c) {
		s.entry(l)
	}
}

func (s *Screen) joined(*agent) {}
func (s *Screen) left(*agent)   {}

func (s *Screen) notice(text string) { s.entry(line{{yellow, "• "}, {normal, oneLine(text)}}) }

// entry writes a line of its own, as long as it is: the terminal may wrap it.
func (s *Screen) entry(l line) {
	s.begin(entries)
	columns, _ := s.size()
	s.pending.WriteString(l.fit(columns).render(s.options.Colour) + "\n")
}

// begin sets what follows off from what was before.
func (s *Screen) begin(k kind) {
	if s.last != nothing && s.last != k {
		s.endLine()
		s.pending.WriteString("\n")
	}
	s.last = k
}

func (s *Screen) endLine() {
	if s.mid {
		s.pending.WriteString("\n")
		s.mid = false
	}
}

func (s *Screen) size() (columns, rows int) {
	columns, rows = s.options.Size()
	if columns < 20 {
		columns = 80
	}
	if rows < 4 {
		rows = 24
	}
	// The last column stays free: some terminals wrap when it is written.
	return columns - 1, rows
}

// draw writes what is pending and then the region, in one piece, so that nothing flickers.
func (s *Screen) draw(working bool) error {
	var lines []line
	columns, rows := s.size()
	if working {
		lines = s.working(columns)
		if over := len(lines) - (rows - 2); over > 0 {
			lines = append(lines[:len(lines)-over-1], line{{dim, fmt.Sprintf("  … %d more", over+1)}})
		}
	}
	if len(lines) > 0 {
		s.endLine()
	}
	var b strings.Builder
	b.WriteString(s.erase(columns + 1))
	b.WriteString(s.pending.String())
	s.pending.Reset()
	if len(lines) > 0 && s.last != nothing && s.last != entries {
		lines = append([]line{{}}, lines...)
	}
	for _, l := range lines {
		l = l.fit(columns)
		s.region = append(s.region, l.width())
		b.WriteString(l.render(s.options.Colour) + "\n")
	}
	if b.Len() > 0 && s.err == nil {
		_, s.err = io.WriteString(s.out, b.String())
	}
	return s.err
}

// erase goes back over the region. A terminal that became narrower has wrapped its lines.
func (s *Screen) erase(columns int) string {
	rows := 0
	for _, w := range s.region {
		rows += max(1, (w+columns-1)/columns)
	}
	s.region = s.region[:0]
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r\x1b[J", rows)
}
