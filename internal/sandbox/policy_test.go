package sandbox_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

// run runs a bash script to its end and returns what it writes.
func run(t *testing.T, policy sandbox.Policy, spec sandbox.Spec, script string) (output string, code int) {
	t.Helper()
	spec.Argv = []string{"/bin/bash", "-c", script + "\n"}
	spec.Pipes = []sandbox.Direction{sandbox.Null, sandbox.Out, sandbox.Out}
	process, err := policy.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	defer process.Close()
	var out bytes.Buffer
	if err := sandbox.Collect(process, map[int]sandbox.Sink{1: &out, 2: &out},
		func() bool { return false }); err != nil {
		t.Fatal(err)
	}
	<-process.Done()
	return out.String(), process.ExitCode()
}

// SH2: a process runs, writes to its project and answers its exit status.
func TestAProcessRunsInItsProject(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		project := t.TempDir()
		out, code := run(t, policy, sandbox.Spec{Project: project, Env: map[string]string{"GREETING": "good day"}},
			`pwd; echo "$GREETING" | tee file; exit 3`)
		if want := policy.ProjectPath(project) + "\ngood day\n"; out != want || code != 3 {
			t.Fatalf("wrote %q and exited with %d, want %q and 3", out, code, want)
		}
		content, err := os.ReadFile(project + "/file")
		if err != nil || string(content) != "good day\n" {
			t.Fatalf("the file holds %q, %v", content, err)
		}
	})
}

// SH2: nothing of the server's environment is passed on.
func TestTheServersEnvironmentStaysOutside(t *testing.T) {
	t.Setenv("NANOCLAW_TEST_SECRET", "hunter2-canary")
	for name, policy := range sandboxtest.Policies(t) {
		script := "env; cat /proc/1/environ | tr '\\0' '\\n'"
		if name == "host" {
			script = "env" // on the host /proc/1 is the machine's
		}
		out, _ := run(t, policy, sandbox.Spec{}, script)
		if strings.Contains(out, "hunter2-canary") {
			t.Errorf("%s: the environment has the server's: %s", name, out)
		}
	}
}

// SH2: test and production refuse the host.
func TestTheHostIsRefusedOutsideOfDevelopment(t *testing.T) {
	t.Parallel()
	for _, environment := range []string{"test", "production", ""} {
		var refused *sandbox.UnavailableError
		if _, err := sandbox.Open(t.Context(), sandbox.Settings{Policy: "host",
			Environment: environment}); !errors.As(err, &refused) {
			t.Errorf("environment %q: got %v, want an UnavailableError", environment, err)
		}
	}
}
