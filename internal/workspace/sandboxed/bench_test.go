package sandboxed

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"nanoclaw/internal/workspace"
)

// BenchmarkSandbox measures acquiring and storing; the figures are in docs/workspaces.md.
func BenchmarkSandbox(b *testing.B) {
	store := openStore(b)
	m := newMachine(b, store, process{newTable(), "a"}, 0)
	fill := func(files, size int) {
		sb, end, err := m.open(one)
		if err != nil {
			b.Fatal(err)
		}
		defer end()
		data := make([]byte, size)
		for i := range files {
			if _, err := rand.Read(data); err != nil {
				b.Fatal(err)
			}
			_, err := sb.Write(b.Context(), fmt.Sprintf("d%d/f%d", i/100, i), data, workspace.WriteOptions{})
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	acquire := func() {
		_, end, err := m.open(one)
		if err != nil {
			b.Fatal(err)
		}
		end()
	}
	remove := func() {
		if err := os.RemoveAll(filepath.Join(m.dir, "sandboxes")); err != nil {
			b.Fatal(err)
		}
	}
	measure := func(name string, before, do func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				before()
				b.StartTimer()
				do()
			}
		})
	}
	release := func() { m.after(time.Hour) }
	measure("acquire/new", func() {
		release()
		remove()
		if err := store.RemoveProject(context.Background(), one.Project); err != nil {
			b.Fatal(err)
		}
	}, acquire)
	fill(100, 10<<10)
	measure("acquire/warm, 1 MB", release, acquire)
	measure("acquire/cold, 1 MB", func() { release(); remove() }, acquire)
	fill(1000, 100<<10)
	changed := 0
	change := func() {
		changed++
		m.write("changed", fmt.Sprint(changed))
	}
	measure("snapshot, 100 MB in 1,000 files", change, func() {
		if err := m.held()[0].persist(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
	measure("acquire/warm, 100 MB", release, acquire)
	measure("acquire/cold, 100 MB", func() { release(); remove() }, acquire)
}
