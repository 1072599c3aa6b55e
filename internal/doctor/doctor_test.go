package doctor

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/store"
)

// patient is a machine and a configuration of a test's own.
type patient struct {
	t        *testing.T
	dir      string
	programs map[string]string // what "name first-argument" says; "!" and a text: it fails with that
	pages    map[string]string
	taken    error // of the listen address
	options  Options
}

// quiet keeps models of the machine that a test runs on out of it.
const quiet = "llm: {discover_env: false, discover_ollama: false}\n"

func newPatient(t *testing.T, text string) *patient {
	t.Helper()
	p := &patient{t: t, dir: t.TempDir(), programs: map[string]string{}, pages: map[string]string{}}
	file := filepath.Join(p.dir, "config.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p.options = Options{
		PageBuilt: true,
		Source: config.Source{Path: file, Env: func(string) (string, bool) { return "", false },
			Flags: config.Overrides{
				DataDir: filepath.Join(p.dir, "data"), WorkspaceRoot: filepath.Join(p.dir, "workspaces"),
			}},
		machine: machine{look: p.look, output: p.output, get: p.get, listen: func(string) error { return p.taken },
			open: p.open},
	}
	return p
}

func (p *patient) look(name string) (string, error) {
	for program := range p.programs {
		if first, _, _ := strings.Cut(program, " "); first == name {
			return "/bin/" + name, nil
		}
	}
	return "", fs.ErrNotExist
}

func (p *patient) output(_ context.Context, path string, args ...string) (string, error) {
	said := p.programs[filepath.Base(path)+" "+args[0]]
	if message, failed := strings.CutPrefix(said, "!"); failed {
		return "", errors.New(message)
	}
	return said, nil
}

func (p *patient) get(_ context.Context, url string) ([]byte, error) {
	page, ok := p.pages[url]
	if !ok {
		return nil, errors.New("connection refused")
	}
	return []byte(page), nil
}

// want looks for a check with this status, and a part of its detail and its hint.
func (p *patient) want(name string, status Status, detail, hint string) {
	p.t.Helper()
	report := Run(p.t.Context(), p.options)
	found := false
	anyFailed := false
	for _, c := range report.Checks {
		anyFailed = anyFailed || c.Status == Fail
		if c.Name != name {
			continue
		}
		found = true
		if c.Status == status && strings.Contains(c.Detail, detail) && strings.Contains(c.Hint, hint) &&
			(hint != "" || status == OK) {
			if report.OK != !anyFailed && c.Status == Fail {
				p.t.Errorf("%s failed, and the report says ok %t", name, report.OK)
			}
			return
		}
		p.t.Logf("%s is %s: %s -> %s", c.Name, c.Status, c.Detail, c.Hint)
	}
	p.t.Errorf("no check %s is %s with %q -> %q (found: %t)", name, status, detail, hint, found)
}

