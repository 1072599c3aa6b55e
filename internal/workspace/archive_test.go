package workspace_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/workspace"
)

func TestAnArchiveHoldsEverythingThatCanBeRead(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	write(t, filepath.Join(c.root, "dir/深/名 字.txt"), "你好")
	write(t, filepath.Join(c.root, ".git/config"), "[core]")
	write(t, filepath.Join(c.root, "run.sh"), "#!")
	if err := os.Chmod(filepath.Join(c.root, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(c.root, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	link(t, "../outside/canary.txt", filepath.Join(c.root, "leaves"))

	var out bytes.Buffer
	skipped, err := workspace.WriteZip(t.Context(), c.files, "", &out)
	if err != nil || !slices.Equal(skipped, []string{"leaves"}) {
		t.Fatalf("skipped %q, %v", skipped, err)
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, file := range archive.File {
		got[file.Name] = contentOf(t, file)
		if file.Name == "run.sh" && file.Mode()&0o100 == 0 {
			t.Error("run.sh cannot be executed any more")
		}
	}
	want := map[string]string{".git/": "", ".git/config": "[core]", "dir/": "", "dir/inside.txt": "inside",
		"dir/深/": "", "dir/深/名 字.txt": "你好", "empty/": "", "run.sh": "#!"}
	if len(got) != len(want) {
		t.Errorf("the archive holds %v", got)
	}
	for name, content := range want {
		if found, ok := got[name]; !ok || found != content {
			t.Errorf("%q holds %q", name, found)
		}
	}
	if !strings.Contains(archive.Comment, "leaves") {
		t.Errorf("the comment is %q", archive.Comment)
	}
}

func contentOf(t *testing.T, file *zip.File) string {
	t.Helper()
	in, err := file.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	content, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestAnArchiveOfADirectoryHasPathsFromThere(t *testing.T) {
	t.Parallel()
	c := newCanary(t)
	var out bytes.Buffer
	if _, err := workspace.WriteZip(t.Context(), c.files, "dir", &out); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || len(archive.File) != 1 || archive.File[0].Name != "inside.txt" {
		t.Fatalf("%+v, %v", archive, err)
	}
	if _, err := workspace.WriteZip(t.Context(), c.files, "../outside",
		&out); codeOf(err) != workspace.CodeAccessDenied {
		t.Errorf("an archive of the outside ended with %v", err)
	}
	if _, err := workspace.WriteZip(t.Context(), c.files, "missing", &out); codeOf(err) != workspace.CodeNotFound {
		t.Errorf("an archive of nothing ended with %v", err)
	}
}
