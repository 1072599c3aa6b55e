package openai

import (
	"bytes"
	"net/http"
	"strings"
)

// quirk is a set of things that a provider refuses. One is learned from an error
// answer, and kept for the model's further calls.
type quirk uint32

const (
	noStreamOptions quirk = 1 << iota
	noTemperature
	otherMaxTokens // the other name of max_tokens
	noMaxTokens    // neither name
	noThinking     // no switch for thinking
	fullReplay     // reasoning_content on every message that calls tools
	noReplay       // reasoning_content nowhere
	noDetails      // reasoning_details nowhere
	systemInUser   // no system message
	shortIDs       // ids of tool calls have nine letters and digits
)

func (q quirk) has(other quirk) bool { return q&other != 0 }

// refusals are the words of "I do not take this", as different servers put it.
var refusals = []string{
	"unsupported", "not support", "unrecognized", "unknown", "not permitted", "not allowed", "unexpected",
	"extra inputs", "extra_forbidden", "extraneous", "additional properties", "only 1 is allowed",
	"only the default", "deprecated", "invalid parameter", "invalid temperature", "no such field", "not a valid field",
}

// refusal is what a 400 or 422 says that the provider does not take of what was sent.
func refusal(status int, body []byte, sent map[string]bool) quirk {
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return 0
	}
	text := string(bytes.ToLower(body))
	var learned quirk
	if missing(text, "reasoning_content") {
		learned |= fullReplay
	}
	if strings.Contains(text, "length of 9") || strings.Contains(text, "string too long") && strings.Contains(text,
		"tool_call") {
		learned |= shortIDs
	}
	if !containsAny(text, refusals...) {
		return learned
	}
	for field, q := range map[string]quirk{
		"stream_options": noStreamOptions, "temperature": noTemperature,
		"max_tokens": otherMaxTokens, "max_completion_tokens": otherMaxTokens,
	} {
		if sent[field] && mentions(text, field) {
			learned |= q
		}
	}
	for _, field := range []string{"reasoning_effort", "enable_thinking", "chat_template_kwargs", "thinking",
		"reasoning"} {
		if sent[field] && (mentions(text, field) || mentions(text, "thinking")) {
			learned |= noThinking
		}
	}
	if sent["reasoning_content"] && strings.Contains(text, "reasoning_content") && !learned.has(fullReplay) {
		learned |= noReplay
	}
	if sent["reasoning_details"] && mentions(text, "reasoning_details") {
		learned |= noDetails
	}
	if sent["system"] && containsAny(text, "'system'", `"system"`, "system role", "system message",
		"developer instruction") {
		learned |= systemInUser
	}
	return learned
}

// mentions reports whether a text names a field, not as a part of a longer name.
func mentions(text, field string) bool {
	for rest := text; ; {
		i := strings.Index(rest, field)
		if i < 0 {
			return false
		}
		end := i + len(field)
		if (i == 0 || !isName(rest[i-1])) && (end == len(rest) || !isName(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

func isName(b byte) bool { return b == '_' || 'a' <= b && b <= 'z' || '0' <= b && b <= '9' }

func missing(text, field string) bool {
	return strings.Contains(text, field) && containsAny(text, "missing", "must be", "required", "should be")
}

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// learn remembers what was refused, and reports whether any of it is news to the
// request that was refused, so that trying again makes sense.
func (m *Model) learn(refused, used quirk) bool {
	if refused.has(otherMaxTokens) && used.has(otherMaxTokens) {
		refused = refused&^otherMaxTokens | noMaxTokens
	}
	m.quirks.Or(uint32(refused))
	return refused&^used != 0
}
