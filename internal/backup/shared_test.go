package backup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// shared opens the shared files of an estate.
func (e *estate) shared() *remote.Store {
	e.t.Helper()
	s, err := remote.Open(e.t.Context(), remote.Options{Dir: filepath.Join(e.config.DataDir, "files"),
		Grace: time.Hour})
	e.must(err)
	return s
}

// CH14, WS4: shared files, snapshots of sandboxes and skills of users come back, also from
// a backup that was made while a server worked; what was there before is put aside with the
// directories of sandboxes, which are newer.
func TestABackupHoldsSharedFilesAndSkillsOfUsers(t *testing.T) {
	t.Parallel()
	from := newEstate(t).fill("kept")
	skill := filepath.Join(from.config.DataDir, "user-skills", "u", "greet", "SKILL.md")
	from.must(os.MkdirAll(filepath.Dir(skill), 0o700))
	from.must(os.WriteFile(skill, []byte("Smile."), 0o600))
	ns := remote.Namespace{Project: projectA, Scope: "user/u"}
	large := strings.Repeat("large ", 100_000)
	working := from.shared()
	for name, content := range map[string]string{"MEMORY.md": "the blue one", "memory/large": large} {
		_, err := working.Files(ns, nil).Write(t.Context(), name, []byte(content), workspace.WriteOptions{})
		from.must(err)
	}
	archive := from.archive() // a server works
	working.Close()

	to := newEstate(t).fill("old")
	old := to.shared()
	_, err := old.Files(ns, nil).Write(t.Context(), "MEMORY.md", []byte("the old one"), workspace.WriteOptions{})
	to.must(err)
	old.Close()
	to.must(os.MkdirAll(filepath.Join(to.config.DataDir, "sandboxes", "x"), 0o700))
	report, err := to.restore(archive, true)
	to.must(err)
	restored := to.shared()
	for name, want := range map[string]string{"MEMORY.md": "the blue one", "memory/large": large} {
		got, err := restored.Files(ns, nil).Read(t.Context(), name, 0, 0)
		if err != nil || string(got.Data) != want {
			t.Errorf("%s holds %d bytes, %v", name, len(got.Data), err)
		}
	}
	restored.Close()
	got, err := os.ReadFile(filepath.Join(to.config.DataDir, "user-skills", "u", "greet", "SKILL.md"))
	if err != nil || string(got) != "Smile." {
		t.Errorf("the skill is %q, %v", got, err)
	}
	for _, name := range []string{"files", "sandboxes"} {
		if !isDir(filepath.Join(report.Aside[0], name)) {
			t.Errorf("%s is not put aside in %q", name, report.Aside)
		}
	}
	if isDir(filepath.Join(to.config.DataDir, "sandboxes")) {
		t.Error("directories of sandboxes stay that are newer than their snapshots")
	}
}

// CH14: what is damaged is not backed up as if it were whole.
func TestDamagedSharedFilesAreNotBackedUp(t *testing.T) {
	t.Parallel()
	from := newEstate(t).fill("kept")
	s := from.shared()
	_, err := s.Files(remote.Namespace{Project: projectA}, nil).Write(t.Context(), "f", []byte("x"),
		workspace.WriteOptions{})
	from.must(err)
	s.Close()
	from.must(os.RemoveAll(filepath.Join(from.config.DataDir, "files", "jetstream", "$G", "streams",
		"KV_nanoclaw_contents")))
	folder := t.TempDir()
	if _, err := from.backup(folder); err == nil || !strings.Contains(err.Error(), "check the content") {
		t.Errorf("backing up what is damaged is %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}
