package openai

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"nanoclaw/internal/llm"
)

// fields is a JSON object whose values are not looked into.
type fields map[string]json.RawMessage

// encode writes the object. Its values are JSON already and are not read again: a
// context is hundreds of kilobytes long.
func (f fields) encode() []byte {
	out := append(make([]byte, 0, 4<<10+len(f["messages"])+len(f["tools"])), '{')
	for _, name := range slices.Sorted(maps.Keys(f)) {
		out = append(strconv.AppendQuote(out, name), ':')
		out = append(append(out, f[name]...), ',')
	}
	out[len(out)-1] = '}'
	return out
}

// set stores a value that always has a JSON form.
func (f fields) set(name string, value any) {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("openai: field %s: %v", name, err))
	}
	f[name] = raw
}

// payload rewrites the body that langchaingo composed for this provider. It also
// returns the names of what it sends, by which a refusal is understood.
func (m *Model) payload(body []byte, req llm.Request, q quirk) ([]byte, map[string]bool, error) {
	var f fields
	if err := json.Unmarshal(body, &f); err != nil {
		return nil, nil, fmt.Errorf("read the composed request: %w", err)
	}
	f.set("model", m.info.Model)
	f.set("stream", true)
	if !q.has(noStreamOptions) {
		f.set("stream_options", map[string]bool{"include_usage": true})
	}
	if m.temperature(req) == nil || q.has(noTemperature) { // langchaingo sends 0 for "not set"
		delete(f, "temperature")
	}
	if len(req.Tools) > 0 {
		f["tools"] = m.encodedTools(req.Tools)
	}
	m.nameMaxTokens(f, q)
	if !q.has(noThinking) {
		for name, value := range m.dialect.switches(m.info.Model, req.Thinking) {
			f.set(name, value)
		}
	}
	sent := make(map[string]bool, len(f)+2)
	if err := m.rewriteMessages(f, req.Messages, q, sent); err != nil {
		return nil, nil, err
	}
	for name := range f {
		sent[name] = true
	}
	return f.encode(), sent, nil
}

// nameMaxTokens gives the limit, which langchaingo calls max_completion_tokens,
// the name that the provider knows.
func (m *Model) nameMaxTokens(f fields, q quirk) {
	limit, ok := f["max_completion_tokens"]
	if !ok {
		return
	}
	delete(f, "max_completion_tokens")
	switch completion := m.dialect.completionTokens != q.has(otherMaxTokens); {
	case q.has(noMaxTokens):
	case completion:
		f["max_completion_tokens"] = limit
	default:
		f["max_tokens"] = limit
	}
}

// rewriteMessages adds to the messages what langchaingo has no words for.
func (m *Model) rewriteMessages(f fields, from []llm.Message, q quirk, sent map[string]bool) error {
	replay := m.replays(from, q)
	for _, message := range from {
		sent["system"] = sent["system"] || message.Role == llm.RoleSystem
	}
	details := m.details(from, q)
	if replay == nil && details == nil && !m.dialect.signatures && !q.has(systemInUser|shortIDs) {
		return nil
	}
	var messages []fields
	if err := json.Unmarshal(f["messages"], &messages); err != nil || len(messages) != len(from) {
		return fmt.Errorf("read the composed messages: %d of %d, %w", len(messages), len(from), err)
	}
	for i, reasoning := range replay {
		messages[i].set("reasoning_content", reasoning)
		sent["reasoning_content"] = true
	}
	for i, kept := range details {
		messages[i].set("reasoning_details", kept)
		sent["reasoning_details"] = true
	}
	if err := m.rewriteCalls(messages, from, q); err != nil {
		return err
	}
	if q.has(systemInUser) {
		messages = foldSystem(messages)
		sent["system"] = false
	}
	f.set("messages", messages)
	return nil
}

// replays is the reasoning that goes back, by message: that of turns that called
// tools. Where none was kept, a provider that insists on the field gets it empty.
func (m *Model) replays(messages []llm.Message, q quirk) map[int]string {
	if q.has(noReplay) || !m.dialect.replay && !q.has(fullReplay) {
		return nil
	}
	replay := make(map[int]string)
	for start := 0; start < len(messages); {
		end, calls := start+1, false
		for ; end < len(messages) && (messages[end].Role != llm.RoleUser || messages[end].ToolName != ""); end++ {
			calls = calls || len(messages[end].ToolCalls) > 0
		}
		for i := start; i < end && calls; i++ {
			if messages[i].Role == llm.RoleAssistant && (messages[i].Reasoning != "" || q.has(fullReplay)) {
				replay[i] = messages[i].Reasoning
			}
		}
		start = end
	}
	return replay
}

