package llmtest

import (
	"regexp"
	"strings"
)

// Match says whether a rule or a filter applies to a request.
type Match func(Request) bool

// Any matches every request.
func Any() Match { return func(Request) bool { return true } }

// User matches the exact text of the last user message.
func User(text string) Match { return func(r Request) bool { return r.User() == text } }

// UserContains matches a part of the last user message.
func UserContains(part string) Match {
	return func(r Request) bool { return strings.Contains(r.User(), part) }
}

// UserMatches matches the last user message against a regular expression. A bad
// expression panics: it is a mistake in the script.
func UserMatches(expression string) Match {
	re := regexp.MustCompile(expression)
	return func(r Request) bool { return re.MatchString(r.User()) }
}

// SystemContains matches a part of the first system message.
func SystemContains(part string) Match {
	return func(r Request) bool { return strings.Contains(r.System(), part) }
}

// ModelIs matches the model's name on the wire.
func ModelIs(name string) Match { return func(r Request) bool { return r.Model == name } }

// HasToolResults matches a request that answers tool calls: its last message is a tool's.
func HasToolResults() Match { return func(r Request) bool { return r.Last().Role == "tool" } }

// ToolResultContains matches a part of any tool result since the last user message.
func ToolResultContains(part string) Match {
	return func(r Request) bool {
		for _, m := range r.ToolResults() {
			if strings.Contains(m.Text, part) {
				return true
			}
		}
		return false
	}
}

// OffersTool matches a request that offers the tool to the model.
func OffersTool(name string) Match { return func(r Request) bool { return r.Offers(name) } }

// AtCall matches the n-th model call of a conversation, from 1 (Request.Call).
func AtCall(n int) Match { return func(r Request) bool { return r.Call() == n } }

// AtStep matches the n-th model call since the last user message, from 1 (Request.Step).
func AtStep(n int) Match { return func(r Request) bool { return r.Step() == n } }

// Not turns a match round.
func Not(m Match) Match { return func(r Request) bool { return !m(r) } }

// All matches where every one of the matches does; without any it matches everything.
func All(matches ...Match) Match {
	return func(r Request) bool {
		for _, m := range matches {
			if !m(r) {
				return false
			}
		}
		return true
	}
}
