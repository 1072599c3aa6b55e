package app

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/redact"
)

// RD1, RD2: the scenario in real runs, over a restart and with approvals; the
// person sees the file in the diff, and nobody else sees the secret.
func TestARunWritesBackWhatItSawRedacted(t *testing.T) {
	t.Parallel()
	h, model, conversation, dir := guardedHouse(t, "guard: {level: strict}\n")
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(threeSecrets), 0o600); err != nil {
		t.Fatal(err)
	}
	approved := func(text string) (run string, results []string) {
		t.Helper()
		run = h.send(conversation, text)
		for _, asked := range h.waiting(1) {
			if strings.Contains(asked.ToolCall.Function.Arguments, "hunter2") {
				t.Errorf("the approval has the secret: %s", asked.ToolCall.Function.Arguments)
			}
			if status := h.call("POST", "/api/v1/approvals/"+asked.ID, `{"decision":"approve"}`,
				nil); status != http.StatusOK {
				t.Fatalf("approve: %d", status)
			}
		}
		_, results = h.ended(run)
		return run, results
	}
	model.On(llmtest.User("read it")).Steps(calls(t, "file_read", args{"path": ".env"}), llmtest.Text("read"))
	_, results := approved("read it")
	var seen toolAnswer
	if err := json.Unmarshal([]byte(results[0]), &seen); err != nil || seen.Redacted != 3 {
		t.Fatalf("%s, %v", results[0], err)
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	h.start()
	changed := strings.Replace(seen.Data.Content, "DB_PASSWORD", "MAIN_PASSWORD", 1)
	model.On(llmtest.User("write it")).Steps(calls(t, "file_write", args{"path": ".env", "content": changed}),
		llmtest.Text("written"))
	run, results := approved("write it")
	text, err := os.ReadFile(filepath.Join(dir, ".env"))
	if want := strings.Replace(threeSecrets, "DB_PASSWORD", "MAIN_PASSWORD", 1); err != nil || string(text) != want {
		t.Errorf(".env: %q, %v; want %q (%s)", text, err, want, results)
	}
	var changes changesSeen
	h.call("GET", "/api/v1/runs/"+run+"/changes", "", &changes)
	if len(changes.Items) != 1 || !strings.Contains(changes.Items[0].Diff,
		"-DB_PASSWORD=hunter2hunter2\n+MAIN_PASSWORD=hunter2hunter2\n") {
		t.Errorf("the diff does not show the file: %+v", changes)
	}
	for _, path := range []string{"/api/v1/runs/" + run + "/events", "/api/v1/audit?limit=200", "/api/v1/approvals",
		"/api/v1/conversations/" + conversation + "/messages"} {
		if text := h.text(path); strings.Contains(text, "hunter2") || strings.Contains(text, "Tango") {
			t.Errorf("%s has a secret", path)
		}
	}
	for _, request := range model.Requests() {
		if encoded, err := json.Marshal(request); err != nil || strings.Contains(string(encoded), "hunter2") {
			t.Errorf("the model was sent a secret, %v", err)
		}
	}
}

// redactor makes the placeholders of the server.
func (h *house) redactor() *redact.Redactor {
	h.t.Helper()
	key, err := readRedactionKey(filepath.Join(h.dir, "data", redactionKeyFile))
	if err != nil {
		h.t.Fatal(err)
	}
	redactor, err := redact.New(redact.Options{Key: key})
	if err != nil {
		h.t.Fatal(err)
	}
	return redactor
}

// RD1: a run that deleted a file writes it again after a restart of the server, from
// the placeholders that it read before.
func TestPlaceholdersOfADeletedFileAreResolvedAfterARestart(t *testing.T) {
	t.Parallel()
	h, model, conversation, dir := guardedHouse(t, "guard: {guarded_tools: [file_write]}\n")
	if err := os.WriteFile(filepath.Join(dir, ".env"), []byte(threeSecrets), 0o600); err != nil {
		t.Fatal(err)
	}
	redactor := h.redactor()
	model.On(llmtest.User("rewrite it")).Steps(calls(t, "file_read", args{"path": ".env"}),
		calls(t, "file_delete", args{"path": ".env"}),
		calls(t, "file_write", args{"path": ".env", "content": redactor.String(threeSecrets) + "DEBUG=1\n"}),
		llmtest.Text("written"))
	run := h.send(conversation, "rewrite it")
	for _, tool := range []string{"file_read", "file_write"} {
		for _, asked := range h.waiting(1) {
			if asked.ToolCall.Function.Name != tool {
				t.Fatalf("%s waits, want %s", asked.ToolCall.Function.Name, tool)
			}
			if tool == "file_write" {
				if err := h.close(); err != nil {
					t.Fatal(err)
				}
				h.start()
			}
			if status := h.call("POST", "/api/v1/approvals/"+asked.ID, `{"decision":"approve"}`,
				nil); status != http.StatusOK {
				t.Fatalf("approve %s: %d", tool, status)
			}
		}
		h.waiting(0)
	}
	status, results := h.ended(run)
	text, err := os.ReadFile(filepath.Join(dir, ".env"))
	if err != nil || status != "completed" || string(text) != threeSecrets+"DEBUG=1\n" {
		t.Errorf("%s, .env: %q, %v (%s)", status, text, err, results)
	}
}
