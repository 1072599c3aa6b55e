package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A link that an earlier session left at a protected name does not show the
// sandbox what it leads to.
func TestLinksAtProtectedNamesAreNotFollowed(t *testing.T) {
	t.Parallel()
	outside, project := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{".bashrc": outside + "/secret", ".vscode": outside, ".git": outside} {
		if err := os.Symlink(target, filepath.Join(project, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(outside, "hooks"), 0o755); err != nil {
		t.Fatal(err)
	}
	protected, err := protect(project, nil)
	if err != nil || len(protected) != 0 {
		t.Errorf("got %v, %v", protected, err)
	}
}

func TestProtectedNamesAreFoundWithTheirDirectories(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	for _, dir := range []string{".git/hooks", "a/b/.git/hooks", "node_modules/x/.git/hooks"} {
		if err := os.MkdirAll(filepath.Join(project, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	protected, err := protect(project, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeProtected(protected)
	var got []string
	for _, one := range protected {
		mode := " rw"
		if one.readOnly {
			mode = " ro"
		}
		got = append(got, one.path+mode)
	}
	if want := []string{".git rw", ".git/hooks ro", "a rw", "a/b rw", "a/b/.git rw",
		"a/b/.git/hooks ro"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
