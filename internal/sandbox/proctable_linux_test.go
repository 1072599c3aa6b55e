package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Issue 10, point 10: a process that has ended holds up nobody who waits for the
// others to end, also while its parent cannot reap it. It cost every timeout of a
// sandbox the whole grace of two seconds.
func TestTheDeadAreNoMembersOfANamespace(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", "true & exec sleep 1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	dead := 0
	for deadline := time.Now().Add(20 * time.Second); dead == 0; time.Sleep(5 * time.Millisecond) {
		for _, id := range processes() {
			if parent, state, ok := parentOf(id); ok && parent == cmd.Process.Pid && state == "Z" {
				dead = id
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("no child died")
		}
	}
	if _, err := os.Readlink(filepath.Join("/proc", "self", "ns/pid")); err != nil {
		t.Fatal(err)
	}
	first, others := namespaceMembers(os.Getpid())
	if members := append(others, first); slices.Contains(members, dead) || !slices.Contains(members, cmd.Process.Pid) {
		t.Errorf("%d is dead, %d lives; the members are %v", dead, cmd.Process.Pid, members)
	}
}

// Issue 10, point 13: programs of the system's directories are found, whoever
// started the server; directories of a person's are not added.
func TestThePathHasTheSystemsDirectories(t *testing.T) {
	t.Setenv("PATH", "/usr/lib/some/bin:/home/me/bin:/usr/../etc:relative:/usr/bin")
	if got := systemPath(); !slices.Contains(filepath.SplitList(got), "/usr/lib/some/bin") {
		t.Error(got)
	} else {
		for _, dir := range filepath.SplitList(got) {
			if !slices.Contains([]string{"/bin", "/sbin"}, dir) && filepath.Dir(dir)[:4] != "/usr" {
				t.Error(dir)
			}
		}
	}
	if got := joinPath("/a:/b", "", "/b:/c"); got != "/a:/b:/c" {
		t.Error(got)
	}
}
