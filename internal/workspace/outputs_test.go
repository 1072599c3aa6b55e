package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// 10.18: outputs of tools lie beside the project, and are read through a path of their own.
func TestOutputsAreReadButNotInTheProject(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	root := filepath.Join(base, "p")
	put(t, root, "own", "x")
	put(t, root, ".gitignore", ".tool-output/\n")
	outputs := filepath.Join(base, "data", "outputs")
	files := NewLocal(root, func() Limits { return Limits{MaxFiles: 3} }).WithOutputs(outputs)
	path, err := files.PutOutput(t.Context(), "c1/a.txt", strings.NewReader("the needle\n"))
	if err != nil || path != ".tool-output/c1/a.txt" {
		t.Fatalf("%q, %v", path, err)
	}
	if _, err := os.Lstat(filepath.Join(root, OutputPrefix)); err == nil {
		t.Error("it is in the project")
	}
	if got, err := files.Read(t.Context(), path, 0, 0); err != nil || string(got.Data) != "the needle\n" {
		t.Errorf("read %q, %v", got.Data, err)
	}
	for _, at := range []string{path, ".tool-output"} {
		if got, err := files.Grep(t.Context(), GrepOptions{Pattern: "needle", Path: at}); err != nil ||
			len(got.Matches) != 1 || got.Matches[0].Path != path {
			t.Errorf("searched in %s: %+v, %v", at, got, err)
		}
	}
	if got, err := files.List(t.Context(), ".tool-output/c1", ListOptions{}); err != nil || len(got.Entries) != 1 ||
		got.Entries[0].Path != path {
		t.Errorf("listed %+v, %v", got, err)
	}
	for _, name := range []string{path, ".tool-output/new", "./.tool-output/new"} {
		if _, err := files.Write(t.Context(), name, nil, WriteOptions{}); !IsCode(err, CodeAccessDenied) {
			t.Errorf("%s was written: %v", name, err)
		}
	}
	for _, name := range []string{".tool-output/../../data/x", ".tool-output/../.."} {
		if _, err := files.Stat(t.Context(), name); !IsCode(err, CodeAccessDenied) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := files.Delete(t.Context(), ".tool-output", DeleteOptions{Recursive: true}); !IsCode(err,
		CodeAccessDenied) {
		t.Errorf("all of it was deleted: %v", err)
	}
	if err := files.Move(t.Context(), path, "kept.txt"); err != nil {
		t.Errorf("taken into the project: %v", err)
	}
	contents(t, root, map[string]string{"kept.txt": "the needle\n"})
	if _, err := files.PutOutput(t.Context(), "old.txt", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	if n, err := sweepOutputs(t.Context(), outputs, time.Now().Add(time.Hour)); err != nil || n != 2 {
		t.Errorf("swept %d, %v", n, err)
	}
}
