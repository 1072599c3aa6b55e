package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestSaveReplacesTheFileAndKeepsItsMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "config.yml")
	if err := Save(path, []byte("a")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a new file: %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Save(path, []byte("b")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || string(text) != "b" || info.Mode().Perm() != 0o640 {
		t.Errorf("got %q, %v, %v, %v", text, info.Mode(), err, statErr)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("something is left behind: %v, %v", entries, err)
	}
	if err := Save(filepath.Join(dir, "none", "config.yml"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// CF4: a change through the program is in the file and in force.
func TestWriteChangesTheFileAndIsInForce(t *testing.T) {
	t.Parallel()
	l, path, _ := openLive(t, "# mine\nsub_agent:\n  max_tasks: 5 # five\n")
	edit := func(changes map[string]any) error {
		return l.Write(func(text []byte) (Edited, error) { return l.Edit(text, changes) })
	}
	if err := edit(map[string]any{"sub_agent.max_tasks": 6}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "# mine\nsub_agent:\n  max_tasks: 6 # five\n" ||
		l.Current().SubAgent.MaxTasks != 6 {
		t.Errorf("got %q, %v, in force %d", text, err, l.Current().SubAgent.MaxTasks)
	}
	if err := edit(map[string]any{"sub_agent.max_tasks": 0}); err == nil {
		t.Error("a bad value: no error")
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != string(text) {
		t.Errorf("a bad value was written: %q, %v", again, err)
	}
}
