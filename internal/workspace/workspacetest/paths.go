package workspacetest

import (
	"fmt"
	"strings"
	"testing"

	"nanoclaw/internal/workspace"
)

// EscapingPaths must be refused with access_denied by every operation.
var EscapingPaths = []string{
	"..", "../x", "../../etc/passwd", "a/../../x", "a/b/../../../x", "./../x", "a/./../../x",
	"/etc/passwd", "/x", "//", "//x", "/.", "/..", "/../x",
	`..\x`, `..\..\x`, `a\..\..\x`, `a/..\..\x`, `a\../../x`, `..\/x`, `.\..\x`,
	`\etc\passwd`, `\\server\share`, `C:\Windows`, `c:/Windows`, `C:\..\x`,
	"a\x00b", "\x00", "../\x00", "x\x00/../../etc/passwd",
	workspace.ReservedDir, workspace.ReservedDir + "/x", "a/" + workspace.ReservedDir,
	"./" + workspace.ReservedDir + "/trash",
	strings.ToUpper(workspace.ReservedDir) + "/x", workspace.ReservedDir + "-tmp-0123",
	"a/../" + workspace.ReservedDir + "/x",
}

// Operations runs every operation of a file system on one path.
func Operations(files workspace.Filesystem, t *testing.T, path string) map[string]error {
	ctx := t.Context()
	results := map[string]error{}
	_, results["list"] = files.List(ctx, path, workspace.ListOptions{})
	_, results["list recursive"] = files.List(ctx, path, workspace.ListOptions{Recursive: true})
	_, results["stat"] = files.Stat(ctx, path)
	_, results["exists"] = files.Exists(ctx, path)
	_, results["read"] = files.Read(ctx, path, 0, 0)
	reader, _, err := files.Download(ctx, path)
	if results["download"] = err; err == nil {
		reader.Close()
	}
	_, results["stamp"] = files.Stamp(ctx, path, true)
	_, results["grep"] = files.Grep(ctx, workspace.GrepOptions{Pattern: "canary", Path: path})
	_, results["glob"] = files.Glob(ctx, "**", workspace.GlobOptions{Path: path})
	_, results["write"] = files.Write(ctx, path, []byte("overwritten"), workspace.WriteOptions{})
	_, results["upload"] = files.Upload(ctx, path, strings.NewReader("overwritten"), workspace.WriteOptions{})
	_, results["append"] = files.Append(ctx, path, []byte("appended"))
	_, results["edit"] = files.Edit(ctx, path, true, func([]byte) ([]byte, error) { return []byte("edited"), nil })
	_, results["mkdir"] = files.Mkdir(ctx, path)
	_, results["mkdir below"] = files.Mkdir(ctx, path+"/below")
	results["move from"] = files.Move(ctx, path, "moved-here")
	results["move to"] = files.Move(ctx, "moved-here", path)
	results["delete"] = files.Delete(ctx, path, workspace.DeleteOptions{Recursive: true})
	return results
}

func testPaths(t *testing.T, open Open) {
	t.Run("a path that leaves the root is denied to every operation", func(t *testing.T) {
		for _, path := range EscapingPaths {
			t.Run(fmt.Sprintf("%q", path), func(t *testing.T) {
				files := open(t, workspace.Limits{})
				put(t, files, "moved-here", "x")
				for name, err := range Operations(files, t, path) {
					if name == "mkdir below" && strings.HasPrefix(path+"/below", "//") {
						continue
					}
					t.Run(name, func(t *testing.T) { wantCode(t, err, workspace.CodeAccessDenied) })
				}
				wantPaths(t, must(files.List(t.Context(), "", workspace.ListOptions{}))(t), "moved-here")
			})
		}
	})
	t.Run("a path that only looks as if it did stays inside", func(t *testing.T) {
		files := open(t, workspace.Limits{})
		for given, meant := range map[string]string{
			"a/../b": "b", "./c": "c", "d//e": "d/e", "f/./g": "f/g", "..h": "..h", `i\j`: `i\j`, `k\..\l`: `k\..\l`,
			"%2e%2e/m": "%2e%2e/m", "．．/n": "．．/n", "file:///o": "file:/o", ".nanoclaws": ".nanoclaws",
		} {
			written := put(t, files, given, given)
			if written.Path != meant {
				t.Errorf("%q was written to %q, want %q", given, written.Path, meant)
			}
			wantContent(t, files, meant, given)
		}
	})
	t.Run("the root has three names and is not a file", func(t *testing.T) {
		files := open(t, workspace.Limits{})
		put(t, files, "f", "x")
		for _, root := range []string{"", ".", "/", "./", "a/.."} {
			wantPaths(t, must(files.List(t.Context(), root, workspace.ListOptions{}))(t), "f")
			if entry := must(files.Stat(t.Context(), root))(t); entry.Type != workspace.TypeDirectory ||
				entry.Path != "." {
				t.Errorf("stat of %q says %+v", root, entry)
			}
			_, err := files.Write(t.Context(), root, nil, workspace.WriteOptions{})
			wantCode(t, err, workspace.CodeNotAFile)
			_, err = files.Read(t.Context(), root, 0, 0)
			wantCode(t, err, workspace.CodeNotAFile)
			wantCode(t, files.Delete(t.Context(), root, workspace.DeleteOptions{Recursive: true}),
				workspace.CodeAccessDenied)
			wantCode(t, files.Move(t.Context(), root, "elsewhere"), workspace.CodeInvalidArgument)
		}
		wantContent(t, files, "f", "x")
	})
	t.Run("a glob cannot leave the root either", func(t *testing.T) {
		files := open(t, workspace.Limits{})
		put(t, files, "f", "x")
		for _, pattern := range []string{"../*", "/etc/*", "a/../../*", workspace.ReservedDir + "/*"} {
			_, err := files.Glob(t.Context(), pattern, workspace.GlobOptions{})
			wantCode(t, err, workspace.CodeAccessDenied)
		}
		for _, pattern := range []string{"*/../../*", "**/../../*", "{..,f}/*"} {
			listing := must(files.Glob(t.Context(), pattern, workspace.GlobOptions{}))(t)
			wantPaths(t, listing)
		}
	})
}
