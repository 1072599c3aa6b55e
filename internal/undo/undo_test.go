package undo

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace"
)

const runID = "018f0000-0000-7000-8000-0000000000aa"

// world is a project with a trash, a store with a run in it, and the service.
type world struct {
	t       *testing.T
	dir     string
	store   *store.Store
	project *workspace.Local
	opened  workspace.Filesystem // what tools see; nil: project
	service *Service
	limits  Limits
	actor   workspace.Actor
}

func (w *world) Open(context.Context, string) (workspace.Filesystem, error) {
	if w.opened != nil {
		return w.opened, nil
	}
	return w.project, nil
}

func newWorld(t *testing.T) *world {
	t.Helper()
	base := t.TempDir()
	w := &world{t: t, dir: filepath.Join(base, "p"), limits: Limits{RunBytes: 1 << 20, FileBytes: 1 << 16,
		CommandFiles: 100, CommandBytes: 1 << 16},
		actor: workspace.Actor{UserID: models.LocalUserID, RunID: runID, RootRunID: runID, CallID: "c"}}
	w.must(os.Mkdir(w.dir, 0o755))
	var err error
	w.store, err = store.Open(t.Context(), store.Options{SQLiteFile: filepath.Join(base, "db")})
	w.must(err)
	t.Cleanup(func() { w.must(w.store.Close()) })
	w.must(addRun(t, w.store))
	w.project = workspace.NewLocal(w.dir, nil).WithTrash(filepath.Join(base, workspace.TrashDir, "p"))
	w.service = New(Options{Store: w.store, Projects: w, Dir: filepath.Join(base, "versions"),
		Limits: func() Limits { return w.limits }, Logger: slog.New(slog.DiscardHandler)})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// files is what tools of the run see.
func (w *world) files() workspace.Filesystem {
	opened, err := w.Open(w.t.Context(), "p")
	w.must(err)
	return w.service.Recorded(w.actor, "p", opened)
}

func (w *world) write(name, text string) {
	w.t.Helper()
	_, err := w.files().Write(w.t.Context(), name, []byte(text), workspace.WriteOptions{})
	w.must(err)
}

// put writes as somebody else: an editor, a person.
func (w *world) put(name, text string) {
	w.t.Helper()
	w.must(os.MkdirAll(filepath.Dir(filepath.Join(w.dir, name)), 0o755))
	w.must(os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644))
}

// tree is the project as one text: names, kinds and contents.
func (w *world) tree() string {
	w.t.Helper()
	var all []string
	w.must(filepath.WalkDir(w.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(w.dir, path)
		if err != nil || name == "." {
			return err
		}
		switch {
		case entry.IsDir():
			name += "/"
		case entry.Type()&os.ModeSymlink != 0:
			target, err := os.Readlink(path)
			w.must(err)
			name += " -> " + target
		default:
			text, err := os.ReadFile(path)
			w.must(err)
			info, err := entry.Info()
			w.must(err)
			name += fmt.Sprintf("=%s (%o)", text, info.Mode().Perm())
		}
		all = append(all, name)
		return nil
	}))
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func (w *world) changes(path string) *Changes {
	w.t.Helper()
	changes, err := w.service.Changes(w.t.Context(), runID, path, DiffLimits{Content: 1 << 16, All: 1 << 16})
	w.must(err)
	return changes
}

