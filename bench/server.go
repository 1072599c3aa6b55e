package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"nanoclaw/internal/llm/llmtest"
)

// server is one process of the binary.
type server struct {
	cmd    *exec.Cmd
	url    string
	took   time.Duration // from exec to the ready line
	client *http.Client
}

// elsewhere are services outside the server's process.
var elsewhere struct{ database, nats string }

// start runs the binary on a directory and waits until it is ready.
func start(ctx context.Context, binary, dir string, model *llmtest.Server, options ...string) (*server, error) {
	text := fmt.Sprintf(
		"data_dir: %[1]s/data\nworkspace_root: %[1]s/workspaces\nllm: { discover_env: false, "+
			"discover_ollama: false }\ntitles: { generate: false }\n"+
			"http: { max_streams_per_client: 0 }\nruns: { workers: 256 }\nmax_iterations: 300\n", dir)
	if elsewhere.database != "" {
		text += fmt.Sprintf("database: { url: %q }\n", elsewhere.database)
	}
	if elsewhere.nats != "" {
		text += fmt.Sprintf("nats: { url: %q }\n", elsewhere.nats)
	}
	if model != nil {
		text += fmt.Sprintf(
			"default_model: m\nmodels:\n  - { id: m, provider: openai, base_url: %s, api_key: not-a-real-key }\n",
			model.URL())
	}
	config := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return nil, err
	}
	s := &server{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
	arguments := append([]string{"serve", "--config", config, "--listen", "127.0.0.1:0"}, options...)
	s.cmd = exec.CommandContext(ctx, binary, arguments...)
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	s.took = time.Since(began)
	i := strings.Index(line, "http://")
	if err != nil || i < 0 {
		return nil, errors.Join(fmt.Errorf("the server said %q instead of where it is", line), err, s.stop())
	}
	s.url = strings.TrimSpace(line[i:])
	return s, nil
}

// stop ends the process as a person would.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.cmd.Wait()
}

// post sends JSON and decodes the answer.
func (s *server) post(ctx context.Context, path string, body, into any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, "POST", s.url+"/api/v1"+path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("POST %s: %s: %s", path, response.Status, answer)
	}
	return json.Unmarshal(answer, into)
}

// resident is the process's memory in bytes.
func (s *server) resident() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmRSS:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("the system does not tell the resident memory")
}

// cpu is the processor time that the process has used, user and system.
func (s *server) cpu() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// Behind the name in parentheses: fields 14 and 15 of proc(5), in hundredths of a second.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	ticks := 0
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}
