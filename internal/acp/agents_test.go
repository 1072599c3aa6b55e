package acp

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// agentProgram is an agent of the protocol, built once from testdata/agent.
var agentProgram = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "acp-agent-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "agent")
	out, err := exec.Command("go", "build", "-o", program, "./testdata/agent").CombinedOutput()
	if err != nil {
		return "", &buildError{string(out), err}
	}
	return program, nil
})

type buildError struct {
	out string
	err error
}

func (e *buildError) Error() string { return e.err.Error() + ": " + e.out }

func TestMain(m *testing.M) {
	code := m.Run()
	if program, err := agentProgram(); err == nil {
		os.RemoveAll(filepath.Dir(program))
	}
	os.Exit(code)
}

// world is external agents at work in a project.
type world struct {
	t        *testing.T
	agents   *Agents
	files    *workspace.Local
	dir      string
	mu       sync.Mutex
	progress []string
}

// Open makes the world the opener of its one project.
func (w *world) Open(context.Context, string) (workspace.Filesystem, error) { return w.files, nil }

func newWorld(t *testing.T, args ...string) *world {
	t.Helper()
	program, err := agentProgram()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, files: workspace.NewLocal(dir,
		func() workspace.Limits { return workspace.LimitsFrom(config.Default().Workspace) })}
	configured := config.External{
		Command: program, Args: args, Description: "does what it is told", Timeout: config.Duration(time.Minute),
		Env: map[string]config.Secret{"MARK": config.Secret(filepath.Join(filepath.Dir(dir), "mark"))},
	}
	w.agents = New(Options{
		Configured: func() map[string]config.External {
			return map[string]config.External{"coder": configured, "missing": {Command: "no-such-program-of-nanoclaw"}}
		},
		Files: w, Redact: func(s string) string { return strings.ReplaceAll(s, "sk-very-secret", "[REDACTED]") },
		// The library logs the end of a connection at Info after its last caller has gone.
		Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	return w
}

func (w *world) call() tools.Call {
	return tools.Call{ProjectID: "p1", Progress: func(message string, fraction float64) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.progress = append(w.progress, message+" "+strconv.FormatFloat(fraction, 'g', 2, 64))
	}}
}

func (w *world) delegate(message string) (tools.ExternalAnswer, error) {
	return w.agents.Delegate(w.t.Context(), w.call(), "coder", message)
}

// BT9: what an agent says is the answer, what it does is progress.
func TestAnAgentsWordsAreCollectedAndItsWorkIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer, err := w.delegate("report")
	if err != nil {
		t.Fatal(err)
	}
	if answer.Response != "I look. \n\nFound it." || answer.StopReason != "end_turn" || answer.Incomplete {
		t.Errorf("answer %+v", answer)
	}
	for _, want := range []string{"1 of 2 steps done: write it down 0.5", "Search the web -1",
		"Search the web: completed -1"} {
		if !slices.Contains(w.progress, want) {
			t.Errorf("progress %q lacks %q", w.progress, want)
		}
	}
}

// BT9: an agent works in the project's directory with a clean environment, and
// reads and writes its files through the project's Filesystem.
func TestAnAgentWorksInTheProject(t *testing.T) {
	t.Setenv("NANOCLAW_SECRET", "hidden")
	w := newWorld(t)
	answer, err := w.delegate("where")
	if err != nil {
		t.Fatal(err)
	}
	if want := "cwd=" + w.dir + " session=" + w.dir + " read=true write=true"; !strings.HasPrefix(answer.Response,
		want) || strings.Contains(answer.Response, "hidden") {
		t.Errorf("answer %q, want %q", answer.Response, want)
	}
	if _, err := w.files.Write(t.Context(), "a.txt", []byte("one\ntwo\nthree\n"),
		workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	answer, err = w.delegate("copy a.txt sub/b.txt")
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(w.dir, "sub", "b.txt"))
	if err != nil || string(written) != "two\n" || !slices.Equal(answer.Files,
		[]tools.ExternalFileNote{{Path: "sub/b.txt", Created: true}}) {
		t.Errorf("answer %+v, file %q, %v", answer, written, err)
	}
}

