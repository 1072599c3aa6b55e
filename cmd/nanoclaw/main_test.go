package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/app"
	"nanoclaw/internal/datadir"
	"nanoclaw/internal/reexec"
)

// TestMain makes the test binary the program itself where a test starts it as a
// process of its own.
func TestMain(m *testing.M) {
	reexec.Main(app.Helpers())
	if os.Getenv("NANOCLAW_TEST_PROGRAM") == "1" {
		main()
	}
	os.Exit(m.Run())
}

// invocation is a program whose world is a test's.
type invocation struct {
	*program
	t           *testing.T
	out, errors bytes.Buffer
	vars        map[string]string
	dir         string // holds the data, the workspaces and config.yml
}

// quiet keeps a test's models apart from the machine that it runs on.
const quiet = "llm: {discover_env: false, discover_ollama: false}\ntitles: {generate: false}\n"

func newInvocation(t *testing.T) *invocation {
	t.Helper()
	dir := t.TempDir()
	i := &invocation{t: t, dir: dir, vars: map[string]string{
		"NANOCLAW_CONFIG": filepath.Join(dir, "config.yml"), "NANOCLAW_DATA": filepath.Join(dir, "data"),
		"NANOCLAW_WORKSPACE_ROOT": filepath.Join(dir, "workspaces"),
	}}
	i.program = &program{
		stdin: strings.NewReader(""), stdout: &i.out, stderr: &i.errors,
		env:      func(name string) (string, bool) { value, ok := i.vars[name]; return value, ok },
		terminal: func(any) (int, int, bool) { return 0, 0, false },
		owner:    datadir.FindOwner, serveApp: app.Serve,
	}
	i.configure(quiet)
	return i
}

// configure writes config.yml.
func (i *invocation) configure(text string) {
	i.t.Helper()
	if err := os.WriteFile(i.vars["NANOCLAW_CONFIG"], []byte(text), 0o600); err != nil {
		i.t.Fatal(err)
	}
}

// run runs a command line and returns its exit code; what was printed before is forgotten.
func (i *invocation) run(args ...string) int {
	i.t.Helper()
	return i.runContext(i.t.Context(), args...)
}

func (i *invocation) runContext(ctx context.Context, args ...string) int {
	i.out.Reset()
	i.errors.Reset()
	return i.main(ctx, args)
}

// want runs a command line and compares the exit code, and parts of both outputs.
func (i *invocation) want(code int, stdout, stderr string, args ...string) {
	i.t.Helper()
	got := i.run(args...)
	if got != code || !strings.Contains(i.out.String(), stdout) || !strings.Contains(i.errors.String(), stderr) {
		i.t.Errorf("nanoclaw %q: exit code %d, want %d\nstdout: %s\nwant part: %s\nstderr: %s\nwant part: %s",
			args, got, code, i.out.String(), stdout, i.errors.String(), stderr)
	}
}

func TestCommandLinesAreUnderstoodOrRefused(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	for _, tc := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{nil, 2, "", "a command is missing"},
		{[]string{"help"}, 0, "Usage: nanoclaw COMMAND", ""},
		{[]string{"--help"}, 0, "doctor", ""},
		{[]string{"help", "run"}, 0, "Usage: nanoclaw run", ""},
		{[]string{"frobnicate"}, 2, "", `there is no command "frobnicate"`},
		{[]string{"version"}, 0, "nanoclaw dev (go", ""},
		{[]string{"--version"}, 0, "nanoclaw dev", ""},
		{[]string{"version", "now"}, 2, "", `"now" is one argument too many`},
		{[]string{"serve", "-h"}, 0, "-listen ADDRESS", ""},
		{[]string{"serve", "now"}, 2, "", `"now" is one argument too many`},
		{[]string{"serve", "--port", "1"}, 2, "", "flag provided but not defined: -port"},
		{[]string{"run", "-h"}, 0, "and deny the others", ""},
		{[]string{"run", "--yes=sometimes", "x"}, 2, "", "none of critical, high, medium, low, info"},
		{[]string{"run", "--model"}, 2, "", "flag needs an argument"},
		{[]string{"doctor", "-h"}, 0, "Usage: nanoclaw doctor", ""},
		{[]string{"config"}, 2, "", "say check, print or get KEY"},
		{[]string{"config", "mend"}, 2, "", `there is no "mend"`},
		{[]string{"config", "check", "x"}, 2, "", "takes 0 arguments, not 1"},
		{[]string{"config", "get"}, 2, "", "takes 1 arguments, not 0"},
		{[]string{"backup"}, 2, "", "say where to"},
		{[]string{"backup", "-h"}, 0, "only you can read it", ""},
		{[]string{"restore"}, 2, "", "say which"},
		{[]string{"restore", "a", "b"}, 2, "", "one argument too many"},
	} {
		i.want(tc.code, tc.stdout, tc.stderr, tc.args...)
		if tc.code != 0 && i.out.Len() > 0 {
			t.Errorf("nanoclaw %q writes to stdout: %s", tc.args, i.out.String())
		}
	}
}

func TestFlagsMayStandBehindArgumentsUntilTwoDashes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		line, json, args string
	}{
		{"a b", "false", "a b"},
		{"a --json b", "true", "a b"},
		{"--json a", "true", "a"},
		{"a -- --json b", "false", "a --json b"},
		{"-- --json", "false", "--json"},
		{"-", "false", "-"},
	} {
		i := newInvocation(t)
		set := i.flags("x", "x", "")
		json := set.Bool("json", false, "")
		if _, err := i.parse(set, strings.Fields(tc.line), anyNumber); err != nil {
			t.Errorf("%q: %v", tc.line, err)
		}
		if got := strings.Join(set.args, " "); got != tc.args || *json != (tc.json == "true") {
			t.Errorf("%q: arguments %q, --json %t", tc.line, got, *json)
		}
	}
}

// Every helper process that the program starts itself as stands in one table, and the
// program looks there before it does anything else.
func TestTheProgramKnowsItsHelperProcesses(t *testing.T) {
	t.Parallel()
	program := exec.CommandContext(t.Context(), os.Args[0], "nanoclaw-helper", "none")
	program.Env = append(os.Environ(), "NANOCLAW_TEST_PROGRAM=1")
	said, err := program.CombinedOutput()
	const want = "nanoclaw-helper: there is no helper \"none\": the helpers are db, duckduckgo, image, inside, jq, office, " +
		"page, pdf, screen, supervise\n"
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != exitUsage || string(said) != want {
		t.Errorf("it ended with %v and said %q", err, said)
	}
}
