package config

import (
	"path/filepath"
	"sync"
	"testing"
)

// GR6: processes that share the file change it one after the other: no change is lost.
func TestProcessesThatShareTheFileChangeItInTurn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yml")
	if err := Save(path, []byte("max_iterations: 1\n")); err != nil {
		t.Fatal(err)
	}
	const each = 20
	var processes sync.WaitGroup
	for range 3 { // each has a Live of its own, as a process has
		live, err := Open(Source{Path: path, Env: environment()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		processes.Go(func() {
			for range each {
				err := live.Write(func(text []byte) (Edited, error) {
					before, _, err := Source{Path: path, Env: environment()}.Load()
					if err != nil {
						return Edited{}, err
					}
					return live.Edit(text, map[string]any{"max_iterations": before.MaxIterations + 1})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	processes.Wait()
	live, err := Open(Source{Path: path, Env: environment()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := live.Current().MaxIterations; got != 1+3*each {
		t.Errorf("max_iterations is %d after %d changes", got, 3*each)
	}
}
