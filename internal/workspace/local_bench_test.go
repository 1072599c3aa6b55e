package workspace_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/workspace"
)

func benchProject(b *testing.B, count int) *workspace.Local {
	b.Helper()
	root := b.TempDir()
	for i := range count {
		write(b, filepath.Join(root, fmt.Sprintf("d%d/e%d/f%d.txt", i%10, i%7, i)),
			strings.Repeat("some line of text\n", 50))
	}
	return workspace.NewLocal(root, func() workspace.Limits {
		return workspace.Limits{MaxFileSize: 10 << 20, MaxFiles: 100_000, MaxTotalSize: 1 << 30}
	})
}

func BenchmarkLocalRead(b *testing.B) {
	files := benchProject(b, 10)
	for b.Loop() {
		if _, err := files.Read(b.Context(), "d0/e0/f0.txt", 0, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLocalWrite shows that a write does not count the project's files:
// its time is the same in a small and in a large one.
func BenchmarkLocalWrite(b *testing.B) {
	for _, count := range []int{10, 5000} {
		b.Run(fmt.Sprint(count, " files"), func(b *testing.B) {
			files := benchProject(b, count)
			for b.Loop() {
				if _, err := files.Write(b.Context(), "d0/e0/f0.txt", []byte("content"),
					workspace.WriteOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLocalTree(b *testing.B) {
	files := benchProject(b, 5000)
	b.Run("stamp", func(b *testing.B) {
		for b.Loop() {
			if _, err := files.Stamp(b.Context(), "", true); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("grep", func(b *testing.B) {
		for b.Loop() {
			if _, err := files.Grep(b.Context(), workspace.GrepOptions{Pattern: "needle"}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			if _, err := files.List(b.Context(), "", workspace.ListOptions{Recursive: true, Limit: -1}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
