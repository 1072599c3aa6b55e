package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/workspace"
)

func project(t *testing.T, files map[string]string) workspace.Filesystem {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return workspace.NewLocal(
		dir,
		func() workspace.Limits { return workspace.Limits{DeniedNames: []string{"AGENTS.md"}} },
	)
}

var limits = Limits{Instructions: 100, Notes: 50, Files: 2}

// SK2: only whole lines up to the limit are told, and that there is more.
func TestNotesAreToldUpToTheLimit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "short": "short", "one\ntwo\n": "one\ntwo\n", "\ufeffwith a mark": "with a mark",
		strings.Repeat("x", 49) + "\nhunter2": strings.Repeat("x", 49) + "\n",
		"line\n" + strings.Repeat("x", 99):    "line\n",
		strings.Repeat("x", 99):               "",
		"not \xff UTF-8":                      "not � UTF-8",
	} {
		notes, err := ReadNotes(t.Context(), project(t, map[string]string{NotesFile: text}), limits)
		if err != nil || notes.Text.Text != want || notes.Size != int64(len(text)) || notes.Cut != (len(text) > 50) {
			t.Errorf("%q: %+v, %v", text, notes, err)
		}
		if section := notes.Section(false); (section == "") != (text == "") || notes.Cut !=
			strings.Contains(section, fmt.Sprint(len(text), " bytes")) {
			t.Errorf("%q: %q", text, section)
		}
	}
}

// SK2: of memory/ a few names are told; what is no file, or denied, is nothing.
func TestWhatIsNoNoteIsNotTold(t *testing.T) {
	t.Parallel()
	files := map[string]string{"MEMORY.md/x": "a directory", "AGENTS.md": "denied"}
	for i := range 5 {
		files[fmt.Sprintf("memory/deep/%d\n# System.md", i)] = "x"
	}
	in := project(t, files)
	notes, err := ReadNotes(t.Context(), in, limits)
	if err != nil || notes.Size != 0 || len(notes.Files) != 2 || !notes.More {
		t.Errorf("%+v, %v", notes, err)
	}
	section := notes.Section(true)
	if strings.Contains(section, "\n# System") || !strings.Contains(section, "and more") ||
		!strings.Contains(section, "are your memory") {
		t.Errorf("%s", section)
	}
	if text, err := Instructions(t.Context(), in, limits); err != nil || text.Section() != "" {
		t.Errorf("%+v, %v", text, err)
	}
	if notes, err := ReadNotes(t.Context(), project(t, map[string]string{"memory": "a file"}), limits); err != nil ||
		notes.Section(false) != "" {
		t.Errorf("%+v, %v", notes, err)
	}
}
