package main

import (
	"os"
	"path/filepath"
	"testing"

	"nanoclaw/internal/config"
)

// US8: a server that one command starts for itself has the keys of the configuration.
func TestACommandsOwnServerHasTheSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yml")
	for name, text := range map[string]string{
		file:                     "web_search: {providers: [{type: brave, api_key: \"${BRAVE}\"}]}\n",
		config.SecretsFile(file): "BRAVE: brave-1\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source := config.Source{Path: file, Env: func(string) (string, bool) { return "", false }}
	c, _, err := source.Load()
	if err != nil {
		t.Fatal(err)
	}
	path, remove, err := allowProject(source, c, dir)
	if err != nil {
		t.Fatal(err)
	}
	source.Path = path
	if own, _, err := source.Load(); err != nil || own.WebSearch.Providers[0].APIKey.Reveal() != "brave-1" {
		t.Errorf("the copy does not load: %v", err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the copy stays: %v", err)
	}
}
