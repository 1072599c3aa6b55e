package workspace_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/workspacetest"
)

// canary is a project beside a directory that nobody may touch.
type canary struct {
	files   *workspace.Local
	root    string // the project's directory
	outside string // holds canary.txt, dir/deep.txt
	before  string
}

const secret = "CANARY-9f2c"

func newCanary(tb testing.TB) *canary {
	tb.Helper()
	base := tb.TempDir()
	c := &canary{root: filepath.Join(base, "project"), outside: filepath.Join(base, "outside")}
	for _, file := range []string{"outside/canary.txt", "outside/dir/deep.txt", "project/.nanoclaw/trash/canary.txt",
		"canary.txt"} {
		write(tb, filepath.Join(base, file), secret)
	}
	write(tb, filepath.Join(c.root, "dir/inside.txt"), "inside")
	c.files = workspace.NewLocal(c.root, nil)
	c.before = c.snapshot(tb)
	return c
}

func write(tb testing.TB, path, content string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		tb.Fatal(err)
	}
}

func link(tb testing.TB, target, path string) {
	tb.Helper()
	if err := os.Symlink(target, path); err != nil {
		tb.Fatal(err)
	}
}

// snapshot is everything outside of the project, and the server's own directory in it.
func (c *canary) snapshot(tb testing.TB) string {
	tb.Helper()
	var all strings.Builder
	base := filepath.Dir(c.root)
	err := filepath.Walk(base, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if path == c.root {
			return nil
		}
		rel, _ := filepath.Rel(c.root, path)
		if first, _, _ := strings.Cut(rel, "/"); first != ".." && first != workspace.ReservedDir {
			if info.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		all.WriteString(rel + " " + info.Mode().String() + "\n")
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all.Write(content)
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all.String()
}

func (c *canary) check(tb testing.TB) {
	tb.Helper()
	if now := c.snapshot(tb); now != c.before {
		tb.Fatalf("something outside of the project changed:\n%s\nit was:\n%s", now, c.before)
	}
}

func codeOf(err error) workspace.Code {
	var own *workspace.Error
	if errors.As(err, &own) {
		return own.Code
	}
	return ""
}

// FS1: links that leave the project are refused wherever they stand in a path.
func TestFS1LinksThatLeaveTheProjectAreDenied(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{
		"a relative file":           "../outside/canary.txt",
		"a relative directory":      "../outside",
		"the parent":                "..",
		"out and in again":          "../project/dir",
		"up from a deeper place":    "dir/../../outside/canary.txt",
		"an absolute path":          "/etc/hostname",
		"nothing outside":           "../outside/new",
		"the server's directory":    ".nanoclaw",
		"a file of the server":      ".nanoclaw/trash/canary.txt",
		"another link that leaves":  "second",
		"a link that leads to self": "link",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"link", "link/canary.txt", "link/new/deep", "dir/../link/x"} {
				c := newCanary(t)
				link(t, target, filepath.Join(c.root, "link"))
				link(t, "../outside", filepath.Join(c.root, "second"))
				write(t, filepath.Join(c.root, "moved-here"), "x") // what Operations moves
				onLink := path == "link"
				for operation, err := range workspacetest.Operations(c.files, t, path) {
					if onLink && (operation == "delete" || strings.HasPrefix(operation, "move")) {
						continue // done to the link itself
					}
					if code := codeOf(err); code != workspace.CodeAccessDenied {
						t.Errorf("%s on %q ended with %v", operation, path, err)
					}
				}
				c.check(t)
			}
		})
	}
}

func TestFS1ALinkItselfIsDeletedAndMovedWithoutItsTarget(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	link(t, "../outside", filepath.Join(c.root, "link"))
	if err := c.files.Move(t.Context(), "link", "dir/moved"); err != nil {
		t.Fatal(err)
	}
	if err := c.files.Delete(t.Context(), "dir", workspace.DeleteOptions{Recursive: true}); err != nil {
		t.Fatal(err)
	}
	c.check(t)
}