// summary is "kind path[<from]" of every change, with ! where it cannot be reverted.
func (w *world) summary() string {
	w.t.Helper()
	var all []string
	for _, c := range w.changes("").Items {
		one := c.Kind + " " + c.Path
		if c.From != "" {
			one += "<" + c.From
		}
		if !c.Revertible {
			one += "!"
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

func (w *world) revert(dry bool, paths ...string) string {
	w.t.Helper()
	outcomes, err := w.service.Revert(w.t.Context(), runID, paths, dry, workspace.Actor{UserID: "person"})
	w.must(err)
	var all []string
	for _, o := range outcomes {
		all = append(all, o.Outcome+" "+o.Path)
	}
	return strings.Join(all, ", ")
}

func (w *world) want(what, got, want string) {
	w.t.Helper()
	if got != want {
		w.t.Errorf("%s:\n%s\nwant\n%s", what, got, want)
	}
}

// CH11: everything that tools of a run do to files is taken back in one action, a
// second one does nothing, and what was replaced is in the trash.
func TestARunIsTakenBackAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.put("kept.txt", "old")
	w.put("edited.txt", "one\ntwo\n")
	w.put("gone.txt", "was here")
	w.put("d/sub/a", "aa")
	w.put("d/b", "bb")
	w.put("from.txt", "moves")
	w.put("dir1/x", "xx")
	w.put("untouched", "u")
	w.must(os.Chmod(filepath.Join(w.dir, "gone.txt"), 0o750))
	w.must(os.Symlink("kept.txt", filepath.Join(w.dir, "link")))
	w.must(os.Symlink("nowhere", filepath.Join(w.dir, "d/dead")))
	before := w.tree()

	files := w.files()
	w.write("link", "through the link")
	w.write("kept.txt", "again")
	_, err := files.Edit(ctx, "edited.txt", false, func(old []byte) ([]byte,
		error) {
		return []byte(strings.Replace(string(old), "two", "2", 1)), nil
	})
	w.must(err)
	_, err = files.Append(ctx, "new/deep/n.txt", []byte("new"))
	w.must(err)
	w.must(files.Delete(ctx, "gone.txt", workspace.DeleteOptions{Actor: w.actor}))
	w.must(files.Delete(ctx, "d", workspace.DeleteOptions{Recursive: true, Actor: w.actor}))
	w.must(files.Delete(ctx, "link", workspace.DeleteOptions{Actor: w.actor}))
	w.must(files.Move(ctx, "from.txt", "moved/to.txt"))
	w.must(files.Move(ctx, "dir1", "dir2"))
	w.write("dir2/x", "changed after the move")
	w.write("d", "a file where the directory was")
	_, err = files.Mkdir(ctx, "empty")
	w.must(err)
	w.write("untouched", "u")
	w.write("came", "and")
	w.must(files.Delete(ctx, "came", workspace.DeleteOptions{Actor: w.actor}))
	if _, err := files.Write(ctx, "../out", nil, workspace.WriteOptions{}); err == nil {
		t.Error("a path outside was written")
	}

	w.want("the changes", w.summary(),
		"modified d, deleted d/b, deleted d/dead, deleted d/sub, deleted d/sub/a, moved dir2<dir1, moved "+
			"dir2/x<dir1/x, "+
			"modified edited.txt, created empty, deleted gone.txt, modified kept.txt, deleted link, created moved, "+
			"moved moved/to.txt<from.txt, "+
			"created new, created new/deep, created new/deep/n.txt")
	left := w.tree()
	dry := w.revert(true)
	w.want("a dry run changed something", w.tree(), left)
	done := w.revert(false)
	w.want("the dry run said something else", dry, done)
	if strings.Count(done, "reverted ") != strings.Count(done, ",")+1 {
		t.Errorf("the outcomes are %s", done)
	}
	w.want("after the revert the project is", w.tree(), before)
	again := w.revert(false)
	if strings.Count(again, "unchanged ") != strings.Count(again, ",")+1 {
		t.Errorf("again the outcomes are %s", again)
	}
	page, err := w.project.Trash(ctx, "", 100)
	w.must(err)
	var binned []string
	for _, item := range page.Items {
		if item.DeletedBy == "person" {
			binned = append(binned, item.Path)
		}
	}
	slices.Sort(binned)
	w.want("in the trash there is", strings.Join(binned, " "),
		"d dir2/x edited.txt kept.txt moved/to.txt new/deep/n.txt")
}

// CH11: what somebody else changed since is reported and left alone, the rest is
// taken back.
func TestWhatOthersChangedIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c", "e", "f"} {
		w.put(name, "old "+name)
	}
	for _, name := range []string{"a", "b", "new", "dir/made"} {
		w.write(name, "by the run")
	}
	w.must(w.files().Delete(t.Context(), "c", workspace.DeleteOptions{}))
	w.must(w.files().Delete(t.Context(), "e", workspace.DeleteOptions{}))
	w.write("f", "first")
	w.put("f", "a person between") // … two writes of the run
	w.write("f", "second")
	w.put("b", "by a person")
	w.put("c", "by a person")
	w.put("e", "old e") // the person restored it already
	w.put("dir/theirs", "a person's")
	w.want("the changes", w.summary(),
		"modified a, modified b, deleted c, created dir, created dir/made, deleted e, modified f!, created new")
	w.want("the outcomes", w.revert(false),
		"reverted a, conflict b, conflict c, conflict dir, reverted dir/made, unchanged e, conflict f, reverted new")
	w.want("the project", w.tree(),
		"a=old a (644)\nb=by a person (644)\nc=by a person (644)\ndir/\ndir/theirs=a person's (644)\ne=old e "+
			"(644)\nf=second (644)")
}