// BT9 FS1: an agent reaches nothing outside of the project through the server.
func TestAnAgentReachesNothingOutsideTheProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	outside := filepath.Join(filepath.Dir(w.dir), "outside.txt")
	if err := os.WriteFile(outside, []byte("x\nsecret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(w.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "in.txt"), []byte("1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, message := range []string{
		"copy " + outside + " in2.txt", "copy ../outside.txt in2.txt", "copy link in2.txt",
		"copy in.txt " + outside, "copy in.txt ../outside.txt", "copy in.txt link", "copy in.txt " + w.dir + "2/x",
	} {
		answer, err := w.delegate(message)
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Files) != 0 || len(answer.Refused) != 1 || strings.Contains(answer.Response, "secret\\n") ||
			strings.Contains(answer.Response, "copied") {
			t.Errorf("%s: %+v", message, answer)
		}
	}
	if left, err := os.ReadFile(outside); err != nil || string(left) != "x\nsecret\n" {
		t.Errorf("the file outside is %q now", left)
	}
}

// BT9: without a project there are no files, and an agent works in an empty
// directory that is gone afterwards.
func TestWithoutAProjectThereAreNoFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	call := w.call()
	call.ProjectID = ""
	answer, err := w.agents.Delegate(t.Context(), call, "coder", "where")
	if err != nil {
		t.Fatal(err)
	}
	dir, _, _ := strings.Cut(strings.TrimPrefix(answer.Response, "cwd="), " ")
	if !strings.Contains(answer.Response, "read=false write=false") || dir == w.dir {
		t.Errorf("answer %q", answer.Response)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory %s is left behind", dir)
	}
}

// BT9: a permission is refused with a reason, and there is no terminal.
func TestPermissionsAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for message, want := range map[string]string{
		"permission allow_once reject_once reject_always": "chosen reject_once because this server cannot ask",
		"permission reject_always allow_always":           "chosen reject_always because this server cannot ask",
		"permission allow_once allow_always":              "cancelled because this server cannot ask",
		"terminal":                                        "terminal: ",
	} {
		answer, err := w.delegate(message)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(answer.Response, want) || len(answer.Refused) != 1 || answer.Refused[0].Reason == "" ||
			strings.Contains(answer.Response, "<nil>") {
			t.Errorf("%s: %+v", message, answer)
		}
	}
}

// BT9: whoever replaces Decide can allow, but never more than once.
func TestAnAllowedPermissionIsAllowedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var asked PermissionRequest
	w.agents.Decide = func(_ context.Context, _ tools.Call, request PermissionRequest) Decision {
		asked = request
		return Decision{Allowed: true}
	}
	answer, err := w.delegate("permission allow_always allow_once reject_once")
	if err != nil || !strings.HasPrefix(answer.Response, "chosen allow_once") || len(answer.Refused) != 0 {
		t.Errorf("answer %+v, %v", answer, err)
	}
	if asked != (PermissionRequest{Agent: "coder", Action: "rm -rf build", Kind: "execute"}) {
		t.Errorf("asked %+v", asked)
	}
	if answer, err := w.delegate("permission allow_always"); err != nil || !strings.HasPrefix(answer.Response,
		"cancelled") {
		t.Errorf("allowed for ever: %+v, %v", answer, err)
	}
}

// BT9: how a task that comes to nothing is told.
func TestFailuresSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, agent, message string
		args                 []string
		code, text           string
	}{
		{"dies", "coder", "die", nil, codeFailed, "exit status 5: panic: out of tokens"},
		{"does not start", "coder", "x", []string{"broken"}, codeFailed,
			"exit status 4: cannot find the model: key [REDACTED]"},
		{"wants a login", "coder", "x", []string{"login"}, tools.CodeUnavailable, "needs a login"},
		{"refuses", "coder", "no", nil, codeFailed, "refused the task"},
		{"is not installed", "missing", "x", nil, tools.CodeUnavailable, "was not found in PATH"},
		{"is unknown", "codr", "x", nil, codeUnknown, "there are coder, missing"},
		{"has nothing to do", "coder", " ", nil, tools.CodeInvalidArguments, "message is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.args...)
			_, err := w.agents.Delegate(t.Context(), w.call(), test.agent, test.message)
			if tools.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%s: %v", tools.CodeOf(err), err)
			}
		})
	}
}

