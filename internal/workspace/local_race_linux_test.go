package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"nanoclaw/internal/workspace"
)

// swapping exchanges two names of a directory, atomically and as fast as it can,
// until stop is called.
func swapping(t *testing.T, a, b string) (stop func()) {
	t.Helper()
	done := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
			}
			if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
				t.Errorf("swap: %v", err)
				return
			}
		}
	})
	return func() { close(done); group.Wait() }
}

// FS1: while a directory and a link that leaves the project change places all
// the time, nothing outside is read, created, changed or deleted.
func TestFS1SwappingADirectoryForALinkReachesNothingOutside(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]string{
		"to the outside":                "../outside",
		"to the server's own directory": ".nanoclaw/trash",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCanary(t)
			write(t, filepath.Join(c.root, "sub/canary.txt"), "decoy")
			link(t, target, filepath.Join(c.root, "evil"))
			stop := swapping(t, filepath.Join(c.root, "sub"), filepath.Join(c.root, "evil"))
			for range 400 {
				raceOnce(t, c.files)
			}
			stop()
			c.check(t)
		})
	}
}

func raceOnce(t *testing.T, files workspace.Filesystem) {
	t.Helper()
	ctx := t.Context()
	seen := func(what, text string) {
		if strings.Contains(text, secret) {
			t.Errorf("%s saw what is outside: %q", what, text)
		}
	}
	if got, err := files.Read(ctx, "sub/canary.txt", 0, 0); err == nil {
		seen("read", string(got.Data))
	}
	if result, err := files.Grep(ctx, workspace.GrepOptions{Pattern: "CANARY", Path: "sub"}); err == nil &&
		len(result.Matches) > 0 {
		seen("grep", result.Matches[0].Text)
	}
	if listing, err := files.List(ctx, "", workspace.ListOptions{Recursive: true}); err == nil {
		for _, entry := range listing.Entries {
			if entry.Name == "deep.txt" {
				t.Errorf("list saw what is outside: %q", entry.Path)
			}
		}
	}
	// What these answer depends on the moment; what they touch does not.
	_, _ = files.Write(ctx, "sub/canary.txt", []byte("decoy"), workspace.WriteOptions{})
	_, _ = files.Append(ctx, "sub/dir/mine.txt", []byte("decoy"))
	_, _ = files.Mkdir(ctx, "sub/new/dir")
	_ = files.Delete(ctx, "sub/dir/mine.txt", workspace.DeleteOptions{})
	_ = files.Delete(ctx, "sub/dir", workspace.DeleteOptions{Recursive: true})
	_ = files.Delete(ctx, "sub/new", workspace.DeleteOptions{Recursive: true})
	_ = files.Move(ctx, "dir/inside.txt", "sub/moved")
	_ = files.Move(ctx, "sub/moved", "dir/inside.txt")
	_ = files.Move(ctx, "sub/canary.txt", "dir/taken")
	_ = files.Move(ctx, "dir/taken", "sub/canary.txt")
}

// FS6: a file that turns into a FIFO between the look and the open stops nobody.
func TestFS6SwappingAFileForAFIFODoesNotHang(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "file"), "content")
	write(t, filepath.Join(root, "dir/below"), "content")
	for _, fifo := range []string{"fifo", "fifo2"} {
		if err := syscall.Mkfifo(filepath.Join(root, fifo), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files := workspace.NewLocal(root, nil)
	stopFile := swapping(t, filepath.Join(root, "file"), filepath.Join(root, "fifo"))
	stopDir := swapping(t, filepath.Join(root, "dir"), filepath.Join(root, "fifo2"))
	for range 300 {
		if got, err := files.Read(t.Context(), "file", 0, 0); err == nil && string(got.Data) != "content" {
			t.Errorf("read %q", got.Data)
		}
		_, _ = files.Read(t.Context(), "dir/below", 0, 0)
		_, _ = files.Grep(t.Context(), workspace.GrepOptions{Pattern: "content"})
	}
	stopFile()
	stopDir()
	for _, name := range []string{"file", "fifo"} {
		if info, err := os.Lstat(filepath.Join(root, name)); err != nil {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}
