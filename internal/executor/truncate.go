package executor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/jsontree"
	"nanoclaw/internal/redact"
)

// truncation makes a tree fit into a number of bytes and remembers where it cut.
type truncation struct {
	cuts []string // "data.content: 50000 of 120000 bytes"
	more int      // cuts that are not in the list

	costs map[*jsontree.Node]int // of the tree before it was cut
}

const (
	maxCuts = 5
	// reserve of a cut string for the note at its end.
	markRoom = 48
)

// truncate makes the tree fit into limit bytes: names, strings and a little for
// each item. What is slightly over stays: a tool that keeps to the limit by
// itself has other properties beside its text.
//
// Long strings are cut at a line or at least between characters. Few items
// share the room, so that each shows its beginning; of many the first are kept.
func (t *truncation) truncate(n *jsontree.Node, path string, limit int) {
	if measure(n, nil) > limit+limit/32 {
		t.costs = map[*jsontree.Node]int{}
		measure(n, t.costs)
		t.fit(n, path, limit)
	}
}

// measure returns what a value and all in it take of the limit, and notes the
// cost of each node in costs if that is not nil.
func measure(n *jsontree.Node, costs map[*jsontree.Node]int) int {
	cost := len(n.Text) + 2
	for i, item := range n.Items {
		cost += measure(item, costs) + nameCost(n, i)
	}
	if costs != nil {
		costs[n] = cost
	}
	return cost
}

// nameCost is what the name of an item takes of the limit.
func nameCost(n *jsontree.Node, i int) int {
	if n.Kind == jsontree.Object {
		return len(n.Keys[i]) + 2
	}
	return 0
}

func (t *truncation) fit(n *jsontree.Node, path string, budget int) {
	if t.costs[n] <= budget {
		return
	}
	switch n.Kind {
	case jsontree.Text, jsontree.Literal:
		whole := len(n.Text)
		shown := cutText(n.Text, budget)
		t.note("%s: %d of %d bytes", shorten(path), len(shown), whole)
		n.Text = shown
		if budget >= 2*markRoom {
			n.Text = fmt.Sprintf("%s\n[cut: %d of %d bytes]", shown, len(shown), whole)
		}
		n.Kind = jsontree.Text // a number of thousands of digits is no number any more
	case jsontree.List, jsontree.Object:
		t.fitItems(n, path, budget)
	}
}

func (t *truncation) fitItems(n *jsontree.Node, path string, budget int) {
	if len(n.Items) == 0 {
		return
	}
	costs := make([]int, len(n.Items))
	for i := range n.Items {
		costs[i] = t.costs[n.Items[i]] + nameCost(n, i)
	}
	budget -= 2 // the brackets
	whole, kept := len(costs), len(costs)
	smallest := max(2, min(256, budget/8)) // a share below this shows nothing of use
	if budget/whole < smallest {
		kept = 0
		for room := budget; kept < whole && room >= min(costs[kept], smallest); kept++ {
			costs[kept] = min(costs[kept], room)
			room -= costs[kept]
		}
		n.Items = n.Items[:kept]
	} else {
		costs = shares(costs, budget)
	}
	if n.Kind == jsontree.Object {
		kept = t.fitNames(n, path, costs)
	}
	if kept < whole {
		t.note("%s: the first %d of %d items", shorten(path), kept, whole)
	}
	for i, item := range n.Items {
		name := fmt.Sprintf("[%d]", i)
		if n.Kind == jsontree.Object {
			name = "." + n.Keys[i]
		}
		t.fit(item, path+name, costs[i]-nameCost(n, i))
	}
}

// fitNames cuts very long names of properties and drops the properties for which
// there is no room but for a part of their name. It answers how many stay.
func (t *truncation) fitNames(n *jsontree.Node, path string, budgets []int) int {
	kept := 0
	for i, item := range n.Items {
		name := n.Keys[i]
		if len(name) > 64 && len(name) > budgets[i]/2 {
			name = distinct(cutText(name, budgets[i]/2), n.Keys[:kept])
			t.note("%s: %d of %d bytes of a name", shorten(path), len(name), len(n.Keys[i]))
		}
		if len(name)+4 > budgets[i] {
			continue
		}
		n.Keys[kept], n.Items[kept], budgets[kept] = name, item, budgets[i]
		kept++
	}
	n.Keys, n.Items = n.Keys[:kept], n.Items[:kept]
	return kept
}

// shares gives each item its cost, or an equal part of what the cheaper ones leave.
func shares(costs []int, budget int) []int {
	order := make([]int, len(costs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(costs[a], costs[b]) })
	result := make([]int, len(costs))
	for done, i := range order {
		result[i] = min(costs[i], budget/(len(costs)-done))
		budget -= result[i]
	}
	return result
}

// cutText is the beginning of a text that fits, with room for a note where there
// is room at all: up to the end of a line when that keeps more than half, else
// between two characters. It never ends in a part of a placeholder.
func cutText(s string, budget int) string {
	if budget >= 2*markRoom {
		budget -= markRoom
	}
	budget = max(min(budget-2, len(s)), 0)
	for budget > 0 && budget < len(s) && !utf8.RuneStart(s[budget]) {
		budget--
	}
	shown := s[:budget]
	if end := strings.LastIndexByte(shown, '\n'); end > budget/2 {
		shown = shown[:end+1]
	}
	if len(shown) < len(s) {
		shown = shown[:redact.WholeMarks(shown)]
	}
	return shown
}

func (t *truncation) note(format string, args ...any) {
	if len(t.cuts) == maxCuts {
		t.more++
		return
	}
	t.cuts = append(t.cuts, fmt.Sprintf(format, args...))
}

// message tells the model what is missing and how to get at it; empty: nothing is.
func (t *truncation) message(limit int, readOn string) string {
	if len(t.cuts) == 0 {
		return ""
	}
	if readOn == "" {
		readOn = "ask for a part, a range or a filter to see the rest"
	}
	more := ""
	if t.more > 0 {
		more = fmt.Sprintf("; and %d more places", t.more)
	}
	return fmt.Sprintf("the output was cut at %d bytes (%s%s); %s", limit, strings.Join(t.cuts, "; "), more, readOn)
}
