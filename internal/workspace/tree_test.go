package workspace

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// put writes a file of a test, with its parents.
func put(t *testing.T, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// deep makes directories in each other, deeper than a path can name.
func deep(t *testing.T, root string, depth int) {
	t.Helper()
	at, err := unix.Open(root, unix.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for range depth {
		if err := unix.Mkdirat(at, "d", 0o755); err != nil {
			t.Fatal(err)
		}
		next, err := unix.Openat(at, "d", unix.O_DIRECTORY, 0)
		unix.Close(at)
		if err != nil {
			t.Fatal(err)
		}
		at = next
	}
	unix.Close(at)
}

func paths(entries []Entry) (all []string) {
	for _, e := range entries {
		all = append(all, e.Path)
	}
	return all
}

// 10: searches leave out .git and what .gitignore names, and find it where they begin there.
func TestWalksLeaveOutIgnoredFolders(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, name := range []string{
		"main.go", ".git/needle", "node_modules/a/needle", "build/needle", "src/build/needle", "src/gen/needle",
		"gen/needle", "log.txt",
		"src/{x}/needle", "keep/needle", "tmp1/needle", "deep/a/b/out/needle", "deep/.gitignore",
	} {
		put(t, root, name, "needle\n")
	}
	put(t, root, ".gitignore", "# folders\nbuild/\n/gen\n{x}\n*.txt\ntmp*\n!keep\n  \n")
	put(t, root, "deep/.gitignore", "a/**/out/\r\n")
	files := NewLocal(root, func() Limits { return Limits{SkipFolders: []string{"node_modules"}} })
	glob := func(pattern, path string) []string {
		t.Helper()
		found, err := files.Glob(t.Context(), pattern, GlobOptions{Path: path})
		if err != nil {
			t.Fatal(err)
		}
		return paths(found.Entries)
	}
	want := []string{"keep/needle", "src/gen/needle"}
	if got := glob("**/needle", ""); !slices.Equal(got, want) {
		t.Errorf("the glob found %q, want %q", got, want)
	}
	if got := glob("*.txt", ""); !slices.Equal(got, []string{"log.txt"}) {
		t.Errorf("files are not ignored, but the glob found %q", got)
	}
	for _, start := range []string{"node_modules", "build", "src/build", ".git", "deep/a/b/out"} {
		if got := glob("**/needle", start); len(got) != 1 {
			t.Errorf("a search that begins in %s found %q", start, got)
		}
	}
	if got := glob("deep/a/b/out/*", ""); len(got) != 1 {
		t.Errorf("a pattern that names the folder found %q", got)
	}
	hits, err := files.Grep(t.Context(), GrepOptions{Pattern: "needle", Glob: "needle"})
	if err != nil || len(hits.Matches) != 2 {
		t.Errorf("grep found %+v, %v", hits.Matches, err)
	}
	listing, err := files.List(t.Context(), "", ListOptions{Recursive: true})
	if got := paths(listing.Entries); err != nil || !slices.Contains(got, "node_modules") || slices.Contains(got,
		"node_modules/a") {
		t.Errorf("the listing is %q, %v", got, err)
	}
	found, _, err := files.Survey(t.Context(), ".", 1000, false)
	if err != nil || slices.ContainsFunc(found, func(v Version) bool { return strings.HasPrefix(v.Path, "build/") }) {
		t.Errorf("the survey found %+v, %v", found, err)
	}
}

// 10.7: directories in each other are looked into up to a depth, in the time that they
// take, and can be archived, deleted and purged however deep they are.
func TestDeepDirectoriesAreBounded(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	root := filepath.Join(base, "p")
	put(t, root, "top/file", "x")
	deep(t, filepath.Join(root, "top"), 3000)
	files := NewLocal(root, func() Limits { return Limits{MaxDepth: 20, MaxFiles: 10} }).WithTrash(filepath.Join(base,
		"trash"))
	listing, err := files.List(t.Context(), "", ListOptions{Recursive: true, Limit: -1})
	if err != nil || !listing.Truncated || len(listing.Entries) != 22 {
		t.Errorf("%d entries, truncated %v, %v", len(listing.Entries), listing.Truncated, err)
	}
	var zipped bytes.Buffer
	skipped, err := WriteZip(t.Context(), files, "", &zipped)
	if err != nil || len(skipped) != 1 || strings.Count(skipped[0], "/d") != 20 {
		t.Errorf("the archive leaves out %q, %v", skipped, err)
	}
	if r, err := zip.NewReader(bytes.NewReader(zipped.Bytes()), int64(zipped.Len())); err != nil || len(r.File) != 21 {
		t.Errorf("the archive holds %v, %v", r, err)
	}
	tooDeep := strings.Repeat("e/", 20) + "f"
	if _, err := files.Write(t.Context(), tooDeep, nil, WriteOptions{}); !IsCode(err, CodeInvalidArgument) {
		t.Errorf("a file that lies too deep: %v", err)
	}
	if _, err := files.Mkdir(t.Context(), strings.Repeat("e/", 20)+"f"); !IsCode(err, CodeInvalidArgument) {
		t.Errorf("a directory that lies too deep: %v", err)
	}
	if err := files.Delete(t.Context(), "top", DeleteOptions{Recursive: true}); err != nil {
		t.Fatal(err)
	}
	page, err := files.Trash(t.Context(), "", 10)
	if err != nil || len(page.Items) != 1 {
		t.Fatalf("the trash holds %+v, %v", page, err)
	}
	if err := files.Purge(t.Context(), page.Items[0].ID); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(base, "trash")); err != nil || len(left) != 0 {
		t.Errorf("the trash has %v, %v", left, err)
	}
	deep(t, root, 3000)
	if err := files.Delete(t.Context(), "d", DeleteOptions{Recursive: true, Permanent: true}); err != nil {
		t.Errorf("deleted for good: %v", err)
	}
}

// FS3: what a directory of the user's holds already does not count, nor does what
// people add while nothing of a tool runs.
func TestLimitsCountWhatIsAdded(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i := range 50 {
		put(t, root, fmt.Sprint("own/", i), "content")
	}
	files := NewLocal(root, func() Limits {
		return Limits{MaxFiles: 10, MaxTotalSize: 1000,
			SkipFolders: []string{"node_modules"}}
	}).InPlace()
	enter := func() *Visit {
		t.Helper()
		files.usage.age(time.Hour) // a count that took long is not repeated at once
		v, err := files.Enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	leave := func(v *Visit) error {
		t.Helper()
		files.usage.age(time.Hour)
		left, err := v.Leave(t.Context(), Actor{})
		if err != nil {
			t.Fatal(err)
		}
		return left.Over
	}
	v := enter()
	for i := range 10 {
		put(t, root, fmt.Sprint("added/", i), "x")
	}
	put(t, root, "node_modules/package", "x")
	if over := leave(v); over != nil {
		t.Fatalf("ten files are too many: %v", over)
	}
	for i := range 100 {
		put(t, root, fmt.Sprint("pulled/", i), "x")
	}
	v = enter()
	put(t, root, "added/10", "x")
	files.usage.age(time.Hour)
	if err := files.CheckQuota(t.Context(), true); !IsCode(err, CodeQuotaExceeded) || !strings.Contains(err.Error(),
		"has 11 files beside") {
		t.Errorf("while it runs: %v", err)
	}
	if over := leave(v); !IsCode(over, CodeQuotaExceeded) {
		t.Errorf("behind it: %v", over)
	}
	// 9: over the limit a command may run that does not add to it.
	v = enter()
	if err := files.CheckQuota(t.Context(), true); err != nil {
		t.Errorf("a command that adds nothing is stopped: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(root, "added")); err != nil {
		t.Fatal(err)
	}
	if over := leave(v); over != nil {
		t.Errorf("there is room again: %v", over)
	}
	if _, err := files.Write(t.Context(), "more", []byte("x"), WriteOptions{}); err != nil {
		t.Errorf("a write into the room: %v", err)
	}
}

// WS0: what a program leaves under a denied name goes to the trash; what was there
// before stays, and is named so that it can be hidden.
func TestDeniedNamesThatAProgramMakesAreRemoved(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	root := filepath.Join(base, "p")
	put(t, root, ".env", "SECRET=1")
	put(t, root, "node_modules/a/cert.pem", "key")
	put(t, root, "secrets/a/b", "x")
	files := NewLocal(root, func() Limits {
		return Limits{DeniedNames: []string{".env", "*.pem", "secrets/**"}, SkipFolders: []string{"node_modules"}}
	}).WithTrash(filepath.Join(base, "trash"))
	masked, err := files.Masked(t.Context())
	slices.Sort(masked)
	if err != nil || !slices.Equal(masked, []string{".env", "node_modules/a/cert.pem", "secrets"}) {
		t.Errorf("masked are %q, %v", masked, err)
	}
	v, err := files.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "sub/.env", "made")
	put(t, root, "x.pem", "made")
	put(t, root, "harmless", "made")
	left, err := v.Leave(t.Context(), Actor{RunID: "r"})
	slices.Sort(left.Removed)
	if err != nil || !slices.Equal(left.Removed, []string{"sub/.env", "x.pem"}) {
		t.Errorf("removed are %q, %v", left.Removed, err)
	}
	for name, there := range map[string]bool{".env": true, "harmless": true, "sub/.env": false, "x.pem": false} {
		if _, err := os.Lstat(filepath.Join(root, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	page, err := files.Trash(t.Context(), "", 10)
	if err != nil || len(page.Items) != 2 || page.Items[0].RunID != "r" {
		t.Errorf("the trash holds %+v, %v", page.Items, err)
	}
	for _, path := range []string{"node_modules", "secrets"} {
		if err := files.Delete(t.Context(), path, DeleteOptions{Recursive: true}); !IsCode(err, CodeAccessDenied) {
			t.Errorf("%s was deleted with what is denied in it: %v", path, err)
		}
	}
	var zipped bytes.Buffer
	if skipped, err := WriteZip(t.Context(), files, "", &zipped); err != nil || len(skipped) != 3 {
		t.Errorf("the archive leaves out %q, %v", skipped, err)
	}
}

// WS0: a folder is not moved away from the paths that are denied in it.
func TestAFolderWithDeniedPathsIsNotMoved(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "conf/live/key", "x")
	files := NewLocal(root, func() Limits { return Limits{DeniedNames: []string{"conf/live/*"}} })
	if err := files.Move(t.Context(), "conf", "other"); !IsCode(err, CodeAccessDenied) {
		t.Errorf("it was moved: %v", err)
	}
	var own *Error
	if _, err := files.Read(t.Context(), "other/live/key", 0, 0); !errors.As(err, &own) {
		t.Errorf("it can be read: %v", err)
	}
}
