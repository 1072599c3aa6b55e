package shellsyntax

import (
	"slices"
	"testing"

	"mvdan.cc/sh/v3/syntax"
)

// walkedNodes are the nodes that syntax.Walk comes to, of the kinds that count.
func walkedNodes(file *syntax.File) []syntax.Node {
	z := &analyzer{}
	z.walk(file)
	return z.nodes
}

// FuzzNodesOf compares the walk of the analysis with that of the parser's package:
// a node that is passed over is a command that nobody looks at.
func FuzzNodesOf(f *testing.F) {
	for _, line := range []string{
		"", "a; b && c || d | e & f", "x=1 y[2]=3 z=(4 $(five)) six", "for i in a $(b) \"$(c)\"; do d; done; for ((i=0; i<$(n); i++)); do e; done",
		"while a; do b; done; until c; do d; done; if a; then b; elif c; then d; else e; fi", "case $(a) in b|$(c)) d;; esac; f() { g; }; (h; i) > $(j) <<< $(k)",
		"cat <<E\n$(a) ${b:-$(c)}\nE\n", "a <(b) >(c) \"${d[$(e)]}\" ${f/$(g)/`h`} $((1 + $(i)))", "declare a=$(b); let x=$(c); [[ $(d) == e ]]; time f; coproc g; ! h", "echo @($(a)|b) {c,$(d)}",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		script, err := Parse(line)
		if err != nil {
			return
		}
		z := &analyzer{}
		got, want := z.nodesOf(script.file), walkedNodes(script.file)
		if !slices.Equal(got, want) {
			t.Errorf("%q: %d nodes, want %d:\n%v\n%v", line, len(got), len(want), got, want)
		}
	})
}