// CH11: named paths alone are taken back; a move with where it came from.
func TestSomePathsAloneAreTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a", "a")
	w.put("m", "m")
	w.write("a", "changed")
	w.write("d/x", "new")
	w.write("d/y", "new")
	w.must(w.files().Move(t.Context(), "m", "n"))
	w.want("a directory", w.revert(false, "d/"), "reverted d, reverted d/x, reverted d/y")
	w.want("a move", w.revert(false, "n"), "reverted m, reverted n")
	w.want("another", w.revert(false, "other"), "unchanged other")
	w.want("the project", w.tree(), "a=changed (644)\nm=m (644)")
}

// CH11: limits are kept, and what is over them is listed with the reason.
func TestLimitsOfKeptVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limits = Limits{RunBytes: 25, FileBytes: 20, CommandFiles: 3, CommandBytes: 100}
	w.put("large", strings.Repeat("x", 21))
	w.put("first", strings.Repeat("y", 20))
	w.put("second", strings.Repeat("z", 20))
	for i := range 5 {
		w.put(fmt.Sprint("many/", i), "1")
	}
	for _, name := range []string{"large", "first", "second"} {
		w.write(name, "new")
	}
	w.must(w.files().Move(t.Context(), "large", "elsewhere"))
	w.must(w.files().Delete(t.Context(), "many", workspace.DeleteOptions{Recursive: true}))
	w.want("the changes", w.summary(),
		"moved elsewhere<large, modified first, deleted large!, deleted many!, modified second!")
	reasons := map[string]string{"large": "versions_max_file", "second": "versions_max_size", "many": "command_files"}
	for _, c := range w.changes("").Items {
		if !strings.Contains(c.Reason, reasons[c.Path]) || (reasons[c.Path] == "") != (c.Reason == "") {
			t.Errorf("%s: the reason is %q", c.Path, c.Reason)
		}
	}
	w.want("the outcomes", w.revert(false),
		"reverted elsewhere, reverted first, not_revertible large, not_revertible many, not_revertible second")
}

// CH11: a large file that was moved comes back from where it is.
func TestAMoveNeedsNoKeptVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limits.FileBytes = 3
	w.put("large", "larger than that")
	w.must(w.files().Move(t.Context(), "large", "d/there"))
	w.want("the changes", w.summary(), "created d, moved d/there<large")
	w.want("the outcomes", w.revert(false), "reverted d, reverted d/there, reverted large")
	w.want("the project", w.tree(), "large=larger than that (644)")
}

// CH11: what a command did is found by comparing the tree.
func TestCommandsAreComparedAndTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limits.CommandBytes = 30
	w.put("a", "small a")
	w.put("b", "small b")
	w.put("big", strings.Repeat("x", 40))
	w.put("d/e", "e")
	w.put("own", "by a tool")
	w.must(os.Symlink("a", filepath.Join(w.dir, "link")))
	before := w.tree()
	w.write("own", "first")
	done := w.service.Command(t.Context(), w.actor, "p")
	w.put("a", "changed")
	w.must(os.Remove(filepath.Join(w.dir, "b")))
	w.must(os.RemoveAll(filepath.Join(w.dir, "d")))
	w.must(os.Remove(filepath.Join(w.dir, "link")))
	w.must(os.Symlink("b", filepath.Join(w.dir, "link")))
	w.put("new/file", "n")
	w.put("own", "second")
	done(t.Context())
	w.want("the changes", w.summary(),
		"modified a, deleted b, deleted d, deleted d/e, modified link, created new, created new/file, modified own")
	done = w.service.Command(t.Context(), w.actor, "p")
	w.put("big", "overwritten")
	done(t.Context())
	w.want("with a large file", w.summary(),
		"modified a, deleted b, modified big!, deleted d, deleted d/e, modified link, created new, created "+
			"new/file, modified own")
	if got := w.changes("big").Items[0].Reason; !strings.Contains(got, "command_versions") {
		t.Errorf("the reason is %q", got)
	}
	w.put("big", strings.Repeat("x", 40))
	w.revert(false)
	w.want("the project", w.tree(), before)
}

