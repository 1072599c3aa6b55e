package workspace_test

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/workspacetest"
)

// FS6: a special file is never opened for good, so nothing waits for its other end.
func TestFS6SpecialFilesAreRefusedAndNothingHangs(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(path string) error{
		"FIFO": func(path string) error { return syscall.Mkfifo(path, 0o644) },
		"socket": func(path string) error {
			listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
			if err == nil {
				t.Cleanup(func() { listener.Close() })
			}
			return err
		},
		"device": func(path string) error { return syscall.Mknod(path, syscall.S_IFCHR|0o666, 1<<8|5) }, // zero
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, err := os.MkdirTemp("", "ws") // short: a socket's path is bounded
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(root) })
			if err := make(filepath.Join(root, "special")); err != nil {
				t.Skipf("this user cannot make a %s: %v", name, err)
			}
			files := workspace.NewLocal(root, nil)
			results := workspacetest.Operations(files, t, "special")
			for _, operation := range []string{"read", "download", "write", "upload", "append", "edit", "grep"} {
				if code := codeOf(results[operation]); code != workspace.CodeNotAFile {
					t.Errorf("%s ended with %v", operation, results[operation])
				}
			}
			// Operations moved and deleted it in the end, which is allowed.
			if err := make(filepath.Join(root, "special")); err != nil {
				t.Fatal(err)
			}
			for operation, err := range workspacetest.Operations(files, t, "special/below") {
				if err == nil && operation != "exists" && operation != "stamp" {
					t.Errorf("%s worked below a %s", operation, name)
				}
			}
			write(t, filepath.Join(root, "text"), "canary")
			result, err := files.Grep(t.Context(), workspace.GrepOptions{Pattern: "canary"})
			if err != nil || len(result.Matches) != 1 || result.FilesSkipped != 1 {
				t.Errorf("grep beside it says %+v, %v", result, err)
			}
			listing, err := files.List(t.Context(), "", workspace.ListOptions{Pattern: "special"})
			if err != nil || len(listing.Entries) != 1 || listing.Entries[0].Type != workspace.TypeOther {
				t.Errorf("it is listed as %+v, %v", listing, err)
			}
		})
	}
}

func TestFS6AProjectThatBecameAFIFODoesNotHang(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "project")
	files := workspace.NewLocal(root, nil)
	if _, err := files.List(t.Context(), "", workspace.ListOptions{}); codeOf(err) != workspace.CodeNotFound {
		t.Errorf("without a directory: %v", err)
	}
	if err := syscall.Mkfifo(root, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := files.List(t.Context(), "", workspace.ListOptions{}); codeOf(err) != workspace.CodeNotADirectory {
		t.Errorf("with a FIFO: %v", err)
	}
}

// FS6: with a second hard link, a file may be one from outside the project.
func TestFS6HardLinkedFilesAreNeitherReadNorWritten(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	if err := os.Link(filepath.Join(c.outside, "canary.txt"), filepath.Join(c.root, "hard")); err != nil {
		t.Fatal(err)
	}
	results := workspacetest.Operations(c.files, t, "hard")
	for _, operation := range []string{"read", "download", "write", "upload", "append", "edit", "grep", "stamp"} {
		if code := codeOf(results[operation]); code != workspace.CodeAccessDenied {
			t.Errorf("%s ended with %v", operation, results[operation])
		}
	}
	c.check(t)
	if err := os.Link(filepath.Join(c.outside, "canary.txt"), filepath.Join(c.root, "hard2")); err != nil {
		t.Fatal(err)
	}
	result, err := c.files.Grep(t.Context(), workspace.GrepOptions{Pattern: "CANARY"})
	if err != nil || len(result.Matches) != 0 || result.FilesSkipped == 0 {
		t.Errorf("grep says %+v, %v", result, err)
	}
}

// FS6: a file that is replaced keeps its permissions, and its owner for root.
func TestFS6AReplacedFileKeepsItsMode(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, "script.sh")
	write(t, path, "old")
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	wantOwner := os.Geteuid()
	if wantOwner == 0 {
		wantOwner = 12345
		if err := os.Chown(path, wantOwner, wantOwner); err != nil {
			t.Fatal(err)
		}
	}
	files := workspace.NewLocal(root, nil)
	if _, err := files.Append(t.Context(), "script.sh", []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if owner := int(info.Sys().(*syscall.Stat_t).Uid); info.Mode().Perm() != 0o751 || owner != wantOwner {
		t.Errorf("the file is %v of user %d now", info.Mode(), owner)
	}
	if entry, err := files.Stat(t.Context(), "script.sh"); err != nil || !entry.Executable {
		t.Errorf("the entry says %+v, %v", entry, err)
	}
}

// FS6: what a crash left half-written is never shown, and goes in time.
func TestFS6HalfWrittenFilesAreHiddenAndCleanedUp(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	old := filepath.Join(root, "d", workspace.ReservedDir+"-tmp-old")
	young := filepath.Join(root, "d", workspace.ReservedDir+"-tmp-young")
	write(t, old, "x")
	write(t, young, "x")
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	files := workspace.NewLocal(root, nil)
	listing, err := files.List(t.Context(), "d", workspace.ListOptions{})
	if err != nil || len(listing.Entries) != 0 {
		t.Errorf("listed %+v, %v", listing, err)
	}
	if _, err := os.Lstat(old); !os.IsNotExist(err) {
		t.Errorf("the old one is still there: %v", err)
	}
	if _, err := os.Lstat(young); err != nil {
		t.Errorf("the young one, which somebody may be writing, is gone: %v", err)
	}
}

func TestNamesThatAreNoUTF8DoNotBreakJSON(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "bad\xff\xfename"), "hello")
	files := workspace.NewLocal(root, nil)
	listing, err := files.List(t.Context(), "", workspace.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	result, err := files.Grep(t.Context(), workspace.GrepOptions{Pattern: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []any{listing, result} {
		text, err := json.Marshal(value)
		if err != nil || !json.Valid(text) {
			t.Errorf("%s, %v", text, err)
		}
	}
}