func TestFS1LinksInsideTheProjectAreFollowed(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	link(t, "dir", filepath.Join(c.root, "to-dir"))
	link(t, "../dir/inside.txt", filepath.Join(c.root, "dir/to-file"))
	link(t, "dir/new.txt", filepath.Join(c.root, "dangling"))
	for _, path := range []string{"to-dir/inside.txt", "dir/to-file", "to-dir/to-file"} {
		got, err := c.files.Read(t.Context(), path, 0, 0)
		if err != nil || string(got.Data) != "inside" {
			t.Errorf("%q reads %q, %v", path, got.Data, err)
		}
	}
	if _, err := c.files.Write(t.Context(), "dir/to-file", []byte("changed"), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.files.Append(t.Context(), "dangling", []byte("created")); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"dir/inside.txt": "changed", "dir/new.txt": "created"} {
		if got, err := os.ReadFile(filepath.Join(c.root, file)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", file, got, err)
		}
	}
	if info, err := os.Lstat(filepath.Join(c.root, "dir/to-file")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	listing, err := c.files.List(t.Context(), "to-dir", workspace.ListOptions{})
	if err != nil || len(listing.Entries) != 3 || listing.Entries[0].Path != "to-dir/inside.txt" {
		t.Errorf("listing through a link is %+v, %v", listing, err)
	}
}

func TestFS3ALinkDoesNotReachADeniedName(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "secret.key"), secret)
	link(t, "secret.key", filepath.Join(root, "harmless"))
	files := workspace.NewLocal(root,
		func() workspace.Limits { return workspace.Limits{DeniedNames: []string{"*.key"}} })
	if _, err := files.Read(t.Context(), "harmless", 0, 0); codeOf(err) != workspace.CodeAccessDenied {
		t.Errorf("reading through the link ended with %v", err)
	}
	result, err := files.Grep(t.Context(), workspace.GrepOptions{Pattern: secret})
	if err != nil || len(result.Matches) != 0 {
		t.Errorf("grep found %+v, %v", result, err)
	}
}

// FS4: where a path leads within the project, with links and with what is not there yet.
func TestTheRealPathFollowsLinks(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	link(t, "dir", filepath.Join(c.root, "to-dir"))
	link(t, "to-dir/inside.txt", filepath.Join(c.root, "to-file"))
	link(t, "missing/x", filepath.Join(c.root, "to-nothing"))
	link(t, "../missing/sub/x", filepath.Join(c.root, "dir/up-to-nothing"))
	link(t, "missing/../../outside", filepath.Join(c.root, "out-by-nothing"))
	link(t, "../outside", filepath.Join(c.root, "out"))
	link(t, "loop", filepath.Join(c.root, "loop"))
	for path, want := range map[string]string{
		"": ".", ".": ".", "dir/inside.txt": "dir/inside.txt", "to-dir/inside.txt": "dir/inside.txt",
		"to-file": "dir/inside.txt", `to-dir\inside.txt`: `to-dir\inside.txt`,
		"to-nothing": "missing/x", "to-dir/up-to-nothing": "missing/sub/x",
		"dir/up-to-nothing/deeper": "missing/sub/x/deeper",
		"to-dir/new/deep.txt":      "dir/new/deep.txt", "new/deep.txt": "new/deep.txt", "to-dir/../dir": "dir",
	} {
		if got, err := workspace.RealPath(t.Context(), c.files, path); err != nil || got != want {
			t.Errorf("%q leads to %q, error %v, want %q", path, got, err, want)
		}
	}
	for _, path := range []string{"out/canary.txt", "out-by-nothing", "/etc/passwd", "../outside", "loop",
		".nanoclaw/trash"} {
		if got, err := workspace.RealPath(t.Context(), c.files, path); err == nil {
			t.Errorf("%q leads to %q", path, got)
		}
	}
}
