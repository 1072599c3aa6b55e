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
	"strings"
	"sync/atomic"

	"nanoclaw/bench/peers/peer"
)

// nanoclaw is a client of the server, which is the process that is measured.
type nanoclaw struct {
	url       string
	client    *http.Client
	toolCalls atomic.Int64
}

// startNanoClaw starts the server with its defaults, but as many workers as runs at once, and no
// titles of conversations, which the others do not make.
func startNanoClaw(ctx context.Context, modelURL, dir, binary string) (*process, error) {
	config := filepath.Join(dir, "config.yml")
	err := os.WriteFile(config, fmt.Appendf(nil, `data_dir: %[1]s/data
workspace_root: %[1]s/workspaces
llm: { discover_env: false, discover_ollama: false }
titles: { generate: false }
http: { max_streams_per_client: 0 }
runs: { workers: 256 }
default_model: m
models: [{ id: m, provider: openai, base_url: "%[2]s", api_key: none }]
`, dir, modelURL), 0o600)
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, binary, "serve", "--config", config, "--listen", "127.0.0.1:0"),
		stdin: io.NopCloser(nil)}
	p.cmd.Stderr = os.Stderr
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	i := strings.Index(line, "http://")
	if err != nil || i < 0 {
		return nil, errors.Join(fmt.Errorf("the server said %q in place of its address", line), err)
	}
	n := &nanoclaw{url: strings.TrimSpace(line[i:]) + "/api/v1",
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1024}}}
	p.work = func(_ context.Context, job peer.Job) (peer.Report, error) {
		n.toolCalls.Store(0)
		texts, err := peer.Do(job, n.run)
		return peer.Report{Texts: texts, ToolCalls: int(n.toolCalls.Load())}, err
	}
	return p, nil
}

// run starts a run in a new conversation and follows its events to the end.
func (n *nanoclaw) run(ctx context.Context) (string, error) {
	var created struct {
		ID string `json:"id"`
	}
	if err := n.post(ctx, "/conversations", map[string]string{"title": "bench"}, &created); err != nil {
		return "", err
	}
	body := map[string]string{"text": peer.Prompt}
	if err := n.post(ctx, "/conversations/"+created.ID+"/runs", body, &created); err != nil {
		return "", err
	}
	events, err := n.request(ctx, "GET", "/runs/"+created.ID+"/events", nil)
	if err != nil {
		return "", err
	}
	defer events.Close()
	return n.follow(events)
}

func (n *nanoclaw) follow(events io.Reader) (text string, err error) {
	var last string
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		last = data
		if strings.Contains(data, `"message.completed"`) {
			var event struct {
				Message struct {
					Text      string `json:"text"`
					ToolCalls []any  `json:"tool_calls"`
				} `json:"message"`
			}
			if err := json.Unmarshal([]byte(data), &event); err != nil {
				return "", err
			}
			text = event.Message.Text
			n.toolCalls.Add(int64(len(event.Message.ToolCalls)))
		}
	}
	if err := lines.Err(); err != nil {
		return "", err
	}
	if !strings.Contains(last, `"completed"`) {
		return "", fmt.Errorf("a run did not complete: %s", last)
	}
	return text, nil
}

func (n *nanoclaw) post(ctx context.Context, path string, body, into any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	answer, err := n.request(ctx, "POST", path, bytes.NewReader(encoded))
	if err != nil {
		return err
	}
	defer answer.Close()
	return json.NewDecoder(answer).Decode(into)
}

func (n *nanoclaw) request(ctx context.Context, method, path string, body io.Reader) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, method, n.url+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := n.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 {
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return nil, errors.Join(fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text), err)
	}
	return response.Body, nil
}
