package workspace_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"nanoclaw/internal/workspace"
)

// nested makes directories in each other, which no path could name in one call.
func nested(tb testing.TB, dir string, depth int) {
	tb.Helper()
	at, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	for range depth {
		if err := unix.Mkdirat(at, "d", 0o755); err != nil {
			tb.Fatal(err)
		}
		next, err := unix.Openat(at, "d", unix.O_RDONLY|unix.O_DIRECTORY, 0)
		unix.Close(at)
		if err != nil {
			tb.Fatal(err)
		}
		at = next
	}
	unix.Close(at)
}

// many makes files, a hundred in each directory.
func many(tb testing.TB, dir string, count int) {
	tb.Helper()
	for i := range count {
		in := filepath.Join(dir, fmt.Sprint("d", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(in, 0o755); err != nil {
				tb.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(in, fmt.Sprint("f", i)), []byte("text\n"), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkTree is what each walk costs in a project that a command has filled:
// with directories in each other, or with very many files.
func BenchmarkTree(b *testing.B) {
	for name, fill := range map[string]func(testing.TB, string){
		"1000deep":   func(tb testing.TB, dir string) { nested(tb, dir, 1000) },
		"5000deep":   func(tb testing.TB, dir string) { nested(tb, dir, 5000) },
		"50000files": func(tb testing.TB, dir string) { many(tb, dir, 50_000) },
	} {
		root := b.TempDir()
		fill(b, filepath.Join(makeDir(b, root, "p"), "."))
		files := workspace.NewLocal(filepath.Join(root, "p"), func() workspace.Limits {
			return workspace.Limits{MaxFileSize: 10 << 20, MaxFiles: 1_000_000, MaxTotalSize: 1 << 40, MaxDepth: 64}
		}).WithTrash(filepath.Join(root, "trash"))
		for operation, do := range map[string]func() error{
			"list": func() error {
				_, err := files.List(b.Context(), "", workspace.ListOptions{Recursive: true, Limit: -1})
				return err
			},
			"glob": func() error {
				_, err := files.Glob(b.Context(), "**/*.none",
					workspace.GlobOptions{})
				return err
			},
			"grep": func() error {
				_, err := files.Grep(b.Context(),
					workspace.GrepOptions{Pattern: "needle"})
				return err
			},
			"stamp":  func() error { _, err := files.Stamp(b.Context(), "", true); return err },
			"quota":  func() error { return files.CheckQuota(b.Context(), true) },
			"zip":    func() error { _, err := workspace.WriteZip(b.Context(), files, "", io.Discard); return err },
			"survey": func() error { _, _, err := files.Survey(b.Context(), ".", 2000, false); return err },
		} {
			b.Run(name+"/"+operation, func(b *testing.B) {
				for b.Loop() {
					if err := do(); err != nil && !strings.Contains(err.Error(), "deep") {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(name+"/delete and purge", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				b.StopTimer()
				if i > 0 {
					makeDir(b, root, "p")
					fill(b, filepath.Join(root, "p"))
				}
				if err := os.Rename(filepath.Join(root, "p"), filepath.Join(root, "full")); err != nil {
					b.Fatal(err)
				}
				makeDir(b, root, "p")
				if err := os.Rename(filepath.Join(root, "full"), filepath.Join(root, "p", "full")); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := files.Delete(b.Context(), "full", workspace.DeleteOptions{Recursive: true}); err != nil {
					b.Fatal(err)
				}
				page, err := files.Trash(b.Context(), "", 10)
				if err != nil {
					b.Fatal(err)
				}
				for _, item := range page.Items {
					if err := files.Purge(b.Context(), item.ID); err != nil {
						b.Fatal(err)
					}
				}
				os.RemoveAll(filepath.Join(root, "p"))
			}
		})
	}
}

func makeDir(tb testing.TB, dir, name string) string {
	tb.Helper()
	made := filepath.Join(dir, name)
	if err := os.MkdirAll(made, 0o755); err != nil {
		tb.Fatal(err)
	}
	return made
}
