package app

//lint:file-ignore SA1019 sampling is deprecated since protocol 2026-07-28, but servers use it and the protocol keeps it

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/llm/llmtest"
)

// serveAsking makes this process an MCP server with a tool that asks a person and
// one that asks the model. Their texts are what they were answered.
func serveAsking() {
	server := mcp.NewServer(&mcp.Implementation{Name: "travel", Version: "1"}, nil)
	for name, question := range map[string]mcp.InputRequest{
		"book": &mcp.ElicitParams{Mode: "form", Message: "Who travels?", RequestedSchema: json.RawMessage(
			`{"type":"object","required":["name"],"properties":{"name":{"type":"string","description":"as in the passport"},"seats":{"type":"integer","default":1}}}`)},
		"think": &mcp.CreateMessageWithToolsParams{MaxTokens: 50, SystemPrompt: "Be brief.",
			Messages: []*mcp.SamplingMessageV2{{Role: "user",
				Content: []mcp.Content{&mcp.TextContent{Text: "where to go?"}}}}},
	} {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "it asks"},
			func(_ context.Context, r *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
				answer := r.Params.InputResponses["it"]
				if answer == nil {
					return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"it": question}}, nil, nil
				}
				text, err := json.Marshal(answer)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil, err
			})
	}
	if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// askingHouse is a server with an MCP server that asks, at work.
func askingHouse(t *testing.T) (h *house, model *llmtest.Server, conversation string) {
	t.Helper()
	h, model, conversation, _ = guardedHouse(t, fmt.Sprintf(
		"mcp_servers: {travel: {command: %q, env: {NANOCLAW_TEST_MCP: asking}, effects: {\"*\": volatile}}}\n",
		os.Args[0]))
	tick, timeout := time.NewTicker(5*time.Millisecond), time.After(30*time.Second)
	defer tick.Stop()
	for {
		var list json.RawMessage
		if h.call("GET", "/api/v1/mcp", "", &list); strings.Contains(string(list), `"ready"`) {
			return h, model, conversation
		}
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("the MCP server is not ready: %s\n%s", list, h.log)
		}
	}
}

// asked waits for the one question, and returns it with all that a person sees of it.
func (h *house) asked() (id, shown string) {
	h.t.Helper()
	for _, one := range h.waiting(1) {
		var all json.RawMessage
		h.call("GET", "/api/v1/approvals/"+one.ID, "", &all)
		return one.ID, string(all)
	}
	return "", ""
}

// TL4, TG5: a form that an MCP server asks for is an approval: its arguments fill it in.
func TestAnMCPServersFormIsFilledInThroughAnApproval(t *testing.T) {
	t.Parallel()
	h, model, conversation := askingHouse(t)
	book := llmtest.Call{Name: "mcp__travel__book", Arguments: `{}`}
	model.On(llmtest.Any()).Steps(llmtest.Calls(book), llmtest.Calls(book), llmtest.Text("done"))
	run := h.send(conversation, "go")
	id, shown := h.asked()
	for _, want := range []string{`\"travel\"`, "Who travels?", "as in the passport", `{\"name\":null,\"seats\":1}`} {
		if !strings.Contains(shown, want) {
			t.Errorf("a person does not see %s in %s", want, shown)
		}
	}
	for _, wrong := range []string{
		`{"decision":"approve"}`, `{"decision":"approve","arguments":{"name":7}}`,
		`{"decision":"approve","arguments":{"name":"Ada","sets":2}}`,
		`{"decision":"approve","scope":"always","arguments":{"name":"Ada"}}`,
	} {
		if status := h.call("POST", "/api/v1/approvals/"+id, wrong, nil); status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", wrong, status)
		}
	}
	if status := h.call("POST", "/api/v1/approvals/"+id, `{"decision":"approve","arguments":{"name":"Ada"}}`,
		nil); status != http.StatusOK {
		t.Fatalf("approved: %d", status)
	}
	if id, _ = h.asked(); h.call("POST", "/api/v1/approvals/"+id, `{"decision":"deny","reason":"nobody does"}`,
		nil) != http.StatusOK {
		t.Fatal("it was not denied")
	}
	status, results := h.ended(run)
	if status != "completed" || len(results) != 2 || !strings.Contains(results[0], `\"name\":\"Ada\",\"seats\":1`) ||
		!strings.Contains(results[1], `\"decline\"`) || !strings.Contains(results[1], "nobody does") {
		t.Errorf("%s, results %q", status, results)
	}
}

// TL4, TG5: what an MCP server wants to ask the model is an approval, and the
// conversation's model answers.
func TestAnMCPServerAsksTheModelThroughAnApproval(t *testing.T) {
	t.Parallel()
	h, model, conversation := askingHouse(t)
	think := llmtest.Call{Name: "mcp__travel__think", Arguments: `{}`}
	model.On(llmtest.User("where to go?")).Reply(llmtest.Text("to Venice"))
	model.On(llmtest.User("go")).Steps(llmtest.Calls(think), llmtest.Calls(think), llmtest.Text("done"))
	run := h.send(conversation, "go")
	id, shown := h.asked()
	for _, want := range []string{`\"travel\"`, "where to go?", "Be brief.", `\"max_tokens\":50`} {
		if !strings.Contains(shown, want) {
			t.Errorf("a person does not see %s in %s", want, shown)
		}
	}
	if n := model.Calls(llmtest.User("where to go?")); n != 0 {
		t.Errorf("the model was asked %d times before anybody agreed", n)
	}
	if status := h.call("POST", "/api/v1/approvals/"+id, `{"decision":"approve","arguments":{"server":"x"}}`,
		nil); status != http.StatusUnprocessableEntity {
		t.Errorf("edited: %d", status)
	}
	if status := h.call("POST", "/api/v1/approvals/"+id, `{"decision":"approve"}`, nil); status != http.StatusOK {
		t.Fatalf("approved: %d", status)
	}
	if id, _ = h.asked(); h.call("POST", "/api/v1/approvals/"+id, `{"decision":"deny","reason":"enough"}`,
		nil) != http.StatusOK {
		t.Fatal("it was not denied")
	}
	status, results := h.ended(run)
	if status != "completed" || len(results) != 2 || !strings.Contains(results[0], "to Venice") ||
		!strings.Contains(results[1], "enough") {
		t.Errorf("%s, results %q", status, results)
	}
	if n := model.Calls(llmtest.User("where to go?")); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}
