package datadir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestMain makes the test binary a process that owns a data directory, where a
// test starts it as one.
func TestMain(m *testing.M) {
	if dir := os.Getenv("NANOCLAW_TEST_OWN"); dir != "" {
		ownUntilStdinEnds(dir)
	}
	os.Exit(m.Run())
}

func ownUntilStdinEnds(dir string) {
	lock, err := Own(dir)
	if err == nil {
		err = lock.Announce(Owner{PID: os.Getpid(), URL: "http://127.0.0.1:1"})
	}
	fmt.Println("owns:", err)
	io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(lock) // collected, its file would be closed
	os.Exit(0)              // without giving it back, like a crash
}

func TestASecondProcessSaysWhoOwnsTheDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "for it")
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "NANOCLAW_TEST_OWN="+dir)
	stdin, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "owns: <nil>\n" {
		t.Fatalf("%q, %v", line, err)
	}

	_, err = Own(dir)
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Owner != (Owner{PID: other.Process.Pid, URL: "http://127.0.0.1:1"}) {
		t.Errorf("%v", err)
	} else if want := fmt.Sprintf(
		"is owned by process %d, which serves http://127.0.0.1:1: stop it, or choose another data_dir",
		other.Process.Pid); !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	owner, err := FindOwner(dir)
	if err != nil || owner == nil || owner.PID != other.Process.Pid {
		t.Errorf("found %+v, %v", owner, err)
	}

	stdin.Close()
	if err := other.Wait(); err != nil {
		t.Fatal(err)
	}
	if owner, err := FindOwner(dir); err != nil || owner != nil {
		t.Errorf("after its end: %+v, %v", owner, err)
	}
	lock, err := Own(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
}

func TestAnOwnerThatSaidNothingReadableIsAnOwnerAllTheSame(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `[1]`, `{"pid":"x"}`, "\x00"} {
		dir := t.TempDir()
		lock, err := Own(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, lockName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		owner, err := FindOwner(dir)
		if err != nil || owner == nil || owner.PID != 0 {
			t.Errorf("%q: %+v, %v", text, owner, err)
		}
		if _, err := Own(dir); err == nil || !strings.Contains(err.Error(), "another process") {
			t.Errorf("%q: %v", text, err)
		}
		if err := lock.Release(); err != nil {
			t.Error(err)
		}
	}
}

func TestADataDirectoryThatCannotBeMadeIsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Own(filepath.Join(file, "data")); err == nil || !strings.Contains(err.Error(),
		"make the data directory") {
		t.Error(err)
	}
}
