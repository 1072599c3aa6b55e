package terminal

import "strings"

// style is a look of a piece of text; the value is the parameter of its escape
// sequence (ECMA-48, SGR).
type style string

const (
	normal style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	green  style = "32"
	yellow style = "33"
	cyan   style = "36"
)

// span is a piece of a line; its text holds no control character.
type span struct {
	style style
	text  string
}

// line is a line of the terminal.
type line []span

func (l line) width() int {
	columns := 0
	for _, s := range l {
		columns += textWidth(s.text)
	}
	return columns
}

// fit shortens a line to so many columns.
func (l line) fit(columns int) line {
	if l.width() <= columns {
		return l
	}
	var out line
	for _, s := range l {
		w := textWidth(s.text)
		if w >= columns {
			// One column more makes sure of the ellipsis, which later spans need too.
			return append(out, span{s.style, cut(s.text+" ", columns)})
		}
		columns -= w
		out = append(out, s)
	}
	return out
}

// render writes the line with its looks, or as bare text.
func (l line) render(colour bool) string {
	var b strings.Builder
	for _, s := range l {
		if s.style == normal || !colour || s.text == "" {
			b.WriteString(s.text)
			continue
		}
		b.WriteString("\x1b[" + string(s.style) + "m" + s.text + "\x1b[0m")
	}
	return b.String()
}

// spread puts right at the right edge, as far as both fit; else left is shortened.
func spread(left line, right line, columns int) line {
	room := columns - right.width() - 1
	if room < 1 {
		return left.fit(columns)
	}
	left = left.fit(room)
	gap := columns - left.width() - right.width()
	return append(append(left[:len(left):len(left)], span{normal, strings.Repeat(" ", gap)}), right...)
}
