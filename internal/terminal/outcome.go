package terminal

import "encoding/json"

// Outcome says of an event whether a tool call finished, and whether it was
// refused: denied by a person, for want of one, or by a rule.
func (e Event) Outcome() (tool string, refused, finished bool) {
	if e.Type != "tool_call.finished" || e.Call == nil {
		return "", false, false
	}
	var result struct{ Code string }
	if !e.Call.Success {
		_ = json.Unmarshal([]byte(e.Call.Result), &result) // what is no JSON has no code
	}
	return e.Call.Function.Name, result.Code == "denied" || result.Code == "blocked", true
}