// BT9: an agent that reached a limit of its own, or says too much, is incomplete.
func TestAnIncompleteAnswerSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer, err := w.delegate("max")
	if err != nil || !answer.Incomplete || answer.Response != "half" || answer.StopReason != "max_tokens" {
		t.Errorf("answer %+v, %v", answer, err)
	}
	answer, err = w.delegate("long")
	if err != nil || !answer.Incomplete || len(answer.Response) != maxResponse {
		t.Errorf("%d bytes, incomplete %v, %v", len(answer.Response), answer.Incomplete, err)
	}
}

// BT9 CH3: a cancelled task tells the agent, and kills it with all that it started.
func TestACancelledTaskKillsTheAgentAndItsChildren(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pidFile := filepath.Join(filepath.Dir(w.dir), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	call := w.call()
	call.Progress = func(string, float64) {
		for { // the child writes its number in its own time
			if text, err := os.ReadFile(pidFile); err == nil && strings.HasSuffix(string(text), "\n") {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	answer, err := w.agents.Delegate(ctx, call, "coder", "wait "+pidFile)
	if tools.CodeOf(err) != tools.CodeCancelled || answer.Response != "waiting" {
		t.Errorf("answer %+v, %v", answer, err)
	}
	if mark, err := os.ReadFile(filepath.Join(filepath.Dir(w.dir), "mark")); err != nil || string(mark) != "cancelled" {
		t.Errorf("the agent was not told: %v", err)
	}
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	awaitGone(t, child)
}

// BT9: what an agent leaves running, out of its group and with its output open,
// keeps no task from its end.
func TestAGrandchildThatHoldsTheOutputKeepsNoTaskFromItsEnd(t *testing.T) {
	t.Parallel()
	for ending, want := range map[string]struct{ code, text, response string }{
		"die":  {codeFailed, "ended before it finished: exit status 3", ""},
		"end":  {"", "", "left it"},
		"stay": {tools.CodeCancelled, "", "waiting"},
	} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			pidFile := filepath.Join(filepath.Dir(w.dir), "pid")
			t.Cleanup(func() { killWritten(t, pidFile) })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			call := w.call()
			call.Progress = func(string, float64) {
				if ending == "stay" {
					cancel()
				}
			}
			answer, err := w.agents.Delegate(ctx, call, "coder", "orphan "+pidFile+" "+ending)
			if want.code == "" && err != nil || want.code != "" && (tools.CodeOf(err) != want.code ||
				!strings.Contains(err.Error(), want.text)) {
				t.Errorf("%s: %v", tools.CodeOf(err), err)
			}
			if answer.Response != want.response {
				t.Errorf("answer %+v", answer)
			}
		})
	}
}

// killWritten kills the process whose number is written, in its own time, to a file.
func killWritten(t *testing.T, pidFile string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(pidFile)
		if err != nil || !strings.HasSuffix(string(text), "\n") {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Errorf("the grandchild %d was not there any more: %v", pid, err)
		}
		return
	}
	t.Error("the grandchild never ran")
}

// BT9: a program that neither listens nor obeys SIGTERM is killed at its time limit.
func TestADeafAgentIsKilledAtItsTimeLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "deaf")
	configured := w.agents.Configured()
	deaf := configured["coder"]
	deaf.Timeout = config.Duration(50 * time.Millisecond)
	w.agents.Configured = func() map[string]config.External { return map[string]config.External{"coder": deaf} }
	_, err := w.delegate("anything")
	if tools.CodeOf(err) != tools.CodeTimeout || !strings.Contains(err.Error(), "external_agents.coder.timeout") {
		t.Errorf("%s: %v", tools.CodeOf(err), err)
	}
}

func TestAgentsAreListed(t *testing.T) {
	t.Parallel()
	want := []tools.AgentInfo{{ID: "coder", Description: "does what it is told"}, {ID: "missing"}}
	if got := newWorld(t).agents.List(); !slices.Equal(got, want) {
		t.Errorf("agents %+v", got)
	}
}

// awaitGone waits until a process is gone or a zombie that nobody reaps.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(5 * time.Millisecond) // another program's end has no signal for us
	}
	t.Errorf("process %d lives on", pid)
}
