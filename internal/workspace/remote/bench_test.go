package remote_test

import (
	"fmt"
	"testing"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// BenchmarkFiles compares files in JetStream with those on the disk. The figures are in
// docs/workspaces.md.
func BenchmarkFiles(b *testing.B) {
	for _, count := range []int{1, 1000, 20_000} {
		for name, files := range map[string]workspace.Filesystem{
			"local":  workspace.NewLocal(b.TempDir(), nil),
			"remote": openStore(b).Files(remote.Namespace{Project: "p"}, nil),
		} {
			for i := range count {
				write(b, files, fmt.Sprintf("d%d/f%d.txt", i/100, i), fmt.Sprintf("a line of file %d\n", i))
			}
			run := func(what string, do func(i int) error) {
				b.Run(fmt.Sprintf("%s/%s/%d", what, name, count), func(b *testing.B) {
					for i := 0; b.Loop(); i++ {
						if err := do(i); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			run("read", func(i int) error {
				n := i * 7919 % count
				_, err := files.Read(b.Context(), fmt.Sprintf("d%d/f%d.txt", n/100, n), 0, 0)
				return err
			})
			run("write", func(i int) error {
				_, err := files.Write(b.Context(), "d0/f0.txt", fmt.Appendf(nil, "version %d\n", i),
					workspace.WriteOptions{})
				return err
			})
			run("list", func(int) error {
				_, err := files.List(b.Context(), "", workspace.ListOptions{Recursive: true, Limit: -1})
				return err
			})
			run("grep", func(int) error {
				_, err := files.Grep(b.Context(), workspace.GrepOptions{Pattern: "nowhere"})
				return err
			})
		}
	}
}
