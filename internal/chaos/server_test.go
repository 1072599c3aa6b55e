package chaos

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
)

// buildBinary builds nanoclaw with fault points, once for all tests.
var buildBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "nanoclaw-chaos-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "nanoclaw")
	out, err := exec.Command("go", "build", "-tags", "chaos", "-ldflags", "-s -w", "-o", path,
		"nanoclaw/cmd/nanoclaw").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the chaos binary: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	if config := os.Getenv(envNATS); config != "" {
		serveNATS(config)
	}
	code := m.Run()
	if path, err := buildBinary(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// process is one life of the server on a data directory.
type process struct {
	cmd    *exec.Cmd
	url    string
	ready  time.Time
	exited chan struct{}
}

// installation is a data directory that processes come and go on.
type installation struct {
	t     *testing.T
	dir   string
	model *llmtest.Server
}

func install(t *testing.T, model *llmtest.Server, more ...string) *installation {
	t.Helper()
	in := &installation{t: t, dir: t.TempDir(), model: model}
	text := fmt.Sprintf(`data_dir: %[1]s/data
workspace_root: %[1]s/workspaces
default_model: m
llm: { discover_env: false, discover_ollama: false }
titles: { generate: false }
runs: { delta_interval: 1ms }
models:
  - { id: m, provider: openai, base_url: %[2]s, api_key: not-a-real-key }
`, in.dir, model.URL()) + strings.Join(more, "")
	if err := os.WriteFile(filepath.Join(in.dir, "config.yml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return in
}

// start begins a life; it returns nil where the process died before it was ready.
func (in *installation) start(env ...string) *process {
	in.t.Helper()
	binary, err := buildBinary()
	if err != nil {
		in.t.Fatal(err)
	}
	command := exec.Command(binary, "serve", "--config", filepath.Join(in.dir, "config.yml"), "--listen", "127.0.0.1:0")
	command.Env = append(os.Environ(), env...)
	command.Dir = in.dir
	return launch(in.t, command)
}

// launch starts a server; it returns nil where the process died before it was ready. The
// process ends with the test, however that ends.
func launch(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: command, exited: make(chan struct{})}
	var log bytes.Buffer
	p.cmd.Stderr = &log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	p.ready = time.Now()
	go func() {
		defer close(p.exited)
		_ = p.cmd.Wait() // how it ended is what the tests look at
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("log of process %d:\n%s", p.cmd.Process.Pid, log.String())
		}
	})
	if i := strings.Index(line, "http://"); i >= 0 {
		p.url = strings.TrimSpace(line[i:]) + "/api/v1"
		return p
	}
	<-p.exited
	return nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// call sends one request; a dead server is an error, and one that does not end too.
func (p *process) call(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var reader io.Reader
	if text, ok := body.(string); ok {
		reader = strings.NewReader(text)
	} else if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.url+path, reader)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("%s %s: %w after %s", method, path, err, answer)
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, answer)
	}
	if text, ok := into.(*string); ok {
		*text = string(answer)
		return nil
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

// must is call where the server has to be alive.
func (in *installation) must(p *process, method, path string, body, into any) {
	in.t.Helper()
	if err := p.call(in.t.Context(), method, path, body, into); err != nil {
		in.t.Fatal(err)
	}
}

type run struct {
	ID                 string `json:"id"`
	ConversationID     string `json:"conversation_id"`
	Status             string `json:"status"`
	Attempt            int    `json:"attempt"`
	AssistantMessageID string `json:"assistant_message_id"`
	Children           []run  `json:"children"`
	ToolCalls          []call `json:"tool_calls"`
	Error              any    `json:"error"`
}

type call struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Result  string `json:"result"`
	Success bool   `json:"success"`
}

type message struct {
	ID        string `json:"id"`
	Role      string `json:"role"`
	Text      string `json:"text"`
	ToolCalls []call `json:"tool_calls"`
}

type id struct {
	ID string `json:"id"`
}

// within polls until done says so; a person would wait as long.
func (in *installation) within(limit time.Duration, what string, done func(context.Context) bool) {
	in.t.Helper()
	ctx, cancel := context.WithTimeout(in.t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			in.t.Fatalf("not within %s: %s", limit, what)
		}
	}
}
