package main

import (
	"os"
	"path/filepath"
	"testing"
)

// CF1: the file, its documentation and the code say the same.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	t.Parallel()
	for name, want := range files() {
		got, err := os.ReadFile(filepath.Join("..", "..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what the struct tags of internal/config say: run go generate ./internal/config", name)
		}
	}
}
