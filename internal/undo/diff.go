package undo

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// contextLines are what a diff shows around a change.
const contextLines = 3

// maxEdits bounds the work of a diff: texts that differ in more lines are shown as
// one replaced by the other.
const maxEdits = 1000

// isText says whether a content can be shown as lines.
func isText(content []byte) bool {
	return utf8.Valid(content) && !strings.ContainsRune(string(content), 0)
}

// Unified is the difference of two texts in the unified format; empty: none.
func Unified(from, to string, before, after []byte) string { return unified(from, to, before, after) }

// unified is the difference of two texts in the unified format; empty: none.
func unified(from, to string, before, after []byte) string {
	a, b := lines(string(before)), lines(string(after))
	edits := compare(a, b)
	var out strings.Builder
	for i := 0; i < len(edits); {
		if edits[i].op == ' ' {
			i++
			continue
		}
		if out.Len() == 0 {
			fmt.Fprintf(&out, "--- %s\n+++ %s\n", from, to)
		}
		start := max(0, i-contextLines)
		end := hunkEnd(edits, i)
		writeHunk(&out, edits[start:end])
		i = end
	}
	return out.String()
}

// hunkEnd is behind the context of the last change that is near the one at i.
func hunkEnd(edits []edit, i int) int {
	last := i
	for j := i; j < len(edits) && j-last <= 2*contextLines; j++ {
		if edits[j].op != ' ' {
			last = j
		}
	}
	return min(len(edits), last+contextLines+1)
}

func writeHunk(out *strings.Builder, hunk []edit) {
	var removed, added int
	for _, e := range hunk {
		if e.op != '+' {
			removed++
		}
		if e.op != '-' {
			added++
		}
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", span(hunk[0].a, removed), span(hunk[0].b, added))
	for _, e := range hunk {
		out.WriteByte(e.op)
		out.WriteString(e.text)
		if !strings.HasSuffix(e.text, "\n") {
			out.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// span is a range of lines as a hunk's head has it; of none, the line before.
func span(start, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", start)
	case 1:
		return fmt.Sprint(start + 1)
	}
	return fmt.Sprintf("%d,%d", start+1, count)
}

// lines keeps the line breaks.
func lines(text string) []string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// edit is one line: kept (' '), removed ('-') or added ('+'). a and b are how many
// lines of either text come before it.
type edit struct {
	op   byte
	text string
	a, b int
}

// compare is the shortest way from a to b, after Myers (1986).
func compare(a, b []string) []edit {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA, endB = endA-1, endB-1
	}
	var edits []edit
	add := func(op byte, i, j int) {
		text := ""
		if op == '+' {
			text = b[j]
		} else {
			text = a[i]
		}
		edits = append(edits, edit{op, text, i, j})
	}
	for i := range start {
		add(' ', i, i)
	}
	for _, s := range script(a[start:endA], b[start:endB]) {
		add(s.op, start+s.a, start+s.b)
	}
	for i := endA; i < len(a); i++ {
		add(' ', i, endB+i-endA)
	}
	return edits
}

// script is the greedy algorithm with the reached ends of every step kept.
func script(a, b []string) []edit {
	n, m := len(a), len(b)
	most := min(n+m, maxEdits)
	reached := make([]int, 2*most+3)
	at := func(k int) int { return k + most + 1 }
	var trace [][]int
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int(nil), reached[at(-d-1):at(d+1)+1]...))
		for k := -d; k <= d; k += 2 {
			x := reached[at(k-1)] + 1
			if k == -d || k != d && reached[at(k-1)] < reached[at(k+1)] {
				x = reached[at(k+1)]
			}
			for x < n && x-k < m && a[x] == b[x-k] {
				x++
			}
			reached[at(k)] = x
			if x >= n && x-k >= m {
				return backtrack(trace, n, m)
			}
		}
	}
	return replaced(n, m)
}

// backtrack follows the steps from the end to the beginning.
func backtrack(trace [][]int, x, y int) []edit {
	var edits []edit
	for d := len(trace) - 1; d >= 0; d-- {
		reached := func(k int) int { return trace[d][k+d+1] }
		k := x - y
		previous := k - 1
		if k == -d || k != d && reached(k-1) < reached(k+1) {
			previous = k + 1
		}
		fromX := reached(previous)
		fromY := fromX - previous
		for x > fromX && y > fromY && x > 0 && y > 0 {
			x, y = x-1, y-1
			edits = append(edits, edit{op: ' ', a: x, b: y})
		}
		if d == 0 {
			break
		}
		op := byte('-')
		if previous == k+1 {
			op = '+'
		}
		edits = append(edits, edit{op: op, a: fromX, b: fromY})
		x, y = fromX, fromY
	}
	slices.Reverse(edits)
	return edits
}

// replaced is every line of one text removed and every line of the other added.
func replaced(n, m int) []edit {
	var edits []edit
	for i := range n {
		edits = append(edits, edit{op: '-', a: i})
	}
	for j := range m {
		edits = append(edits, edit{op: '+', a: n, b: j})
	}
	return edits
}
