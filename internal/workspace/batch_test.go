package workspace

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func newBatch(t *testing.T, files *Local, on OnConflict) *Batch {
	t.Helper()
	b, err := NewBatch(files, on, Actor{UserID: "u"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func addAll(t *testing.T, b *Batch, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := b.Add(t.Context(), name, strings.NewReader("new "+name)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

func contents(t *testing.T, root string, want map[string]string) {
	t.Helper()
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(root, name))
		if text == "" && errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil || string(got) != text {
			t.Errorf("%s is %q, %v", name, got, err)
		}
	}
}

// A5: by default an upload that would overwrite stores nothing and names every conflict.
func TestAnUploadThatConflictsStoresNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "a.txt", "old")
	put(t, root, "d/b.txt", "old")
	files := NewLocal(root, nil)
	b := newBatch(t, files, ConflictFail)
	addAll(t, b, "free.txt", "x/y/free.txt", "a.txt", "later.txt", "d/b.txt", "free.txt")
	if _, err := b.Commit(t.Context()); !IsCode(err, CodeAlreadyExists) {
		t.Errorf("it ended with %v", err)
	}
	if got := b.Conflicts(); !slices.Equal(got, []string{"a.txt", "d/b.txt", "free.txt"}) {
		t.Errorf("the conflicts are %q", got)
	}
	b.Close()
	contents(t, root, map[string]string{"a.txt": "old", "d/b.txt": "old", "free.txt": "", "x/y/free.txt": "",
		"later.txt": ""})
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 2 {
		t.Errorf("the project holds %v, %v", entries, err)
	}
	b = newBatch(t, files, ConflictFail)
	addAll(t, b, "free.txt", "x/y/free.txt")
	written, err := b.Commit(t.Context())
	if err != nil || len(written) != 2 || !written[0].Created || written[1].Path != "x/y/free.txt" ||
		written[1].Size != int64(len("new x/y/free.txt")) {
		t.Errorf("written is %+v, %v", written, err)
	}
	b.Close()
	contents(t, root, map[string]string{"free.txt": "new free.txt", "x/y/free.txt": "new x/y/free.txt"})
}

// A5: a file that breaks off leaves nothing of its batch.
func TestAnUploadThatBreaksOffLeavesNothing(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	b := newBatch(t, NewLocal(root, nil), ConflictFail)
	addAll(t, b, "d/first")
	if err := b.Add(t.Context(), "second", io.MultiReader(strings.NewReader("x"), brokenReader{})); !errors.Is(err,
		errBroken) {
		t.Errorf("it ended with %v", err)
	}
	b.Close()
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 0 {
		t.Errorf("the project holds %v, %v", entries, err)
	}
}

var errBroken = errors.New("broken")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

// A5: what is replaced can be restored, and both can be kept.
func TestAnUploadReplacesKeepsBothOrSkips(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	root := filepath.Join(base, "p")
	for _, name := range []string{"a.txt", "a (2).txt", ".env", "none"} {
		put(t, root, name, "old")
	}
	files := NewLocal(root, func() Limits { return Limits{MaxFiles: 20} }).WithTrash(filepath.Join(base, "trash"))
	b := newBatch(t, files, ConflictSkip)
	addAll(t, b, "a.txt", "fresh")
	if !slices.Equal(b.Skipped(), []string{"a.txt"}) || len(b.Written()) != 1 {
		t.Errorf("skipped %q, written %+v", b.Skipped(), b.Written())
	}
	addAll(t, newBatch(t, files, ConflictKeepBoth), "a.txt", ".env", "none", "b.txt")
	contents(t, root, map[string]string{
		"a.txt": "old", "a (2).txt": "old", "a (3).txt": "new a.txt", ".env (2)": "new .env", "none (2)": "new none",
		"b.txt": "new b.txt", "fresh": "new fresh",
	})
	addAll(t, newBatch(t, files, ConflictReplace), "a.txt", "a.txt")
	page, err := files.Trash(t.Context(), "", 10)
	if err != nil || len(page.Items) != 1 || page.Items[0].Path != "a.txt" || page.Items[0].DeletedBy != "u" {
		t.Fatalf("the trash holds %+v, %v", page.Items, err) // the same content again is no new version
	}
	contents(t, root, map[string]string{"a.txt": "new a.txt"})
	if _, err := files.Restore(t.Context(), page.Items[0].ID, "restored.txt"); err != nil {
		t.Fatal(err)
	}
	contents(t, root, map[string]string{"restored.txt": "old"})
	for _, pattern := range []string{"*tmp*", "**/.nanoclaw*"} {
		if left, err := filepath.Glob(filepath.Join(root, pattern)); err != nil || len(left) != 0 {
			t.Errorf("left over: %q, %v", left, err)
		}
	}
	used := files.usage.used()
	if err := files.recount(t.Context()); err != nil || used != files.usage.used() {
		t.Errorf("it was counted as %+v and is %+v, %v", used, files.usage.used(), err)
	}
}

// A5: a write that keeps the old content is refused by its conditions as any other.
func TestAWriteKeepsTheOldContent(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	root := filepath.Join(base, "p")
	put(t, root, "f", "one")
	files := NewLocal(root, nil).WithTrash(filepath.Join(base, "trash"))
	keep := WriteOptions{Keep: &Actor{UserID: "u"}}
	if _, err := files.Write(t.Context(), "f", []byte("two"), keep); err != nil {
		t.Fatal(err)
	}
	keep.IfMatch = "wrong"
	if _, err := files.Write(t.Context(), "f", []byte("three"), keep); !IsCode(err, CodePreconditionFailed) {
		t.Errorf("a stale write: %v", err)
	}
	page, err := files.Trash(t.Context(), "", 10)
	if err != nil || len(page.Items) != 1 || page.Items[0].Size != 3 {
		t.Errorf("the trash holds %+v, %v", page.Items, err)
	}
	contents(t, root, map[string]string{"f": "two"})
}
