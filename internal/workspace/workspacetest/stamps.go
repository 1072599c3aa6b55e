package workspacetest

import (
	"testing"

	"nanoclaw/internal/workspace"
)

func testStamps(t *testing.T, open Open) {
	files := open(t, workspace.Limits{})
	stamp := func(t *testing.T, path string, recursive bool) string {
		t.Helper()
		return must(files.Stamp(t.Context(), path, recursive))(t)
	}
	put(t, files, "d/sub/f", "aaaa")
	put(t, files, "other", "x")

	t.Run("a stamp is the same while nothing changes", func(t *testing.T) {
		first, second := stamp(t, "d/sub/f", false), stamp(t, "d/sub/f", false)
		if first != second {
			t.Error("the file's stamp changed by itself")
		}
	})
	t.Run("equal sizes within one tick are told apart, 200 times", func(t *testing.T) {
		seenFile, seenTree := map[string]bool{}, map[string]bool{}
		for i := range 200 {
			put(t, files, "d/sub/f", string([]byte{'a', 'a', byte('a' + i%16), byte('a' + i/16)}))
			seenFile[stamp(t, "d/sub/f", false)] = true
			seenTree[stamp(t, "d", true)] = true
		}
		if len(seenFile) != 200 || len(seenTree) != 200 {
			t.Fatalf("200 versions have %d file stamps and %d tree stamps", len(seenFile), len(seenTree))
		}
	})
	t.Run("a tree's stamp sees a new, a moved and a deleted file below", func(t *testing.T) {
		seen := map[string]string{stamp(t, "d", true): "before"}
		step := func(what string, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			now := stamp(t, "d", true)
			if earlier, known := seen[now]; known {
				t.Errorf("after %s the stamp is that of %s", what, earlier)
			}
			seen[now] = what
		}
		_, err := files.Write(t.Context(), "d/new", nil, workspace.WriteOptions{})
		step("a new file", err)
		step("a move", files.Move(t.Context(), "d/new", "d/sub/new"))
		_, err = files.Mkdir(t.Context(), "d/empty")
		step("a new directory", err)
		step("a delete", files.Delete(t.Context(), "d/sub/new", workspace.DeleteOptions{}))
	})
	t.Run("a missing path has a stamp that changes when it appears", func(t *testing.T) {
		before := stamp(t, "later/x", false)
		put(t, files, "later/x", "now")
		if before == "" || stamp(t, "later/x", false) == before {
			t.Error("the stamp did not change")
		}
	})
	t.Run("a path outside has no stamp", func(t *testing.T) {
		_, err := files.Stamp(t.Context(), "../x", true)
		wantCode(t, err, workspace.CodeAccessDenied)
	})
}