// CH11: where a cap holds the answer says so.
func TestALargeProjectIsNotCompared(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limits.CommandFiles = 2
	for i := range 3 {
		w.put(fmt.Sprint(i), "x")
	}
	for range 2 {
		done := w.service.Command(t.Context(), w.actor, "p")
		w.put("0", "changed")
		done(t.Context())
	}
	changes := w.changes("")
	if len(changes.Items) != 0 || len(changes.Notes) != 1 || !strings.Contains(changes.Notes[0],
		"more than 2 entries") {
		t.Errorf("the changes are %+v", changes)
	}
}

func TestDiffsOfChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("m", "one\ntwo\n")
	w.put("moved", "same\nold\n")
	w.put("gone", "bye\n")
	w.put("binary", "a\x00b")
	w.write("m", "one\n2\n")
	w.write("new", "hello\n")
	w.write("binary", "c\x00d")
	w.write("later", "x\n")
	w.put("later", "changed by a person")
	w.must(w.files().Delete(t.Context(), "gone", workspace.DeleteOptions{}))
	w.must(w.files().Move(t.Context(), "moved", "there"))
	w.write("there", "same\nnew\n")
	got := map[string]string{}
	for _, c := range w.changes("").Items {
		got[c.Path] = c.Diff + c.DiffOmitted
	}
	for path, want := range map[string]string{
		"m":      "--- a/m\n+++ b/m\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
		"new":    "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+hello\n",
		"gone":   "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n",
		"there":  "--- a/moved\n+++ b/there\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n",
		"binary": "it is not text",
		"later":  "it was changed since",
	} {
		if got[path] != want {
			t.Errorf("%s: %q, want %q", path, got[path], want)
		}
	}
	all, err := w.service.Changes(t.Context(), runID, "", DiffLimits{Content: 1 << 16, All: 60})
	w.must(err)
	total := 0
	for _, c := range all.Items {
		total += len(c.Diff)
	}
	if total > 60 {
		t.Errorf("the diffs have %d bytes", total)
	}
}

// CH14: retention forgets a run and removes what nobody needs any more.
func TestOldChangesAreForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a", "old")
	w.write("a", "new")
	w.put("b", "old b")
	w.write("b", "new b")
	blobs := func() int {
		found, err := filepath.Glob(filepath.Join(w.service.Dir, "*", "*"))
		w.must(err)
		return len(found)
	}
	unused, _, err := w.service.versions.keep(strings.NewReader("nobody's"), 100)
	w.must(err)
	old := models.Now().Std().Add(-2 * youngVersion)
	age := func() {
		found, err := filepath.Glob(filepath.Join(w.service.Dir, "*", "*"))
		w.must(err)
		for _, path := range found {
			w.must(os.Chtimes(path, old, old))
		}
	}
	if _, err := w.service.Sweep(t.Context(), 1); err != nil || blobs() != 3 {
		t.Errorf("young versions were removed: %d left, %v", blobs(), err)
	}
	age()
	w.service.versions.touch(unused)
	if _, err := w.service.Sweep(t.Context(), 1); err != nil || blobs() != 3 {
		t.Errorf("a version that is about to be used was removed: %d left, %v", blobs(), err)
	}
	age()
	if n, err := w.service.Sweep(t.Context(), 1); err != nil || n != 1 || blobs() != 2 {
		t.Errorf("%d were removed, %d left, %v", n, blobs(), err)
	}
	w.finishRun()
	if n, err := w.service.Sweep(t.Context(), models.Now()+1); err != nil || n != 4 || blobs() != 0 {
		t.Errorf("%d were removed, %d left, %v", n, blobs(), err)
	}
	w.want("the changes", w.summary(), "")
}