// details are the reasoning_details that go back, by message: a provider that sent
// them wants them back as they were, above all with the tool calls that they led to.
func (m *Model) details(messages []llm.Message, q quirk) map[int]reasoningDetails {
	if q.has(noDetails) {
		return nil
	}
	var found map[int]reasoningDetails
	for i, message := range messages {
		if len(message.Opaque) == 0 || message.Role != llm.RoleAssistant {
			continue
		}
		var kept opaque
		if json.Unmarshal(message.Opaque, &kept) != nil || len(kept.ReasoningDetails) == 0 {
			continue // another provider's, or none
		}
		if found == nil {
			found = make(map[int]reasoningDetails)
		}
		found[i] = kept.ReasoningDetails
	}
	return found
}

// rewriteCalls puts signatures and short ids into the messages' tool calls.
func (m *Model) rewriteCalls(messages []fields, from []llm.Message, q quirk) error {
	for i, message := range messages {
		if q.has(shortIDs) && from[i].ToolCallID != "" {
			message.set("tool_call_id", shortID(from[i].ToolCallID))
		}
		if len(from[i].ToolCalls) == 0 {
			continue
		}
		var calls []fields
		if err := json.Unmarshal(message["tool_calls"], &calls); err != nil {
			return fmt.Errorf("read the composed tool calls: %w", err)
		}
		extras := m.extras(from[i])
		for j, call := range calls {
			id := from[i].ToolCalls[j].ID
			if extra, ok := extras[id]; ok {
				call["extra_content"] = extra
			}
			if q.has(shortIDs) {
				call.set("id", shortID(id))
			}
		}
		message.set("tool_calls", calls)
	}
	return nil
}

// opaque is this provider's part of llm.Response.Opaque.
type opaque struct {
	ExtraContent     map[string]json.RawMessage `json:"extra_content,omitempty"` // by the call's id
	ReasoningDetails reasoningDetails           `json:"reasoning_details,omitempty"`
}

// skipSignature is what Google documents for calls that another model made.
var skipSignature = json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)

// extras is what goes back with a message's tool calls, by the call's id.
func (m *Model) extras(message llm.Message) map[string]json.RawMessage {
	if !m.dialect.signatures {
		return nil
	}
	var kept opaque
	if json.Unmarshal(message.Opaque, &kept) != nil || len(kept.ExtraContent) == 0 {
		kept.ExtraContent = nil // another provider's, or none
		if strings.Contains(m.info.Model, "gemini-3") {
			return map[string]json.RawMessage{message.ToolCalls[0].ID: skipSignature}
		}
	}
	return kept.ExtraContent
}

// shortID maps an id to nine letters and digits, the same for the same id.
func shortID(id string) string {
	sum := sha256.Sum256([]byte(id))
	text := new(big.Int).SetBytes(sum[:]).Text(62)
	return (text + "000000000")[:9]
}

// foldSystem puts the system messages' text before the first user message's.
func foldSystem(messages []fields) []fields {
	var system []string
	kept := messages[:0:0]
	for _, message := range messages {
		var role, text string
		if json.Unmarshal(message["role"], &role) == nil && role == llm.RoleSystem && json.Unmarshal(message["content"],
			&text) == nil {
			system = append(system, text)
			continue
		}
		kept = append(kept, message)
	}
	for _, message := range kept {
		var role string
		if json.Unmarshal(message["role"], &role) == nil && role == llm.RoleUser && len(system) > 0 {
			message["content"] = prepend(strings.Join(system, "\n\n")+"\n\n", message["content"])
			return kept
		}
	}
	if len(system) > 0 {
		first := make(fields)
		first.set("role", llm.RoleUser)
		first.set("content", strings.Join(system, "\n\n"))
		kept = append([]fields{first}, kept...)
	}
	return kept
}

// prepend puts text before content, which is a string or an array of parts.
func prepend(text string, content json.RawMessage) json.RawMessage {
	f := make(fields)
	var parts []json.RawMessage
	var plain string
	if json.Unmarshal(content, &parts) == nil {
		f.set("part", map[string]string{"type": "text", "text": text})
		parts = append([]json.RawMessage{f["part"]}, parts...)
		f.set("content", parts)
		return f["content"]
	}
	if json.Unmarshal(content, &plain) != nil {
		return content
	}
	f.set("content", text+plain)
	return f["content"]
}
