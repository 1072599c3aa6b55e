package acp

import (
	"path/filepath"
	"strings"
	"testing"
)

// FS1: whatever path an agent asks for, an absolute one is only taken below the
// project, and names the same file there.
func FuzzPathsOfAgents(f *testing.F) {
	for _, path := range []string{"/project/a", "/project", "/project/../etc/passwd", "/project2/a", "//project//a/./b",
		"/etc", "a/../..", ""} {
		f.Add(path)
	}
	p := &place{dir: "/project", roots: []string{"/project"}}
	f.Fuzz(func(t *testing.T, path string) {
		relative, err := p.relative(path)
		switch {
		case err != nil || !filepath.IsAbs(path):
		case filepath.Join("/project", relative) != filepath.Clean(path):
			t.Errorf("%q became %q", path, relative)
		case relative == ".." || strings.HasPrefix(relative, "../"):
			t.Errorf("%q leaves the project as %q", path, relative)
		}
	})
}
