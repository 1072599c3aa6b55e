package builtin

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// sortLines sorts by text, or by the number at the beginning of each line, where
// lines without one come last. Equal lines keep their order.
func sortLines(text, order string, numeric bool) string {
	lines := splitLines(text)
	direction := 1
	if order == "desc" {
		direction = -1
	}
	if !numeric {
		slices.SortStableFunc(lines, func(a, b string) int { return direction * strings.Compare(a, b) })
		return strings.Join(lines, "\n")
	}
	type numbered struct {
		decimal
		line string
	}
	all := make([]numbered, len(lines))
	for i, line := range lines {
		all[i] = numbered{leadingDecimal(line), line}
	}
	slices.SortStableFunc(all, func(a, b numbered) int {
		if a.none || b.none {
			return cmp.Compare(b2i(a.none), b2i(b.none))
		}
		return direction * a.compare(b.decimal)
	})
	for i := range all {
		lines[i] = all[i].line
	}
	return strings.Join(lines, "\n")
}

// decimal is a number of any size: its digits before and behind the point,
// without needless zeros.
type decimal struct {
	negative, none  bool
	whole, fraction string
}

var decimalStart = regexp.MustCompile(`^\s*([-+]?)(\d*)(?:\.(\d*))?`)

func leadingDecimal(line string) decimal {
	match := decimalStart.FindStringSubmatch(line)
	d := decimal{whole: strings.TrimLeft(match[2], "0"), fraction: strings.TrimRight(match[3], "0")}
	d.none = match[2] == "" && match[3] == ""
	d.negative = match[1] == "-" && (d.whole != "" || d.fraction != "")
	return d
}

func (d decimal) compare(other decimal) int {
	if d.negative != other.negative {
		return cmp.Compare(b2i(other.negative), b2i(d.negative))
	}
	order := cmp.Or(cmp.Compare(len(d.whole), len(other.whole)), strings.Compare(d.whole, other.whole),
		strings.Compare(d.fraction, other.fraction))
	if d.negative {
		return -order
	}
	return order
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
