package anthropic

import (
	"encoding/json"
	"fmt"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	at "nanoclaw/internal/llm/anthropic/anthropictest"
)

// FuzzAnyHistoryIsAccepted makes up histories, calls without results and results
// without calls included, and holds them against the API's rules.
func FuzzAnyHistoryIsAccepted(f *testing.F) {
	for _, seed := range []string{"", "uaua", "uA1r1u", "uB12r2r1", "ar9sAu", "A1A1A1r1r1", "uTr1Tr1 ux", "RRRuuu",
		"uTTaTr1r1r1u"} {
		f.Add(seed, true, uint8(1))
	}
	f.Fuzz(func(t *testing.T, script string, tools bool, thinking uint8) {
		if len(script) > 200 {
			return
		}
		m := newModel(config.Model{Model: "claude-sonnet-4-5"}, llm.Info{}, llm.Options{})
		req := llm.Request{Messages: history(script), Thinking: []llm.Thinking{"", llm.ThinkingOn,
			llm.ThinkingOff}[thinking%3]}
		if tools {
			req.Tools = []llm.ToolDef{{Name: "f"}}
		}
		params, _, _, err := m.compose(req, m.known(), false)
		if err != nil {
			return // nothing to send
		}
		raw, err := json.Marshal(params)
		if err != nil {
			t.Fatal(err)
		}
		var got at.Request
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		got.Stream = true
		if complaint := got.Complaint(); complaint != "" {
			t.Errorf("%s\n%s", complaint, outline(got.Messages))
		}
	})
}

// history reads a script of one letter per message: user, assistant, Assistant
// with calls (of the digits that follow), Thinking with a call, result, system.
func history(script string) []llm.Message {
	var messages []llm.Message
	for i, letter := range script {
		switch letter {
		case 'u':
			messages = append(messages, user(fmt.Sprintf("text %d", i)))
		case ' ':
			messages = append(messages, user(" "))
		case 'a':
			messages = append(messages, assistant(fmt.Sprintf("answer %d", i)))
		case 'A', 'B', 'T':
			message := assistant("", call("1"))
			if letter == 'B' {
				message = assistant("two", call("1"), call("2"))
			}
			if letter == 'T' {
				message.Opaque = json.RawMessage(
					`{"provider":"anthropic","model":"claude-sonnet-4-5","blocks":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use"}]}`)
			}
			messages = append(messages, message)
		case 'r':
			messages = append(messages, result(fmt.Sprint(1+i%2), "result"))
		case 'R':
			messages = append(messages, result("9", ""))
		case 's':
			messages = append(messages, llm.Message{Role: llm.RoleSystem, Text: "note"})
		}
	}
	return messages
}
