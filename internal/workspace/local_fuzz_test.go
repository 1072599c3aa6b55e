package workspace_test

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/workspacetest"
)

// FuzzFS1NoPathReachesTheCanary tries paths, and links with these targets, on
// every operation: nothing outside is read, created, changed or deleted.
func FuzzFS1NoPathReachesTheCanary(f *testing.F) {
	for _, path := range workspacetest.EscapingPaths {
		f.Add(path, "../outside")
	}
	for _, name := range workspacetest.OddNames {
		f.Add(name+"/../../"+name, name)
	}
	for _, seed := range [][2]string{
		{"link/canary.txt", "../outside"}, {"..0/0", "0"}, {"link/../canary.txt", "dir"},
		{"link", "dir/../../outside/canary.txt"},
		{"dir/link/../../outside", "../.."}, {"link/link/link", "."}, {"link", "./././../outside/"}, {"link/", "//"},
		{"link/trash/canary.txt", ".nanoclaw"}, {"link/x", ".NANOCLAW/./"}, {"link\\..\\..\\x", "dir"},
		{"link/new", "missing/../../outside"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, path, target string) {
		c := newCanary(t)
		if target != "" && !strings.ContainsRune(target, 0) && len(target) < 1000 {
			link(t, target, filepath.Join(c.root, "link"))
			link(t, target, filepath.Join(c.root, "dir/link"))
		}
		mustNotSee(t, c.files, path)
		mustNotSee(t, c.files, "link/"+path)
		workspacetest.Operations(c.files, t, path)
		workspacetest.Operations(c.files, t, "link/"+path)
		_, _ = c.files.Glob(t.Context(), path, workspace.GlobOptions{})
		c.check(t)
	})
}

func mustNotSee(t *testing.T, files workspace.Filesystem, path string) {
	t.Helper()
	if got, err := files.Read(t.Context(), path, 0, 0); err == nil && strings.Contains(string(got.Data), secret) {
		t.Fatalf("read %q saw the canary", path)
	}
	if reader, _, err := files.Download(t.Context(), path); err == nil {
		defer reader.Close()
		if got, err := io.ReadAll(reader); err == nil && strings.Contains(string(got), secret) {
			t.Fatalf("download %q saw the canary", path)
		}
	}
	if result, err := files.Grep(t.Context(), workspace.GrepOptions{Pattern: secret, Path: path}); err == nil &&
		len(result.Matches) > 0 {
		t.Fatalf("grep in %q saw the canary: %+v", path, result.Matches)
	}
	for _, opts := range []workspace.ListOptions{{}, {Recursive: true}} {
		listing, err := files.List(t.Context(), path, opts)
		if err != nil {
			continue
		}
		for _, entry := range listing.Entries {
			if entry.Name == "canary.txt" || entry.Name == "deep.txt" || entry.Name == "outside" {
				t.Fatalf("list of %q saw %q", path, entry.Path)
			}
		}
	}
}
