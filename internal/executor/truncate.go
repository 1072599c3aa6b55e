package executor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/redact"
)

// truncation makes a tree fit into a number of bytes and remembers where it cut.
type truncation struct {
	cuts []string // "data.content: 50000 of 120000 bytes"
	more int      // cuts that are not in the list
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
func (t *truncation) truncate(n *node, path string, limit int) {
	if measure(n) > limit+limit/32 {
		t.fit(n, path, limit)
	}
}

// measure works out what a value and all in it take of the limit.
func measure(n *node) int {
	n.cost = len(n.text) + 2
	for i, item := range n.items {
		measure(item)
		n.cost += n.itemCost(i)
	}
	return n.cost
}

// itemCost is what one item takes, its name included. Valid once it was measured.
func (n *node) itemCost(i int) int {
	if n.kind == kindObject {
		return n.items[i].cost + len(n.keys[i]) + 2
	}
	return n.items[i].cost
}

func (t *truncation) fit(n *node, path string, budget int) {
	if n.cost <= budget {
		return
	}
	switch n.kind {
	case kindText, kindLiteral:
		whole := len(n.text)
		shown := cutText(n.text, budget)
		t.note("%s: %d of %d bytes", shorten(path), len(shown), whole)
		n.text = shown
		if budget >= 2*markRoom {
			n.text = fmt.Sprintf("%s\n[cut: %d of %d bytes]", shown, len(shown), whole)
		}
		n.kind = kindText // a number of thousands of digits is no number any more
	case kindList, kindObject:
		t.fitItems(n, path, budget)
	}
}

func (t *truncation) fitItems(n *node, path string, budget int) {
	if len(n.items) == 0 {
		return
	}
	costs := make([]int, len(n.items))
	for i := range n.items {
		costs[i] = n.itemCost(i)
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
		n.items = n.items[:kept]
	} else {
		costs = shares(costs, budget)
	}
	if n.kind == kindObject {
		kept = t.fitNames(n, path, costs)
	}
	if kept < whole {
		t.note("%s: the first %d of %d items", shorten(path), kept, whole)
	}
	for i, item := range n.items {
		if n.kind == kindObject {
			t.fit(item, path+"."+n.keys[i], costs[i]-len(n.keys[i])-2)
		} else {
			t.fit(item, fmt.Sprintf("%s[%d]", path, i), costs[i])
		}
	}
}

// fitNames cuts very long names of properties and drops the properties for which
// there is no room but for a part of their name. It answers how many stay.
func (t *truncation) fitNames(n *node, path string, budgets []int) int {
	kept := 0
	for i, item := range n.items {
		name := n.keys[i]
		if len(name) > 64 && len(name) > budgets[i]/2 {
			name = distinct(cutText(name, budgets[i]/2), n.keys[:kept])
			t.note("%s: %d of %d bytes of a name", shorten(path), len(name), len(n.keys[i]))
		}
		if len(name)+4 > budgets[i] {
			continue
		}
		n.keys[kept], n.items[kept], budgets[kept] = name, item, budgets[i]
		kept++
	}
	n.keys, n.items = n.keys[:kept], n.items[:kept]
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