// CF5
func TestAFreshMachineWorksAndLearnsWhatIsMissing(t *testing.T) {
	t.Parallel()
	p := newPatient(t, quiet)
	before := entries(t, p.dir)
	report := Run(t.Context(), p.options)
	if !report.OK {
		t.Errorf("%+v", report)
	}
	var names []string
	for _, c := range report.Checks {
		names = append(names, c.Name)
		if (c.Hint == "") != (c.Status == OK) {
			t.Errorf("%s is %s with the hint %q", c.Name, c.Status, c.Hint)
		}
	}
	want := "config data_dir owner server database event_log outbox disk_space listen workspace_root model demo " +
		"ollama policy_sandbox policy_host guard web_page time_zones " +
		"bubblewrap user_namespaces seccomp landlock cgroup_v2 docker python3 chromium ffmpeg display node"
	if strings.Join(names, " ") != want {
		t.Errorf("checks\n%s\nwant\n%s", strings.Join(names, " "), want)
	}
	if after := entries(t, p.dir); !slices.Equal(after, before) {
		t.Errorf("it made files: %q", after)
	}
	p.options.PageBuilt = false
	p.want("web_page", Warn, "built without", "make build")
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// CF5
func TestAnInvalidConfigurationFailsAndTheMachineIsLookedAtAllTheSame(t *testing.T) {
	t.Parallel()
	p := newPatient(t, "max_iterations: 0\nlisten: nowhere\n")
	p.want("config", Fail, "config.yml:2:1: listen", "config check")
	p.want("config", Fail, "config.yml:1:1: max_iterations", "config check")
	p.want("web_page", OK, "", "")
	for _, c := range Run(t.Context(), p.options).Checks {
		if c.Name == "data_dir" {
			t.Error("the data directory of an invalid configuration was looked at")
		}
	}
	p = newPatient(t, quiet+"jwt_secret: abc\n")
	p.want("config", Warn, "has no effect", "in force")
	p.options.Source.Path += "x"
	p.want("config", Fail, "no such file", "--config")
}

// CF5
func TestModelsSayWhyTheyCannotBeUsed(t *testing.T) {
	t.Parallel()
	models := "models: [{id: a, api_key: '${NO_KEY}', base_url: 'http://127.0.0.1:1/v1'}, {id: b, base_url: " +
		"'http://127.0.0.1:1/v1'}]\n"
	p := newPatient(t, quiet+"default_model: b\n"+models)
	p.want("model a", Warn, "NO_KEY is not set", "set what is missing")
	p.want("model b", OK, "new conversations use it", "")
	p.want("model demo", OK, "offline", "")
	p = newPatient(t, quiet+"default_model: a\n"+models)
	p.want("model a", Fail, "NO_KEY is not set", "another default_model")
}

// CF5
func TestOllamaIsAskedForItsModels(t *testing.T) {
	t.Parallel()
	const tags = "http://127.0.0.1:11434/api/tags"
	p := newPatient(t, "llm: {discover_env: false}\n")
	p.want("ollama", Warn, "does not answer at http://127.0.0.1:11434", "ollama.com")
	p.pages[tags] = `{"models":[{"name":"qwen3:8b"},{"name":"llama"}]}`
	p.want("ollama", OK, "with qwen3:8b, llama", "")
	p.pages[tags] = `{"models":[]}`
	p.want("ollama", Warn, "no model", "ollama pull")
	p.pages[tags] = `<html>`
	p.want("ollama", Warn, "something else", "ollama.com")
}

// CF5
func TestTheAddressIsFreeTakenOrServed(t *testing.T) {
	t.Parallel()
	p := newPatient(t, quiet)
	p.want("listen", OK, "127.0.0.1:8787 is free", "")
	for err, part := range map[error]string{
		&net.OpError{Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}: "taken by another program",
		&net.OpError{Err: os.NewSyscallError("bind", syscall.EACCES)}:     "may not be used",
		errors.New("no such host"):                                        "no such host",
	} {
		p.taken = err
		p.want("listen", Fail, part, "choose")
	}
	if err := os.Mkdir(filepath.Join(p.dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	p.options.Owner = func(string) (*Owner, error) { return &Owner{PID: 7, URL: "http://127.0.0.1:1"}, nil }
	p.want("listen", Fail, "process 7 says that it serves", "its log")
	p.pages["http://127.0.0.1:1/healthz"] = "ok"
	p.want("listen", OK, "http://127.0.0.1:1 answers", "")
	p.want("owner", OK, "process 7 owns the data directory and serves http://127.0.0.1:1", "")
	p.options.Owner = func(string) (*Owner, error) { return &Owner{PID: 7}, nil }
	p.want("owner", OK, "does not serve", "")
	p.options.Owner = func(string) (*Owner, error) { return nil, fs.ErrPermission }
	p.want("owner", Fail, "permission denied", "lock its data directory")
}

func TestRealListeningTellsTakenFromFree(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listen(l.Addr().String()); !errors.Is(err, syscall.EADDRINUSE) {
		t.Error(err)
	}
	l.Close()
	if err := listen("127.0.0.1:0"); err != nil {
		t.Error(err)
	}
}

// CF5
func TestDirectoriesThatCannotBeUsedFail(t *testing.T) {
	t.Parallel()
	p := newPatient(t, quiet+"project_roots: ['/nonexistent']\n")
	file := p.options.Source.Path
	p.want("data_dir", OK, "will be made", "")
	p.want("project_roots", Warn, "/nonexistent is not a directory", "project_roots")
	p.options.Source.Flags.DataDir = file
	p.want("data_dir", Fail, "is not a directory", "another data_dir")
	p.options.Source.Flags.WorkspaceRoot = filepath.Join(file, "below")
	p.want("workspace_root", Fail, "not a directory", "another workspace_root")
	locked := filepath.Join(p.dir, "locked")
	if err := os.Mkdir(locked, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 { // root writes everywhere
		p.options.Source.Flags.WorkspaceRoot = locked
		p.want("workspace_root", Fail, "cannot be written", "another workspace_root")
		p.options.Source.Flags.WorkspaceRoot = filepath.Join(locked, "x")
		p.want("workspace_root", Fail, "cannot be made in "+locked, "another workspace_root")
	}
	p = newPatient(t, quiet+"project_roots: ['/']\n")
	p.want("project_roots", OK, "all 1 are there", "")
}

// CF5
func TestTheDatabaseIsWholeDamagedOrNone(t *testing.T) {
	t.Parallel()
	p := newPatient(t, quiet)
	p.want("database", OK, "will be made", "")
	data := p.options.Source.Flags.DataDir
	file := filepath.Join(data, "nanoclaw.db")
	s, err := store.Open(t.Context(), store.Options{SQLiteFile: file})
	if err != nil {
		t.Fatal(err)
	}
	p.want("database", OK, "is whole", "") // a server is at work
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := entries(t, p.dir)
	p.want("database", OK, "is whole", "")
	if after := entries(t, p.dir); !slices.Equal(after, before) {
		t.Errorf("reading made files: %q", after)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := 8192; i < len(text); i += 97 {
		text[i] ^= 0x55
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p.want("database", Fail, "nanoclaw.db", "restore a backup")
	if err := os.WriteFile(file, []byte("this is no database at all, however long it is, and whatever it is called"),
		0o600); err != nil {
		t.Fatal(err)
	}
	p.want("database", Fail, "cannot be read", "restore a backup")
}

// open knows the policies whose engine is installed.
func (p *patient) open(_ context.Context, s sandbox.Settings) (sandbox.Policy, error) {
	program := map[string]string{"sandbox": "bwrap", "docker": "docker"}[s.Policy]
	if _, err := p.look(program); program != "" && err != nil {
		return nil, &sandbox.UnavailableError{Policy: s.Policy, Reason: "install " + program}
	}
	return factual{s.Policy}, nil
}

// factual is a policy that only says what it is.
type factual struct{ name string }

func (f factual) Name() string                  { return f.name }
func (f factual) ProjectPath(dir string) string { return dir }
func (f factual) Facts() []string               { return []string{"One.", f.name + " is " + f.name + "."} }
func (f factual) Start(context.Context, sandbox.Spec) (sandbox.Process, error) {
	return nil, errors.New("it starts nothing")
}

// SH2: the doctor says what each policy enforces here, and which one is in force.
func TestThePoliciesSayWhatTheyEnforce(t *testing.T) {
	t.Parallel()
	p := newPatient(t, quiet)
	p.want("policy_sandbox", Warn, "cannot be used", "install bwrap")
	p.want("policy_host", OK, "One. host is host.", "")
	p.programs["bwrap"], p.programs["docker"] = "", ""
	p.want("policy_sandbox", OK, "in force for commands (shell.policy). One. sandbox is sandbox.", "")
	p.want("policy_docker", OK, "One. docker is docker.", "")
}

// CF5
func TestProgramsAreMissingBrokenOrThere(t *testing.T) {
	t.Parallel()
	p := newPatient(t, quiet+"mcp_servers: {files: {command: npx, args: [x]}, a: {command: node, args: [x]}}\n")
	for name, hint := range map[string]string{
		"bubblewrap": "needed for shell and Python tools in the sandbox: apt install bubblewrap",
		"docker":     "shell.policy docker", "python3": "apt install python3",
		"chromium": "apt install chromium", "ffmpeg": "apt install ffmpeg", "node": "configured here: a, files",
	} {
		p.want(name, Warn, "is not installed", hint)
	}
	for command, said := range map[string]string{
		"bwrap --unshare-all": "!setting up uid map: Permission denied", "docker version": "!Cannot connect",
		"python3 -I": "3.8.1", "node --version": "!bad ELF", "true": "",
	} {
		p.programs[command] = said
	}
	p.want("bubblewrap", Warn, "cannot make a sandbox: setting up uid map", "allow user namespaces")
	p.want("docker", Warn, "Cannot connect", "start the engine")
	p.want("python3", Warn, "older than 3.9", "apt install python3")
	p.want("node", Warn, "bad ELF", "nodejs.org")
	for command, said := range map[string]string{
		"bwrap --unshare-all": "", "bwrap --version": "bubblewrap 0.11.0", "docker version": "29.0",
		"python3 -I": "3.14.0", "node --version": "v24.1.0", "google-chrome": "", "ffmpeg": "", "ffprobe": "",
	} {
		p.programs[command] = said
	}
	p.want("bubblewrap", OK, "bubblewrap 0.11.0 makes sandboxes", "")
	p.want("docker", OK, "engine 29.0 answers", "")
	p.want("python3", OK, "3.14.0 at /bin/python3", "")
	p.want("chromium", OK, "/bin/google-chrome", "")
	p.want("ffmpeg", OK, "with ffprobe", "")
	p.want("node", Warn, "without npx", "apt install npm")
	p.programs["npx"] = ""
	p.want("node", OK, "v24.1.0 with npx", "")
	p.programs["python3 -I"] = "Python, they say"
	p.want("python3", Warn, "older than 3.9", "apt install python3")
}

func TestAProgramThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	if said, err := output(t.Context(), "/bin/sh", "-c", "echo one; echo two"); said != "one" || err != nil {
		t.Errorf("%q, %v", said, err)
	}
	if _, err := output(t.Context(), "/bin/sh", "-c", "echo because >&2; exit 3"); err == nil ||
		err.Error() != "because" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := output(ctx, "/bin/sh", "-c", "sleep 10"); err == nil || err.Error() != "it does not answer in time" {
		t.Error(err)
	}
}

// Issue 10, point 14: the configured Python and the modules that it is to import are tried.
func TestTheModulesOfPythonAreTried(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Check{
		"extra_allowed_modules: {standard: [colorsys]}": {Status: OK, Detail: "imports colorsys"},
		"extra_allowed_modules: {standard: [colorsys, no_such_module_xyz]}": {Status: Warn,
			Detail: "cannot import no_such_module_xyz (code"},
		"python: /nowhere/venv": {Status: Warn,
			Detail: `find the Python "/nowhere/venv"`},
		"python: /usr/bin/python3": {Status: OK, Detail: "Python 3."},
	} {
		p := newPatient(t, quiet+"code_execution: {allow_host: true, "+text+"}\n")
		p.options.machine.open = sandbox.Open
		hint := ""
		if want.Status == Warn {
			hint = "virtual environment"
		}
		p.want("python_modules", want.Status, want.Detail, hint)
	}
}

// MD2: whether there is a display for desktop_screenshot is said, and how to get it.
func TestTheDisplayIsMissingOrThere(t *testing.T) {
	t.Parallel()
	p := newPatient(t, quiet)
	p.want("display", OK, "desktop_screenshot is not offered", "")
	p = newPatient(t, quiet+"environment: development\nshell: {policy: host}\n")
	env := map[string]string{}
	p.options.Source.Env = func(name string) (string, bool) { return env[name], env[name] != "" }
	p.want("display", Warn, "started without a display", "set DISPLAY")
	env["DISPLAY"] = ":0"
	p.want("display", OK, "is there", "")
	env["WAYLAND_DISPLAY"] = "wayland-0"
	p.want("display", Warn, "grim", "apt install grim")
	p.programs["grim"] = ""
	p.want("display", OK, "is there", "")
}
