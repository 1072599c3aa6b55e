package openai

import (
	"bytes"
	"net/http"
	"slices"
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

// rejected are the fields that a provider can refuse, by what has to be sent and
// what the error has to name; one name of a row is enough.
var rejected = []struct {
	sent  string
	names []string
	quirk quirk
}{
	{"stream_options", []string{"stream_options"}, noStreamOptions},
	{"temperature", []string{"temperature"}, noTemperature},
	{"max_tokens", []string{"max_tokens"}, otherMaxTokens},
	{"max_completion_tokens", []string{"max_completion_tokens"}, otherMaxTokens},
	{"reasoning_effort", []string{"reasoning_effort", "thinking"}, noThinking},
	{"enable_thinking", []string{"enable_thinking", "thinking"}, noThinking},
	{"chat_template_kwargs", []string{"chat_template_kwargs", "thinking"}, noThinking},
	{"thinking", []string{"thinking"}, noThinking},
	{"reasoning", []string{"reasoning", "thinking"}, noThinking},
	{"reasoning_content", []string{"reasoning_content"}, noReplay},
	{"reasoning_details", []string{"reasoning_details"}, noDetails},
	{"system", []string{"'system'", `"system"`, "system role", "system message", "system messages",
		"developer instruction", "developer instructions"}, systemInUser},
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
	for _, row := range rejected {
		named := func(name string) bool { return mentions(text, name) }
		if sent[row.sent] && slices.ContainsFunc(row.names, named) {
			learned |= row.quirk
		}
	}
	if learned.has(fullReplay) {
		learned &^= noReplay
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
