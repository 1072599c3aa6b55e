package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"nanoclaw/internal/visible"
)

// runeWidth is the number of columns that a character takes in a terminal: 2 for
// ideographs, full-width forms and emoji, 0 for what is drawn over the character
// before it.
func runeWidth(r rune) int {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return 0
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) || r >= 0x1160 && r <= 0x11ff:
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// textWidth is the number of columns of a text on one line.
func textWidth(s string) int {
	columns := 0
	for _, r := range s {
		columns += runeWidth(r)
	}
	return columns
}

const ellipsis = "…"

// cut shortens a text to so many columns, with an ellipsis where something is
// left out.
func cut(s string, columns int) string {
	if columns <= 0 {
		return ""
	}
	used, end := 0, 0 // end: how much stands before the ellipsis
	for i, r := range s {
		if used < columns {
			end = i
		}
		if used += runeWidth(r); used > columns {
			return s[:end] + ellipsis
		}
	}
	return s
}

// cutFront is cut that keeps the end of the text.
func cutFront(s string, columns int) string {
	if columns <= 0 {
		return ""
	}
	if textWidth(s) <= columns {
		return s
	}
	runes := []rune(s)
	used, start := 1, len(runes)
	for start > 0 && used+runeWidth(runes[start-1]) <= columns {
		start--
		used += runeWidth(runes[start])
	}
	for start < len(runes) && runeWidth(runes[start]) == 0 {
		start++ // what is drawn over a character that is left out
	}
	return ellipsis + string(runes[start:])
}

// clean takes out of a text what would control the terminal or turn its order
// around. Line breaks and tabs stay.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !controls(r) {
			return r
		}
		return -1
	}, s)
}

// revealLine is a text that a person decides on, with every run of white space as one space.
func revealLine(s string) string {
	return visible.Text(strings.Join(strings.FieldsFunc(s, isBlank), " "))
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// cutTelling is cut that says how much is missing.
func cutTelling(s string, columns int) string {
	short := cut(s, columns)
	if short == s {
		return s
	}
	left := utf8.RuneCountInString(s) - utf8.RuneCountInString(short) + 1
	return fmt.Sprintf("%s (%d more)", short, left)
}

// oneLine is clean with every run of white space as one space.
func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// controls says whether a character controls the terminal: C0 and C1, and the
// signs that override the direction of text.
func controls(r rune) bool {
	switch {
	case unicode.IsControl(r):
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c, r == 0xfeff:
		return true
	}
	return false
}
