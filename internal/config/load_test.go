package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// environment is a lookup over name, value pairs.
func environment(pairs ...string) func(string) (string, bool) {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) { v, ok := m[name]; return v, ok }
}

func mustParse(t *testing.T, text string, env ...string) *Config {
	t.Helper()
	c, _, err := Parse([]byte(text), "config.yml", environment(env...))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	return c
}

func TestAnEmptyFileIsTheDefaults(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "# only a comment\n", "---\n", "sub_agent:\nmodels:\n"} {
		c, warnings, err := Parse([]byte(text), "config.yml", nil)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%q: %v, warnings %v", text, err, warnings)
		}
		if c.Listen != "127.0.0.1:8787" || c.SubAgent != Default().SubAgent || c.DefaultModel != "demo" ||
			c.Models[0].Provider != "demo" {
			t.Errorf("%q: not the defaults: %+v", text, c)
		}
	}
}

func TestAMissingFileIsTheDefaultsUnlessItWasNamed(t *testing.T) {
	t.Chdir(t.TempDir())
	none := environment()
	if _, _, err := (Source{Env: none}).Load(); err != nil {
		t.Errorf("no config.yml, not named: %v", err)
	}
	if _, _, err := (Source{Path: "other.yml", Env: none}).Load(); err == nil || !strings.Contains(err.Error(),
		"other.yml") {
		t.Errorf("missing and named: got %v, want an error with the name", err)
	}
	if _, _, err := (Source{Env: environment("NANOCLAW_CONFIG", "third.yml")}).Load(); err == nil {
		t.Error("missing and named by NANOCLAW_CONFIG: no error")
	}
	if err := os.WriteFile(DefaultPath, []byte("max_iterations: 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := (Source{Env: none}).Load()
	if err != nil || c.MaxIterations != 7 {
		t.Errorf("config.yml in the working directory: %v, %+v", err, c)
	}
}

func TestFlagsBeatEnvironmentBeatsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yml")
	text := "listen: 127.0.0.1:1\ndata_dir: file\nworkspace_root: file\nlog_level: nonsense\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := Source{
		Path:  path,
		Env:   environment("NANOCLAW_LISTEN", "127.0.0.1:2", "NANOCLAW_DATA", "env", "NANOCLAW_LOG_LEVEL", "debug"),
		Flags: Overrides{Listen: "127.0.0.1:3"},
	}.Load()
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:3" || c.DataDir != "env" || c.WorkspaceRoot != "file" || c.LogLevel != "debug" {
		t.Errorf("got %s %s %s %s", c.Listen, c.DataDir, c.WorkspaceRoot, c.LogLevel)
	}
	for key, want := range map[string]Origin{
		"listen": FromFlag, "data_dir": FromEnvironment, "workspace_root": FromFile, "max_iterations": FromDefault,
	} {
		if got := c.Origin(key); got != want {
			t.Errorf("origin of %s: %s, want %s", key, got, want)
		}
	}
}
