package workspacetest

import (
	"testing"

	"nanoclaw/internal/workspace"
)

func testTree(t *testing.T, open Open) {
	t.Run("mkdir makes parents and says whether it was needed", func(t *testing.T) {
		files := open(t, workspace.Limits{})
		if !must(files.Mkdir(t.Context(), "a/b/c"))(t) {
			t.Error("the first mkdir created nothing")
		}
		if must(files.Mkdir(t.Context(), "a/b/c"))(t) || must(files.Mkdir(t.Context(), "."))(t) {
			t.Error("a directory was created twice")
		}
		wantPaths(t, must(files.List(t.Context(), "", workspace.ListOptions{Recursive: true}))(t), "a", "a/b", "a/b/c")
	})
	t.Run("a move takes files and directories to new parents", func(t *testing.T) {
		files := open(t, workspace.Limits{})
		put(t, files, "src/a.txt", "A")
		put(t, files, "src/sub/b.txt", "B")
		if err := files.Move(t.Context(), "src/a.txt", "x/y/a2.txt"); err != nil {
			t.Fatal(err)
		}
		if err := files.Move(t.Context(), "src", "x/src2"); err != nil {
			t.Fatal(err)
		}
		wantContent(t, files, "x/y/a2.txt", "A")
		wantContent(t, files, "x/src2/sub/b.txt", "B")
		wantPaths(t, must(files.List(t.Context(), "", workspace.ListOptions{}))(t), "x")
	})
	t.Run("of 8 concurrent moves to one place exactly one wins and nothing is lost", func(t *testing.T) {
		files := open(t, workspace.Limits{})
		for i := range 8 {
			put(t, files, string(rune('a'+i)), "x")
		}
		together(8, func(i int) {
			err := files.Move(t.Context(), string(rune('a'+i)), "target")
			if err != nil && codeOf(err) != workspace.CodeAlreadyExists {
				t.Errorf("a loser got %v", err)
			}
		})
		if n := len(must(files.List(t.Context(), "", workspace.ListOptions{}))(t).Entries); n != 8 {
			t.Fatalf("%d files are left of 8", n)
		}
	})
	t.Run("a recursive delete takes the directory and nothing beside it", func(t *testing.T) {
		files := open(t, workspace.Limits{})
		put(t, files, "d/a/b", "x")
		put(t, files, "d2", "y")
		if err := files.Delete(t.Context(), "d", workspace.DeleteOptions{Recursive: true}); err != nil {
			t.Fatal(err)
		}
		wantPaths(t, must(files.List(t.Context(), "", workspace.ListOptions{}))(t), "d2")
	})
}

func testListing(t *testing.T, open Open) {
	files := open(t, workspace.Limits{})
	for _, path := range []string{"b.txt", "a.go", "dir/z.go", "dir/y.txt", "dir/deep/x.go", "Z.md", ".hidden",
		".git/config"} {
		put(t, files, path, "content")
	}
	list := func(t *testing.T, path string, opts workspace.ListOptions) workspace.Listing {
		t.Helper()
		return must(files.List(t.Context(), path, opts))(t)
	}
	t.Run("by name", func(t *testing.T) {
		wantPaths(t, list(t, "", workspace.ListOptions{}), ".git", ".hidden", "Z.md", "a.go", "b.txt", "dir")
	})
	t.Run("directories first", func(t *testing.T) {
		wantPaths(t, list(t, "", workspace.ListOptions{DirsFirst: true}), ".git", "dir", ".hidden", "Z.md", "a.go",
			"b.txt")
	})
	t.Run("recursive, without what git keeps", func(t *testing.T) {
		wantPaths(t, list(t, "", workspace.ListOptions{Recursive: true}),
			".git", ".hidden", "Z.md", "a.go", "b.txt", "dir", "dir/deep", "dir/deep/x.go", "dir/y.txt", "dir/z.go")
		wantPaths(t, list(t, ".git", workspace.ListOptions{Recursive: true}), ".git/config")
	})
	t.Run("by pattern, with paths from the root", func(t *testing.T) {
		wantPaths(t, list(t, "dir", workspace.ListOptions{Pattern: "*.go", Recursive: true}), "dir/deep/x.go",
			"dir/z.go")
		wantPaths(t, list(t, "", workspace.ListOptions{Pattern: "*.{md,txt}"}), "Z.md", "b.txt")
	})
	t.Run("bounded", func(t *testing.T) {
		some := list(t, "", workspace.ListOptions{Limit: 2})
		wantPaths(t, some, ".git", ".hidden")
		if !some.Truncated || list(t, "", workspace.ListOptions{Limit: 6}).Truncated || list(t, "",
			workspace.ListOptions{Limit: -1}).Truncated {
			t.Error("truncated says the wrong thing")
		}
	})
	t.Run("entries say what they are", func(t *testing.T) {
		for _, entry := range list(t, "", workspace.ListOptions{Pattern: "{dir,b.txt}"}).Entries {
			isDir := entry.Name == "dir"
			if (entry.Type == workspace.TypeDirectory) != isDir || (entry.Size == 7) == isDir ||
				entry.Modified.IsZero() {
				t.Errorf("entry %+v", entry)
			}
		}
	})
	t.Run("globs", func(t *testing.T) {
		for pattern, want := range map[string][]string{
			"*.go": {"a.go"}, "**/*.go": {"a.go", "dir/deep/x.go", "dir/z.go"}, "dir/*.go": {"dir/z.go"},
			"dir/**": {"dir/deep", "dir/deep/x.go", "dir/y.txt", "dir/z.go"}, "*/y.???": {"dir/y.txt"}, "nothing/*": {},
			"[ab].*": {"a.go", "b.txt"}, "dir/{y,z}.*": {"dir/y.txt", "dir/z.go"}, "b.txt": {"b.txt"},
			".git/*": {".git/config"},
		} {
			got := must(files.Glob(t.Context(), pattern, workspace.GlobOptions{}))(t)
			t.Run(pattern, func(t *testing.T) { wantPaths(t, got, want...) })
		}
		wantPaths(t, must(files.Glob(t.Context(), "*.go", workspace.GlobOptions{Path: "dir"}))(t), "dir/z.go")
		if !must(files.Glob(t.Context(), "**/*.go", workspace.GlobOptions{Limit: 2}))(t).Truncated {
			t.Error("a cut glob does not say so")
		}
	})
}
