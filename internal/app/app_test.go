package app

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// EX1, BT3, BT6, MA1: the whole product, wired, with the model that every install has.
func TestTheDemoModelWorksWithRealToolsAndRealSubAgents(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "")
	project := h.create("/projects", `{"name":"p"}`)
	files := filepath.Join(h.dir, "workspaces", project)
	for name, text := range map[string]string{"AGENTS.md": "Be brief.", "数据.txt": "x"} {
		if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		text         string
		tools        string
		file, holds  string
		agents       int
		answerHolds  string
		failedStatus string
	}{
		{text: "list the files, then compute 12*(3+4) and save it to result.txt",
			tools: "calculator file_list file_write", file: "result.txt", holds: "84", answerHolds: "数据.txt"},
		{text: "计算 7*8 并保存到 答案.txt", tools: "calculator file_write", file: "答案.txt", holds: "56", answerHolds: "56"},
		{text: "Ask three agents to compute 1+1, 2+2 and 3+3", tools: "multi_agent", agents: 3, answerHolds: "6"},
	} {
		conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
		body, err := json.Marshal(map[string]string{"text": tc.text})
		if err != nil {
			t.Fatal(err)
		}
		events := h.events("POST", "/api/v1/conversations/"+conversation+"/runs", string(body))
		last := events[len(events)-1]
		if last.Type != "run.finished" || last.Run.Status != "completed" {
			t.Errorf("%s: ended with %+v", tc.text, last)
		}
		var used []string
		agents := 0
		for _, e := range events {
			if e.Type == "tool_call.finished" && e.RunID == e.RootRunID {
				used = append(used, e.ToolCall.Function.Name)
				if !e.ToolCall.Success {
					t.Errorf("%s: %s failed: %s", tc.text, e.ToolCall.Function.Name, e.ToolCall.Result)
				}
			}
			if e.Type == "agent.finished" && e.Success {
				agents++
			}
		}
		for _, tool := range strings.Fields(tc.tools) {
			if !strings.Contains(strings.Join(used, " "), tool) {
				t.Errorf("%s: %s was not called, but %q", tc.text, tool, used)
			}
		}
		if agents != tc.agents {
			t.Errorf("%s: %d sub-agents, want %d", tc.text, agents, tc.agents)
		}
		if tc.file != "" {
			if text, err := os.ReadFile(filepath.Join(files, tc.file)); err != nil ||
				strings.TrimSpace(string(text)) != tc.holds {
				t.Errorf("%s: the file holds %q, %v", tc.text, text, err)
			}
		}
		var messages struct{ Items []struct{ Role, Text string } }
		h.call("GET", "/api/v1/conversations/"+conversation+"/messages", "", &messages)
		if n := len(messages.Items); n != 2 || messages.Items[0].Text != tc.text ||
			!strings.Contains(messages.Items[1].Text, tc.answerHolds) {
			t.Errorf("%s: messages %+v", tc.text, messages)
		}
	}
	var audit struct {
		Items []struct{ Tool, Outcome string }
	}
	if status := h.call("GET", "/api/v1/audit?tool=calculator", "", &audit); status != http.StatusOK ||
		len(audit.Items) < 2 {
		t.Errorf("audit: %d, %+v", status, audit)
	}
}

// create posts and returns the new id.
func (h *house) create(path, body string) string {
	h.t.Helper()
	var made struct{ ID string }
	if status := h.call("POST", "/api/v1"+path, body, &made); status != http.StatusCreated {
		h.t.Fatalf("POST %s: %d", path, status)
	}
	return made.ID
}

type seenEvent struct {
	Type      string
	RunID     string `json:"run_id"`
	RootRunID string `json:"root_run_id"`
	Success   bool
	Run       struct{ Status string }
	ToolCall  struct {
		Function struct{ Name string }
		Success  bool
		Result   string
	} `json:"tool_call"`
}

// events sends a request that is answered with events, and reads them to the end.
func (h *house) events(method, path, body string) []seenEvent {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	var events []seenEvent
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var e seenEvent
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				h.t.Fatalf("%v in %s", err, data)
			}
			events = append(events, e)
		}
	}
	if lines.Err() != nil || len(events) == 0 {
		h.t.Fatalf("%d events, %v", len(events), lines.Err())
	}
	return events
}
