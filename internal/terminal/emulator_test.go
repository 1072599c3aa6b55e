package terminal

import (
	"strconv"
	"strings"
	"testing"
)

// emulator is as much of a terminal as a Screen uses. Anything else fails the test.
type emulator struct {
	t       *testing.T
	columns int
	rows    [][]rune // one entry per column; the right half of a wide character is 0
	row     int
	column  int
	height  int
}

func newEmulator(t *testing.T, columns, height int) *emulator {
	return &emulator{t: t, columns: columns, height: height, rows: [][]rune{nil}}
}

func (e *emulator) Write(p []byte) (int, error) {
	text := string(p)
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
			if end < 0 {
				e.t.Fatalf("an escape sequence is cut: %q", text)
			}
			e.control(rest[:end], rest[end])
			text = rest[end+1:]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		e.put(r)
	}
	return len(p), nil
}

func (e *emulator) control(parameter string, command byte) {
	switch command {
	case 'm':
	case 'A':
		n, err := strconv.Atoi(parameter)
		if err != nil || e.row-n < max(0, len(e.rows)-e.height) {
			e.t.Errorf("the cursor goes up %q from row %d of %d, in a window of %d", parameter, e.row, len(e.rows),
				e.height)
		}
		e.row = max(0, e.row-n)
	case 'J':
		e.rows = append(e.rows[:e.row:e.row], e.rows[e.row][:min(e.column, len(e.rows[e.row]))])
	default:
		e.t.Errorf("unknown control %q %c", parameter, command)
	}
}

func (e *emulator) put(r rune) {
	switch {
	case r == '\n':
		e.row, e.column = e.row+1, 0
	case r == '\r':
		e.column = 0
	case r < ' ' || r == 0x7f:
		e.t.Errorf("a control character %q", r)
	default:
		w := runeWidth(r)
		if e.column+w > e.columns {
			e.row, e.column = e.row+1, 0
		}
		e.need()
		line := e.rows[e.row]
		for len(line) < e.column+w {
			line = append(line, ' ')
		}
		if w > 0 {
			line[e.column] = r
		}
		if w == 2 {
			line[e.column+1] = 0
		}
		e.rows[e.row] = line
		e.column += w
	}
	e.need()
}

func (e *emulator) need() {
	for len(e.rows) <= e.row {
		e.rows = append(e.rows, nil)
	}
}

// lines is what is on the terminal and above it.
func (e *emulator) lines() []string {
	var out []string
	for _, row := range e.rows {
		out = append(out, strings.TrimRight(strings.ReplaceAll(string(row), "\x00", ""), " "))
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

func (e *emulator) want(lines ...string) {
	e.t.Helper()
	if got, want := strings.Join(e.lines(), "\n"), strings.Join(lines, "\n"); got != want {
		e.t.Errorf("the terminal shows\n%s\nwant\n%s", got, want)
	}
}
