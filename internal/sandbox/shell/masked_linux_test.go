package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

// WS0: what is denied can be neither read, written, replaced nor moved out of the way
// in a sandbox, nor can the folders that hold it be renamed.
func TestDeniedFilesAreHidden(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		if policy.Name() == "host" {
			return // it cannot hide files, which docs/security.md says
		}
		project := t.TempDir()
		for _, name := range []string{".env", "conf/live/key.pem", "secrets/a"} {
			path := filepath.Join(project, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("HIDDEN"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s := newSession(t, policy, func(settings *Settings) {
			settings.Project, settings.Masked = project, []string{".env", "conf/live/key.pem", "secrets", "gone"}
		})
		for _, line := range []string{
			"cat .env", "cat conf/live/key.pem", "cat secrets/a", "cp .env x; cat x", "ln .env y; cat y",
			"mv .env z; cat z", "mv conf other; cat other/live/key.pem",
			"mv conf/live conf/other; cat conf/other/key.pem", "rm -f .env; echo NEW > .env",
			"echo NEW > conf/live/key.pem", "rm -rf secrets; mkdir -p secrets; echo NEW > secrets/b",
			"grep -r HIDDEN . ; tar c . | grep -a HIDDEN", "python3 -c 'print(open(\".env\").read())'",
		} {
			if result := run(t, s, line); strings.Contains(result.Stdout, "HIDDEN") {
				t.Errorf("%s: %q", line, result.Stdout)
			}
		}
		for _, name := range []string{".env", "conf/live/key.pem", "secrets/a"} {
			if got, err := os.ReadFile(filepath.Join(project, name)); err != nil || string(got) != "HIDDEN" {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
		if _, err := os.Lstat(filepath.Join(project, "secrets/b")); err == nil {
			t.Error("a file was made in a denied folder")
		}
	})
}

// 10.20: protected names are read-only in every folder, and put aside where a session
// made them.
func TestProtectedNamesHoldInSubdirectories(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		if policy.Name() == "host" {
			return
		}
		project := t.TempDir()
		names := []string{"a/.yarnrc.yml", "a/b/.pnpmfile.cjs", "a/.cargo/config.toml", "a/.vimrc", ".exrc",
			"a/.gdbinit", "a/.devcontainer/devcontainer.json", "a/.mise.toml",
			"a/.claude/settings.json", ".cursor/mcp.json", "a/b/c/.gemini/settings.json", "a/.codex/config.toml",
			"a/.envrc", "a/.vscode/tasks.json"}
		for _, name := range names {
			path := filepath.Join(project, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("own"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s := newSession(t, policy, func(settings *Settings) { settings.Project = project })
		for _, name := range names {
			run(t, s, "echo bad > "+name+"; rm -rf "+name+"; mv a moved")
			if got, err := os.ReadFile(filepath.Join(project, name)); err != nil || string(got) != "own" {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
		run(t, s, "mkdir -p fresh/.cargo fresh/.claude node_modules/x; for f in fresh/.cargo/config.toml "+
			"fresh/.claude/settings.json fresh/.envrc node_modules/x/.npmrc; do echo bad > $f; done")
		for name, there := range map[string]bool{"fresh/.cargo/config.toml": false, "fresh/.claude": false,
			"fresh/.envrc": false, "fresh/.envrc.untrusted": true, "node_modules/x/.npmrc": true} {
			if _, err := os.Lstat(filepath.Join(project, name)); (err == nil) != there {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
