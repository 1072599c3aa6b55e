package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

// newVenv makes a virtual environment with a module of its own.
func newVenv(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "venv")
	if out, err := exec.Command("/usr/bin/python3", "-m", "venv", "--without-pip", dir).CombinedOutput(); err != nil {
		t.Fatalf("make a virtual environment: %v\n%s", err, out)
	}
	packages, err := filepath.Glob(filepath.Join(dir, "lib", "python3*", "site-packages"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("%v, %v", packages, err)
	}
	if err := os.WriteFile(filepath.Join(packages[0], "tinymodule.py"), []byte("answer = 42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Issue 10, point 14: a module of a virtual environment really imports where the
// level allows it, and the code cannot change the environment.
func TestModulesOfAVirtualEnvironmentImport(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		if policy.Name() == "docker" {
			return // the image has no Python
		}
		venv := newVenv(t)
		for _, path := range []string{venv, filepath.Join(venv, "bin", "python")} {
			interpreter, err := FindInterpreter(path)
			if err != nil {
				t.Fatal(err)
			}
			r := NewRunner(Settings{Policy: policy, Memory: 512 << 20, Interpreter: interpreter})
			t.Cleanup(r.Close)
			request := Request{Code: "import tinymodule\ntinymodule.answer", Level: Standard, Timeout: 20 * time.Second,
				OutputLimit: 1000}
			if got, err := r.Run(t.Context(), request); err != nil || !got.Blocked {
				t.Errorf("a module that is not allowed: %+v, %v", got, err)
			}
			request.Extra = []string{"tinymodule"}
			if got, err := r.Run(t.Context(), request); err != nil || got.Value != "42" {
				t.Errorf("%+v, %v", got, err)
			}
			if policy.Name() == "host" {
				continue
			}
			request.Level, request.Code = Lenient, "import tinymodule\nopen(tinymodule.__file__, 'w')"
			if got, err := r.Run(t.Context(), request); err != nil || !strings.HasPrefix(got.Error,
				"OSError: [Errno 30]") && !strings.HasPrefix(got.Error, "PermissionError") {
				t.Errorf("the environment can be written: %+v, %v", got, err)
			}
		}
	})
}

func TestAnInterpreterThatCannotBeUsedIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "a", "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"python3": "loop", "loop": "python3"} {
		if err := os.Symlink(target, filepath.Join(dir, "a", "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "program"), nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"venv", dir, filepath.Join(dir, "missing"), filepath.Join(dir, "a"), plain,
		filepath.Join(dir, "program")} {
		if found, err := FindInterpreter(path); err == nil {
			t.Errorf("%s: %+v", path, found)
		}
	}
	if prefix, err := prefixOf(filepath.Join(home, "bin", "python3")); err == nil {
		t.Errorf("the home directory would be shown: %s", prefix)
	}
	if found, err := FindInterpreter("/usr/bin/python3"); err != nil || len(found.Visible) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
