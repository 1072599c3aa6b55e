package config

import (
	"errors"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// GR6: a file that is mounted into a container cannot be replaced, and its Live
// says so.
func TestAMountedFileIsReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yml")
	if err := Save(path, []byte("max_iterations: 5\n")); err != nil {
		t.Fatal(err)
	}
	if before, err := Open(Source{Path: path, Env: environment()}, nil); err != nil || !before.Editable() {
		t.Fatalf("a file that is not mounted cannot be edited: %v", err)
	}
	if err := unix.Mount(path, path, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("NOT TESTED: a mounted file needs the right to mount (run as root): %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(path, unix.MNT_DETACH) })
	live, err := Open(Source{Path: path, Env: environment()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if live.Editable() {
		t.Error("it counts as editable")
	}
	err = live.Write(func([]byte) (Edited, error) { return Edited{Text: []byte("max_iterations: 6\n")}, nil })
	if !errors.Is(err, ErrReadOnly) || live.Current().MaxIterations != 5 {
		t.Errorf("got %v, max_iterations %d", err, live.Current().MaxIterations)
	}
}
