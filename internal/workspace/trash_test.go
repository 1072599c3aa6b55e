package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binned is a project with a trash, both in one directory.
func binned(t *testing.T, limits Limits) (files *Local, dir string) {
	t.Helper()
	base := t.TempDir()
	dir = filepath.Join(base, "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return NewLocal(dir, func() Limits { return limits }).WithTrash(filepath.Join(base, TrashDir, "p")), dir
}

func makeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
}

func trashItems(t *testing.T, files *Local) []TrashItem {
	t.Helper()
	page, err := files.Trash(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return page.Items
}

func wantCode(t *testing.T, err error, code Code) {
	t.Helper()
	if !IsCode(err, code) {
		t.Errorf("the error is %v, want %s", err, code)
	}
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// FS7: whatever is deleted, under whatever name, comes back as it was.
func TestWhatIsDeletedComesBack(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.txt", "dir/b.txt", "name with\nnewline", "-rf", "日本語.txt", "bad-\xff\xfe-utf8",
		"'quotes\"", "back\\slash", "~", "info.json", "item"} {
		files, dir := binned(t, Limits{})
		makeFile(t, filepath.Join(dir, name), "content of "+name)
		if err := files.Delete(t.Context(), name, DeleteOptions{Actor: Actor{UserID: "u", RunID: "r"}}); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		items := trashItems(t, files)
		if len(items) != 1 || items[0].Path != name || items[0].Kind != TypeFile || items[0].DeletedBy != "u" ||
			items[0].RunID != "r" ||
			items[0].Size != int64(len("content of "+name)) || time.Since(items[0].DeletedAt) > time.Minute {
			t.Fatalf("%q: the trash holds %+v", name, items)
		}
		if err := os.RemoveAll(filepath.Join(dir, "dir")); err != nil {
			t.Fatal(err)
		}
		if entry, err := files.Restore(t.Context(), items[0].ID, ""); err != nil || entry.Path != name {
			t.Fatalf("%q: restored as %+v, %v", name, entry, err)
		}
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || content(t, filepath.Join(dir, name)) != "content of "+name || info.Mode().Perm() != 0o640 {
			t.Errorf("%q came back as %v, %v", name, info, err)
		}
		if len(trashItems(t, files)) != 0 {
			t.Errorf("%q is still in the trash", name)
		}
		_, err = files.Restore(t.Context(), items[0].ID, "")
		wantCode(t, err, CodeNotFound)
	}
}

// FS7: a directory comes back with everything in it, a link as itself.
func TestDirectoriesAndLinksComeBack(t *testing.T) {
	t.Parallel()
	files, dir := binned(t, Limits{})
	makeFile(t, filepath.Join(dir, "d/sub/a"), "aa")
	makeFile(t, filepath.Join(dir, "d/b"), "b")
	outside := filepath.Join(t.TempDir(), "outside")
	makeFile(t, outside, "canary")
	for link, target := range map[string]string{"d/in": "sub/a", "out": outside} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, files.Delete(t.Context(), "d", DeleteOptions{}), CodeNotAFile)
	for _, name := range []string{"d", "out"} {
		if err := files.Delete(t.Context(), name, DeleteOptions{Recursive: true}); err != nil {
			t.Fatal(err)
		}
	}
	items := trashItems(t, files)
	if len(items) != 2 || items[0].Path != "out" || items[0].Kind != TypeSymlink || items[1].Kind != TypeDirectory ||
		items[1].Size != 3 || items[1].Files != 2 {
		t.Fatalf("the trash holds %+v", items)
	}
	if content(t, outside) != "canary" {
		t.Error("what the link leads to was touched")
	}
	makeFile(t, filepath.Join(dir, "d"), "in its way")
	_, err := files.Restore(t.Context(), items[1].ID, "")
	wantCode(t, err, CodeAlreadyExists)
	if entry, err := files.Restore(t.Context(), items[1].ID, "new/place"); err != nil || entry.Type != TypeDirectory {
		t.Fatalf("%+v, %v", entry, err)
	}
	if _, err := files.Restore(t.Context(), items[0].ID, ""); err != nil {
		t.Fatal(err)
	}
	if content(t, filepath.Join(dir, "new/place/in")) != "aa" || content(t, filepath.Join(dir, "d")) != "in its way" {
		t.Error("the directory did not come back whole")
	}
	if target, err := os.Readlink(filepath.Join(dir, "out")); err != nil || target != outside {
		t.Errorf("the link is %q, %v", target, err)
	}
}

