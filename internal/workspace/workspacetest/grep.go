package workspacetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"nanoclaw/internal/workspace"
)

func testGrep(t *testing.T, open Open) {
	files := open(t, workspace.Limits{MaxFileSize: 4 << 20})
	put(t, files, "a.txt", "first line\nTODO: alpha\nthird\nfourth TODO\n")
	put(t, files, "src/b.go", "package b\r\n// todo beta (x)\r\nfunc f() {}\r\n")
	put(t, files, "src/深/c.md", "中文内容在这里\n没有\n")
	put(t, files, "binary.bin", "TODO\x00\x01")
	put(t, files, "long.txt", strings.Repeat("长", 30_000)+"NEEDLE"+strings.Repeat("x", 3_000_000)+"\nafter NEEDLE")

	find := func(t *testing.T, opts workspace.GrepOptions) workspace.GrepResult {
		t.Helper()
		return must(files.Grep(t.Context(), opts))(t)
	}
	hits := func(r workspace.GrepResult) (found []string) {
		for _, match := range r.Matches {
			found = append(found, fmt.Sprintf("%s:%d:%d", match.Path, match.Line, match.Column))
		}
		return found
	}
	for name, c := range map[string]struct {
		opts workspace.GrepOptions
		want []string
	}{
		"any case": {workspace.GrepOptions{Pattern: "todo"}, []string{"a.txt:2:1", "a.txt:4:8",
			"src/b.go:2:4"}},
		"exact case": {workspace.GrepOptions{Pattern: "todo", CaseSensitive: true},
			[]string{"src/b.go:2:4"}},
		"an expression": {workspace.GrepOptions{Pattern: `^f\w+ `, CaseSensitive: true}, []string{"a.txt:1:1",
			"a.txt:4:1", "src/b.go:3:1"}},
		"the end of a line": {workspace.GrepOptions{Pattern: `\)$`}, []string{"src/b.go:2:16"}},
		"literal text":      {workspace.GrepOptions{Pattern: "(x)", Literal: true}, []string{"src/b.go:2:14"}},
		"Chinese":           {workspace.GrepOptions{Pattern: "内容"}, []string{"src/深/c.md:1:3"}},
		"a directory":       {workspace.GrepOptions{Pattern: "todo", Path: "src"}, []string{"src/b.go:2:4"}},
		"one file": {workspace.GrepOptions{Pattern: "todo", Path: "a.txt"}, []string{"a.txt:2:1",
			"a.txt:4:8"}},
		"a name": {workspace.GrepOptions{Pattern: ".", Glob: "*.md"}, []string{"src/深/c.md:1:1",
			"src/深/c.md:2:1"}},
		"a path": {workspace.GrepOptions{Pattern: "package", Glob: "src/*.go"},
			[]string{"src/b.go:1:1"}},
		"a path from the search": {workspace.GrepOptions{Pattern: "没有", Path: "src", Glob: "*/*.md"},
			[]string{"src/深/c.md:2:1"}},
		"far into a line": {workspace.GrepOptions{Pattern: "NEEDLE"}, []string{"long.txt:1:30001",
			"long.txt:2:7"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hits(find(t, c.opts)); !slices.Equal(got, c.want) {
				t.Fatalf("found %q, want %q", got, c.want)
			}
		})
	}
	testGrepResults(t, find)
}

// testGrepResults is about what a result shows of its matches.
func testGrepResults(t *testing.T, find func(*testing.T, workspace.GrepOptions) workspace.GrepResult) {
	t.Run("lines around a match", func(t *testing.T) {
		got := find(t, workspace.GrepOptions{Pattern: "third", Context: 2}).Matches[0]
		if !slices.Equal(got.Before, []string{"first line", "TODO: alpha"}) || !slices.Equal(got.After,
			[]string{"fourth TODO"}) {
			t.Fatalf("context is %q and %q", got.Before, got.After)
		}
		near := find(t, workspace.GrepOptions{Pattern: "todo", Path: "a.txt", Context: 1})
		if !slices.Equal(near.Matches[0].After, []string{"third"}) || !slices.Equal(near.Matches[1].Before,
			[]string{"third"}) {
			t.Fatalf("matches are %+v", near.Matches)
		}
	})
	t.Run("long lines are cut around the match", func(t *testing.T) {
		text := find(t, workspace.GrepOptions{Pattern: "NEEDLE"}).Matches[0].Text
		if len(text) > workspace.MaxGrepLine+10 || !strings.Contains(text, "NEEDLE") || !utf8.ValidString(text) ||
			!strings.HasPrefix(text, "…") {
			t.Fatalf("the line is %d bytes: %q", len(text), short(text))
		}
	})
	t.Run("results are bounded and say so", func(t *testing.T) {
		some := find(t, workspace.GrepOptions{Pattern: "todo", MaxResults: 2})
		if len(some.Matches) != 2 || !some.Truncated {
			t.Fatalf("%d matches, truncated %v", len(some.Matches), some.Truncated)
		}
		if all := find(t, workspace.GrepOptions{Pattern: "todo", MaxResults: 3}); all.Truncated {
			t.Fatal("all matches are there, but it says truncated")
		}
	})
	t.Run("binary files are skipped and counted", func(t *testing.T) {
		if got := find(t, workspace.GrepOptions{Pattern: "todo"}); got.FilesSkipped != 1 || got.FilesSearched != 4 {
			t.Fatalf("searched %d, skipped %d", got.FilesSearched, got.FilesSkipped)
		}
	})
}
