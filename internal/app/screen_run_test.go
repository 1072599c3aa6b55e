package app

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// MD2: under shell.policy host a model gets the screen as a picture, after a person was
// asked; under another policy the tool is not offered, and its call is refused unasked.
func TestTheScreenIsAskedAboutBeforeItIsShown(t *testing.T) {
	dir := t.TempDir()
	picture := filepath.Join(dir, "screen.png")
	if err := os.WriteFile(picture, pngOf(t, 30, 20), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "grim"), []byte("#!/bin/sh\ncat '"+picture+"'\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	for policy, want := range map[string]struct {
		asked, shown int
		holds        string
	}{
		"host":    {1, 1, `"shown":"image 1 of this result"`},
		"sandbox": {0, 0, "shell.policy host"},
	} {
		model := llmtest.NewServer(t)
		h := newHouse(t, `
environment: development
models: [{id: m, provider: openai, base_url: "`+model.URL()+`", api_key: k, supports: [tools, images]}]
default_model: m
guard: {level: smart}
shell: {policy: `+policy+`}
`)
		offered := 0
		model.On(llmtest.User("look")).Func(func(r llmtest.Request) llmtest.Reply {
			for _, tool := range r.Tools {
				if tool.Name == "desktop_screenshot" {
					offered++
				}
			}
			if r.Step() == 1 {
				return llmtest.Calls(llmtest.Call{Name: "desktop_screenshot", Arguments: `{}`})
			}
			return llmtest.Text("I see.")
		})
		model.On(llmtest.UserContains("of desktop_screenshot")).Reply(llmtest.Text("I see it."))
		run := h.send(h.create("/conversations", `{}`), "look")
		for _, asked := range h.waiting(want.asked) {
			if len(asked.Findings) != 1 || asked.Findings[0].ID != "desktop.screenshot" {
				t.Errorf("asked: %+v", asked)
			}
			if status := h.call("POST", "/api/v1/approvals/"+asked.ID, `{"decision":"approve"}`,
				nil); status != http.StatusOK {
				t.Fatalf("approve: %d", status)
			}
		}
		if status, results := h.ended(run); status != "completed" || len(results) != 1 ||
			!strings.Contains(results[0], want.holds) {
			t.Errorf("%s: the run ended %s with %q", policy, status, results)
		}
		shown := 0
		requests := model.Requests()
		for _, message := range requests[len(requests)-1].Messages {
			shown += len(message.Images)
		}
		if shown != want.shown || (offered > 0) != (want.shown > 0) {
			t.Errorf("%s: the model was shown %d pictures, and offered the tool %d times", policy, shown, offered)
		}
	}
}
