package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"

	"nanoclaw/internal/llm"
)

// history is what the messages say about this turn: what is asked, what has become
// of the steps whose calls were made, and what the turn before left.
type history struct {
	user     llm.Message
	asked    bool // there is a user message at all
	cut      bool // steps of this turn were summarised: nobody knows which calls were made
	outcomes map[int]outcome
	before   earlier
}

func readHistory(messages []llm.Message) history {
	h := history{outcomes: make(map[int]outcome)}
	last := lastUser(messages, len(messages))
	if last < 0 {
		return h
	}
	h.user, h.asked = messages[last], true
	h.before = readEarlier(messages, last)
	results := make(map[string]string)
	for _, m := range messages[last+1:] {
		if m.Role == llm.RoleTool {
			results[m.ToolCallID] = m.Text
		}
	}
	for _, m := range messages[last+1:] {
		if m.Role == llm.RoleAssistant && len(m.ToolCalls) == 0 && m.Text != "" {
			h.cut = true
		}
		for _, call := range m.ToolCalls {
			step, ok := stepOf(call.ID)
			if !ok {
				continue
			}
			text, answered := results[call.ID]
			result := decode(text)
			if !answered { // never made again: it may have run
				result = outcome{code: "outcome_unknown"}
			}
			result.arguments = call.Arguments
			h.outcomes[step] = result
		}
	}
	return h
}

func lastUser(messages []llm.Message, end int) int {
	for i := end - 1; i >= 0; i-- {
		if messages[i].Role == llm.RoleUser {
			return i
		}
	}
	return -1
}

// readEarlier looks at the turn before the message at index last.
func readEarlier(messages []llm.Message, last int) earlier {
	var before earlier
	names := make(map[string]string)
	answer, result := "", ""
	for _, m := range messages[max(0, lastUser(messages, last)):last] {
		for _, call := range m.ToolCalls {
			names[call.ID] = call.Name
			if path := pathOf(call.Arguments); path != "" {
				before.path = path
			}
		}
		switch m.Role {
		case llm.RoleAssistant:
			if m.Text != "" {
				answer = m.Text
			}
		case llm.RoleTool:
			k, known := kindOf(names[m.ToolCallID])
			if !known || !k.answers() {
				continue
			}
			if text, ok := decode(m.Text).text(k); ok {
				result = text
			}
		}
	}
	before.text = result
	if before.text == "" {
		before.text = answer
	}
	return before
}

// pathOf is the file that a call names: where a move went, else its path.
func pathOf(arguments string) string {
	var named struct {
		Path string `json:"path"`
		To   string `json:"to"`
	}
	if err := json.Unmarshal([]byte(arguments), &named); err != nil {
		return ""
	}
	if named.To != "" {
		return named.To
	}
	if named.Path == "." {
		return ""
	}
	return named.Path
}

func kindOf(tool string) (kind, bool) {
	for k, name := range toolOf {
		if name == tool {
			return k, true
		}
	}
	return kindNone, false
}

// A call's id carries the number of its step, and the length of the history when
// it was made, which keeps it from repeating within a conversation.
func callID(messages, step int) string { return fmt.Sprintf("demo_%d_%d", messages, step) }

var idPattern = regexp.MustCompile(`^demo_\d+_(\d+)$`)

func stepOf(id string) (int, bool) {
	groups := idPattern.FindStringSubmatch(id)
	if groups == nil {
		return 0, false
	}
	step, err := strconv.Atoi(groups[1])
	return step, err == nil
}
