package builtin

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/workspace"
)

func names(entries []workspace.Entry) (paths []string) {
	for _, entry := range entries {
		paths = append(paths, entry.Path)
	}
	return paths
}

func TestBT6FilesAreMovedListedAndDeleted(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if got := must[fileMkdirResult](t, d, "file_mkdir", map[string]any{"path": "a/b"}); !got.Created {
		t.Errorf("mkdir reports %+v", got)
	}
	if got := must[fileMkdirResult](t, d, "file_mkdir", map[string]any{"path": "a/b"}); got.Created {
		t.Errorf("a second mkdir reports %+v", got)
	}
	d.put(t, "z.txt", "12345")
	d.put(t, "你好.md", "x")
	must[fileMoveResult](t, d, "file_move", map[string]any{"from": "z.txt", "to": "a/c/y.txt"})

	got := must[fileListResult](t, d, "file_list", map[string]any{})
	if !slices.Equal(names(got.Entries), []string{"a", "你好.md"}) || got.Path != "." || got.Truncated {
		t.Errorf("list says %+v", got)
	}
	got = must[fileListResult](t, d, "file_list", map[string]any{"path": "/", "recursive": true})
	if !slices.Equal(names(got.Entries), []string{"a", "a/b", "a/c", "a/c/y.txt", "你好.md"}) {
		t.Errorf("recursive list says %v", names(got.Entries))
	}
	got = must[fileListResult](t, d, "file_list", map[string]any{"path": "a", "recursive": true, "pattern": "*.txt"})
	if len(got.Entries) != 1 || got.Entries[0].Size != 5 || got.Entries[0].Type != workspace.TypeFile ||
		got.Entries[0].Name != "y.txt" {
		t.Errorf("list with a pattern says %+v", got)
	}

	for path, want := range map[string]fileExistsResult{
		"a":         {Path: "a", Exists: true, Type: workspace.TypeDirectory},
		"a/c/y.txt": {Path: "a/c/y.txt", Exists: true, Type: workspace.TypeFile, Size: 5},
		"z.txt":     {Path: "z.txt"},
	} {
		if got := must[fileExistsResult](t, d, "file_exists", map[string]any{"path": path}); got != want {
			t.Errorf("exists says %+v", got)
		}
	}
	must[fileDeleteResult](t, d, "file_delete", map[string]any{"path": "你好.md"})
	must[fileDeleteResult](t, d, "file_delete", map[string]any{"path": "a", "recursive": true})
	if got := must[fileListResult](t, d, "file_list", map[string]any{}); len(got.Entries) != 0 {
		t.Errorf("left over: %+v", got)
	}
}

func TestBT6FilesAreFound(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put(t, "src/a.go", "package a\n// TODO one\nfunc a() {}\n")
	d.put(t, "src/b.md", "# todo two\n")
	glob := must[fileGlobResult](t, d, "file_glob", map[string]any{"pattern": "**/*.go"})
	if !slices.Equal(names(glob.Entries), []string{"src/a.go"}) {
		t.Errorf("glob says %+v", glob)
	}
	if none := must[fileGlobResult](t, d, "file_glob", map[string]any{"pattern": "*.go"}); len(none.Entries) != 0 ||
		!strings.Contains(none.Hint, "**/*.go") {
		t.Errorf("a glob that misses says %+v", none)
	}
	grep := must[fileGrepResult](t, d, "file_grep", map[string]any{"pattern": "TODO", "context": 1})
	if len(grep.Matches) != 1 || grep.Matches[0].Line != 2 || !slices.Equal(grep.Matches[0].After,
		[]string{"func a() {}"}) {
		t.Errorf("grep says %+v", grep)
	}
	grep = must[fileGrepResult](t, d, "file_grep", map[string]any{"pattern": "TODO", "case_sensitive": false,
		"max_results": 1})
	if len(grep.Matches) != 1 || !grep.Truncated || grep.Hint == "" {
		t.Errorf("grep with a limit says %+v", grep)
	}
	grep = must[fileGrepResult](t, d, "file_grep", map[string]any{"pattern": `t.do \w+$`, "glob": "*.md",
		"path": "src"})
	if len(grep.Matches) != 1 || grep.Matches[0].Path != "src/b.md" || grep.FilesSearched != 1 {
		t.Errorf("grep in some files says %+v", grep)
	}
}

// EX5: file tools keep to the output limit themselves, so that what is cut is
// cut between entries and says how to go on.
func TestEX5LargeAnswersFitIntoTheOutput(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i := range 400 {
		d.put(t, fmt.Sprintf("%s/%04d-%s.txt", strings.Repeat("深", 20), i, strings.Repeat("n", 60)),
			strings.Repeat("match and more text ", 200))
	}
	list := must[fileListResult](t, d, "file_list", map[string]any{"recursive": true})
	glob := must[fileGlobResult](t, d, "file_glob", map[string]any{"pattern": "**"})
	grep := must[fileGrepResult](t, d, "file_grep", map[string]any{"pattern": "match", "max_results": 1000,
		"context": 3})
	for name, answer := range map[string]any{"list": list, "glob": glob, "grep": grep} {
		text, err := json.Marshal(answer)
		if err != nil || len(text) > maxFileOutput*21/20 || len(text) < maxFileOutput/2 {
			t.Errorf("%s answers with %d bytes, %v", name, len(text), err)
		}
	}
	if !list.Truncated || !glob.Truncated || !grep.Truncated || list.Hint == "" || glob.Hint == "" || grep.Hint == "" {
		t.Error("an answer that was cut does not say so")
	}
}
