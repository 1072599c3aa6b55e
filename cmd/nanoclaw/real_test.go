package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
)

// These tests run the whole product in the test's process.

// watched is an output that tells when something stands in it.
type watched struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{} // receives after a write
}

func newWatched() *watched { return &watched{more: make(chan struct{}, 1)} }

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	select {
	case w.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// await returns what stands behind a piece of the output, to the end of the line.
func (w *watched) await(t *testing.T, piece string) string {
	t.Helper()
	for {
		text := w.String()
		if _, rest, found := strings.Cut(text, piece); found && strings.Contains(rest, "\n") {
			line, _, _ := strings.Cut(rest, "\n")
			return line
		}
		select {
		case <-w.more:
		case <-t.Context().Done():
			t.Fatalf("%q never came:\n%s", piece, text)
		}
	}
}

// serving is an invocation of serve, in the same directories as i, until it is stopped.
type serving struct {
	*invocation
	url     string
	log     *watched
	stop    context.CancelFunc
	stopped chan int
}

func (i *invocation) serving() *serving {
	i.t.Helper()
	other := *i.program
	out := newWatched()
	s := &serving{invocation: i, log: newWatched(), stopped: make(chan int, 1)}
	other.stdout, other.stderr = out, s.log
	ctx, stop := context.WithCancel(context.WithoutCancel(i.t.Context()))
	s.stop = stop
	go func() { s.stopped <- other.main(ctx, []string{"serve", "--listen", "127.0.0.1:0"}) }()
	i.t.Cleanup(func() { s.end() })
	s.url = out.await(i.t, "NanoClaw is ready at ")
	return s
}

// end stops the server and returns its exit code.
func (s *serving) end() int {
	s.stop()
	code := <-s.stopped
	s.stopped <- code
	return code
}

func TestRunWorksWithoutAServerInTheDirectoryThatWasNamed(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	project := filepath.Join(t.TempDir(), "a $project ${HOME} 项目")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(i.vars["NANOCLAW_CONFIG"])
	if err != nil {
		t.Fatal(err)
	}
	for _, sum := range []string{"12*(3+4)=84", "5*5=25"} {
		task, result, _ := strings.Cut(sum, "=")
		i.want(0, "[tool] file_write ", "completed in ", "run", "--project", project,
			"compute "+task+" and save it to result.txt")
		if text, err := os.ReadFile(filepath.Join(project, "result.txt")); err != nil ||
			strings.TrimSpace(string(text)) != result {
			t.Errorf("%s: %q, %v\n%s", task, text, err, i.out.String())
		}
	}
	if after, err := os.ReadFile(i.vars["NANOCLAW_CONFIG"]); err != nil || !bytes.Equal(before, after) {
		t.Errorf("config.yml is now %q, %v", after, err)
	}
	i.want(2, "", `--model nope: there is no model "nope"`, "run", "--model", "nope", "hello")
	// The person who serves has not allowed that directory.
	s := i.serving()
	i.want(1, "", "project_roots", "run", "--project", t.TempDir(), "hello")
	var projects struct{ Items []struct{ Path string } }
	if err := newClient(s.url).call(t.Context(), "GET", "/projects", nil, &projects); err != nil ||
		len(projects.Items) != 1 {
		t.Errorf("%d projects, %v", len(projects.Items), err)
	}
}

func TestRunUsesTheServerThatOwnsTheData(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	s := i.serving()
	i.want(0, `"type":"run.finished"`, "", "run", "--json", "what is 6*7?")
	lines := strings.Split(strings.TrimSpace(i.out.String()), "\n")
	var last struct {
		ConversationID string `json:"conversation_id"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	var conversations struct{ Items []struct{ ID string } }
	if err := newClient(s.url).call(t.Context(), "GET", "/conversations", nil, &conversations); err != nil ||
		len(conversations.Items) != 1 || conversations.Items[0].ID != last.ConversationID {
		t.Errorf("the server has %v, %v; the run was in %s", conversations, err, last.ConversationID)
	}
	i.want(0, "7", "--conversation "+last.ConversationID, "run", "--conversation", last.ConversationID, "what is 3+4?")
	if code := s.end(); code != 0 {
		t.Errorf("the server's exit code is %d:\n%s", code, s.log)
	}
}

func TestASecondServerSaysWhoOwnsTheData(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	s := i.serving()
	i.want(1, "", fmt.Sprintf("is owned by process %d, which serves %s", os.Getpid(), s.url), "serve")
	i.want(1, "", "is owned by process", "restore", i.archive())
}

// archive is a backup of what i has.
func (i *invocation) archive() string {
	file := filepath.Join(i.t.TempDir(), "backup.tar.gz")
	if code := i.run("backup", file); code != 0 {
		i.t.Fatalf("backup: %s", i.errors.String())
	}
	return file
}

// CH3
func TestCtrlCStopsARunThatTheModelIsAtWorkOn(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	gate := llmtest.NewGate()
	defer gate.Release()
	model.On(llmtest.Any()).Reply(llmtest.Text("one two three").AtChunk(2, gate))
	i := newInvocation(t)
	i.configure(quiet + "default_model: m\nmodels: [{id: m, base_url: '" + model.URL() +
		"', api_key: key-of-a-test}]\n")
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		<-gate.Reached()
		interrupt()
	}()
	if code := i.runContext(ctx, "run", "count"); code != exitStopped || !strings.Contains(i.errors.String(),
		"cancelled in ") {
		t.Errorf("exit code %d\n%s%s", code, i.out.String(), i.errors.String())
	}
}

func TestAFailedRunSaysWhy(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	model.On(llmtest.Any()).Reply(llmtest.Failure(401, "the key is wrong"))
	i := newInvocation(t)
	i.configure(quiet + "default_model: m\nmodels: [{id: m, base_url: '" + model.URL() +
		"', api_key: key-of-a-test}]\n")
	i.want(1, "", "nanoclaw: the run failed: ", "run", "hello")
	if !strings.Contains(i.errors.String(), "(model_auth)") || strings.Contains(i.errors.String(), "key-of-a-test") {
		t.Error(i.errors.String())
	}
}

// CH5
func TestARunGoesOnInThisProcessWhenItsServerEnds(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	gate := llmtest.NewGate()
	defer gate.Release()
	model.On(llmtest.Any()).Sequence(llmtest.Text("one two three").AtChunk(2, gate), llmtest.Text("four five six"))
	i := newInvocation(t)
	i.pause = time.Millisecond
	i.configure(quiet + "shutdown_timeout: 0s\ndefault_model: m\nmodels: [{id: m, base_url: '" + model.URL() +
		"', api_key: key-of-a-test}]\n")
	s := i.serving()
	go func() {
		<-gate.Reached()
		s.end()
	}()
	i.want(0, "four five six\n", "completed", "run", "count")
	if !strings.Contains(i.out.String(), "[note] the run continues after an interruption") {
		t.Error(i.out.String())
	}
}