// FS1, FS7: restoring obeys the rules of every other write.
func TestRestoringStaysInsideTheProject(t *testing.T) {
	t.Parallel()
	files, dir := binned(t, Limits{DeniedNames: []string{"*.pem"}})
	makeFile(t, filepath.Join(dir, "a"), "x")
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	if err := files.Delete(t.Context(), "a", DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	id := trashItems(t, files)[0].ID
	for _, to := range []string{"../b", "/etc/b", "away/b", ReservedDir + "/b", "key.pem", "a\x00b"} {
		_, err := files.Restore(t.Context(), id, to)
		wantCode(t, err, CodeAccessDenied)
	}
	for _, wrong := range []string{"", ".", "..", "../p", id + "/..", strings.ToUpper(id), "info.json"} {
		_, err := files.Restore(t.Context(), wrong, "b")
		wantCode(t, err, CodeNotFound)
		wantCode(t, files.Purge(t.Context(), wrong), CodeNotFound)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 0 {
		t.Errorf("outside there is %v, %v", entries, err)
	}
	if _, err := files.Restore(t.Context(), id, "ok"); err != nil {
		t.Error(err)
	}
}

// FS3, FS7: the trash counts in the quota until it is purged.
func TestTheTrashCountsInTheQuota(t *testing.T) {
	t.Parallel()
	limits := Limits{MaxFiles: 3, MaxTotalSize: 100}
	files, dir := binned(t, limits)
	write := func(files *Local, name string, size int) error {
		_, err := files.Write(t.Context(), name, make([]byte, size), WriteOptions{})
		return err
	}
	for _, name := range []string{"d/a", "d/b", "c"} {
		if err := write(files, name, 30); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"d", "c"} {
		if err := files.Delete(t.Context(), name, DeleteOptions{Recursive: true}); err != nil {
			t.Fatal(err)
		}
	}
	wantCode(t, write(files, "e", 1), CodeQuotaExceeded)
	// The same from a fresh count.
	fresh := NewLocal(dir, func() Limits { return limits }).WithTrash(files.trash)
	wantCode(t, write(fresh, "e", 1), CodeQuotaExceeded)
	items := trashItems(t, files)
	if err := files.Purge(t.Context(), items[1].ID); err != nil { // d
		t.Fatal(err)
	}
	if err := write(files, "e", 70); err != nil {
		t.Error(err)
	}
	if _, err := files.Restore(t.Context(), items[0].ID, ""); err != nil {
		t.Error(err)
	}
	wantCode(t, write(files, "f", 1), CodeQuotaExceeded)
	wantCode(t, files.Purge(t.Context(), items[1].ID), CodeNotFound)
}

// FS7: everybody who deletes, restores and purges at once leaves no item in two
// places, and none in neither.
func TestTheTrashSurvivesRaces(t *testing.T) {
	t.Parallel()
	files, dir := binned(t, Limits{MaxFiles: 1000})
	makeFile(t, filepath.Join(dir, "f"), "the one")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for range 40 {
				if err := files.Delete(t.Context(), "f", DeleteOptions{}); err != nil && !IsCode(err, CodeNotFound) {
					t.Error(err)
				}
				page, err := files.Trash(t.Context(), "", 10)
				if err != nil {
					t.Error(err)
				}
				for _, item := range page.Items {
					if _, err := files.Restore(t.Context(), item.ID, ""); err != nil && !IsCode(err, CodeNotFound) &&
						!IsCode(err, CodeAlreadyExists) {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	for _, item := range trashItems(t, files) {
		if _, err := files.Restore(t.Context(), item.ID, ""); err != nil {
			t.Error(err)
		}
	}
	if got := content(t, filepath.Join(dir, "f")); got != "the one" || len(trashItems(t, files)) != 0 {
		t.Errorf("the file holds %q, and the trash %+v", got, trashItems(t, files))
	}
}

// FS7: on another file system the trash is filled by copies; links to the outside
// and files with another name elsewhere are not copied.
func TestATrashOnAnotherFileSystemKeepsCopies(t *testing.T) {
	t.Parallel()
	other, err := os.MkdirTemp("/dev/shm", "nanoclaw-trash-*")
	if err != nil {
		t.Skip("there is no second file system: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(other) })
	files, dir := binned(t, Limits{})
	files.WithTrash(filepath.Join(other, "p"))
	if device(t, other) == device(t, dir) {
		t.Skip("/dev/shm is no file system of its own")
	}
	makeFile(t, filepath.Join(dir, "d/sub/a"), "aa")
	outside := filepath.Join(t.TempDir(), "outside")
	makeFile(t, outside, "canary")
	if err := errors.Join(os.Symlink(outside, filepath.Join(dir, "d/link")),
		os.Link(outside, filepath.Join(dir, "d/hard")),
		syscall.Mkfifo(filepath.Join(dir, "d/pipe"), 0o600), os.Chmod(filepath.Join(dir, "d/sub"), 0o750)); err != nil {
		t.Skip(err)
	}
	stamp := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "d/sub/a"), stamp, stamp); err != nil {
		t.Fatal(err)
	}
	if err := files.Delete(t.Context(), "d", DeleteOptions{Recursive: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "d")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the original is there: %v", err)
	}
	if _, err := files.Restore(t.Context(), trashItems(t, files)[0].ID, ""); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, "d/sub/a"))
	if err != nil || !info.ModTime().Equal(stamp) || content(t, filepath.Join(dir, "d/sub/a")) != "aa" {
		t.Errorf("the file came back as %v, %v", info, err)
	}
	if target, err := os.Readlink(filepath.Join(dir, "d/link")); err != nil || target != outside {
		t.Errorf("the link came back as %q, %v", target, err)
	}
	for _, name := range []string{"d/hard", "d/pipe"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s came back: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(other, "p")); err != nil || len(entries) != 0 {
		t.Errorf("the trash holds %v, %v", entries, err)
	}
}

func device(t *testing.T, path string) uint64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return inodeOf(info).dev
}

// CH14, FS7: retention purges what is old; what a crash left goes too.
func TestTheTrashIsSwept(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	const id = "018f0000-0000-7000-8000-000000000001"
	projects, err := NewProjects(Settings{Root: filepath.Join(base, "w"), DataDir: filepath.Join(base, "d")},
		func(context.Context, string) (Location, error) {
			return Location{}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := projects.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	files := opened.(*Local)
	sweep := func(olderThan time.Time, want int64) {
		t.Helper()
		if n, err := projects.SweepTrash(t.Context(), olderThan); err != nil || n != want {
			t.Errorf("%d were swept, %v, want %d", n, err, want)
		}
	}
	sweep(time.Now(), 0)
	for i := range 3 {
		makeFile(t, filepath.Join(files.Dir(), fmt.Sprint(i)), "x")
		if err := files.Delete(t.Context(), fmt.Sprint(i), DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	border := trashItems(t, files)[0].DeletedAt
	broken := filepath.Join(files.trash, "018f0000-0000-7000-8000-00000000000f")
	makeFile(t, filepath.Join(broken, trashPartName, "half"), "x")
	sweep(time.Time{}, 0)
	if _, err := os.Stat(broken); err != nil {
		t.Errorf("what is being written was swept: %v", err)
	}
	old := time.Now().Add(-2 * staleTemp)
	if err := os.Chtimes(broken, old, old); err != nil {
		t.Fatal(err)
	}
	sweep(border, 2)
	if _, err := os.Stat(broken); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what a crash left is there: %v", err)
	}
	page, err := files.Trash(t.Context(), "", 10)
	if err != nil || len(page.Items) != 1 || page.Items[0].Path != "2" {
		t.Errorf("the trash holds %+v, %v", page, err)
	}
	if err := projects.Remove(id, Location{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(files.trash); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the trash outlived its project: %v", err)
	}
}

func TestTheTrashIsListedInParts(t *testing.T) {
	t.Parallel()
	files, dir := binned(t, Limits{})
	for i := range 5 {
		makeFile(t, filepath.Join(dir, fmt.Sprint(i)), "x")
		if err := files.Delete(t.Context(), fmt.Sprint(i), DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	var got string
	after := ""
	for {
		page, err := files.Trash(t.Context(), after, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			got += item.Path
		}
		if after = page.Next; after == "" {
			break
		}
		got += "|"
	}
	if got != "43|21|0" {
		t.Errorf("the parts are %s", got)
	}
}
