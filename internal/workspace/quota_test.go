package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// age makes the last count look old.
func (u *usage) age(by time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.counted.IsZero() {
		u.counted = u.counted.Add(-by)
	}
}

func TestFS3FilesThatOthersMadeAreCounted(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	outsideWrite := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outsideWrite("before")
	files := NewLocal(root, func() Limits { return Limits{MaxFiles: 3} })
	write := func(name string) error {
		_, err := files.Write(t.Context(), name, []byte("x"), WriteOptions{})
		return err
	}
	if err := write("a"); err != nil {
		t.Fatal(err)
	}
	outsideWrite("by-a-shell")
	files.usage.age(2 * rescanEvery)
	if err := write("b"); !IsCode(err, CodeQuotaExceeded) {
		t.Fatalf("the fourth file ended with %v", err)
	}
	if err := os.Remove(filepath.Join(root, "by-a-shell")); err != nil {
		t.Fatal(err)
	}
	files.usage.age(2 * rescanWhenFull) // full, so that a second is enough
	if err := write("b"); err != nil {
		t.Fatalf("after somebody made room: %v", err)
	}
}

func TestFS3WritesKeepTheCountWithoutCountingAgain(t *testing.T) {
	t.Parallel()
	files := NewLocal(t.TempDir(), func() Limits { return Limits{MaxFiles: 1000, MaxTotalSize: 1 << 20} })
	var counted time.Time
	for i := range 20 {
		if _, err := files.Append(t.Context(), fmt.Sprint("f", i%5), []byte("abc")); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			counted = files.usage.counted
		}
	}
	if err := files.Delete(t.Context(), "f0", DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if files.usage.counted != counted {
		t.Error("the project was counted again")
	}
	if files.usage.files != 4 || files.usage.bytes != 4*4*3 {
		t.Errorf("the count is %d files and %d bytes", files.usage.files, files.usage.bytes)
	}
	if err := files.recount(t.Context()); err != nil || files.usage.files != 4 || files.usage.bytes != 4*4*3 {
		t.Errorf("counted again it is %d files and %d bytes, %v", files.usage.files, files.usage.bytes, err)
	}
}

func TestFS3AWriteThatFailsGivesItsRoomBack(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	files := NewLocal(root, func() Limits { return Limits{MaxFiles: 1} })
	undo, err := files.reserve(t.Context(), "f", change{files: 1, bytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	undo()
	if _, err := files.Write(t.Context(), "f", nil, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}
