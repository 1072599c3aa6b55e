package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// Two servers that share a control group must not remove each other's groups in
// the moment between making one and joining it.
func TestOnlyDeadServersGroupsAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	stays := map[string]bool{
		groupName():                               true,
		cgroupPrefix + "server":                   true, // not a group of commands
		"somebody-else":                           true,
		cgroupPrefix + "2147483646-1-LEFT":        false, // above the highest process id
		cgroupPrefix + ownerName() + "9-RECYCLED": false, // the same id, started at another time
	}
	for name := range stays {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	removeLeftCgroups(dir)
	for name, want := range stays {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: left in place %v, want %v", name, err == nil, want)
		}
	}
}
