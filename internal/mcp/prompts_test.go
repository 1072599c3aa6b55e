package mcp

import (
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// TS7 issue 10: the prompts of servers are listed with their arguments, and filled in.
func TestPromptsOfServersAreListedAndFilledIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(map[string]config.MCPServer{"plain": program("tools"), "some": program("prompts")})
	w.ready("plain")
	w.ready("some")
	listed := w.servers.Prompts(t.Context())
	if len(listed) != 1 || listed[0].Server != "some" || listed[0].Name != "review/code" ||
		!slices.Equal(listed[0].Arguments,
			[]tools.MCPPromptArgument{{Name: "file", Description: "what to read", Required: true}}) {
		t.Errorf("listed %+v", listed)
	}
	got, err := w.servers.Prompt(t.Context(), "some", "review/code", map[string]string{"file": "a.go"})
	if want := []tools.MCPPromptMessage{{Role: "user", Text: "review a.go"},
		{Role: "assistant", Text: "[image]"}}; err != nil || !slices.Equal(got.Messages, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for _, wrong := range []struct{ server, name, code, says string }{
		{"nobody", "x", codeNotFound, "no MCP server"},
		{"plain", "x", codeNotFound, "no prompts"},
		{"some", "x", tools.CodeInvalidArguments, "refused"},
	} {
		_, err := w.servers.Prompt(t.Context(), wrong.server, wrong.name, nil)
		if tools.CodeOf(err) != wrong.code || !strings.Contains(err.Error(), wrong.says) {
			t.Errorf("%s/%s: %v", wrong.server, wrong.name, err)
		}
	}
}
