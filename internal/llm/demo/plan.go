package demo

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"nanoclaw/internal/llm"
)

// state is where a step stands.
type state int

const (
	stateOpen     state = iota // waits for another step
	stateReady                 // its call goes out in this turn
	stateDone                  // its tool answered
	stateFailed                // its tool answered with an error
	stateSkipped               // what it needs is not there
	stateNoTool                // its tool is not offered
	stateImplicit              // there is nothing to do for it
)

// plan is what is to be done in this turn.
type plan struct {
	request  request
	states   []state
	outcomes []outcome
	reasons  []string // phrase keys: why a step was skipped
	noTools  bool     // this turn offers none
	offers   []string
}

// makePlan reads the conversation and decides what can go now.
func makePlan(req llm.Request) plan {
	last := lastUser(req.Messages, len(req.Messages))
	if last < 0 {
		return plan{request: request{talk: "help"}}
	}
	p := plan{request: parse(req.Messages[last].Text, readEarlier(req.Messages, last)), noTools: len(req.Tools) == 0}
	for _, tool := range req.Tools {
		p.offers = append(p.offers, tool.Name)
	}
	made, summarised := readOutcomes(req.Messages[last+1:])
	p.noTools = p.noTools || summarised // nobody knows which calls were made
	n := len(p.request.steps)
	p.states, p.outcomes, p.reasons = make([]state, n), make([]outcome, n), make([]string, n)
	for i := range p.request.steps {
		p.states[i] = p.decide(i, made)
	}
	return p
}

// decide finds the state of one step; those before it are decided.
func (p *plan) decide(i int, made map[int]outcome) state {
	s := &p.request.steps[i]
	if outcome, ok := made[i]; ok {
		p.outcomes[i] = outcome
		// what the call was really made with; else what was asked
		_ = json.Unmarshal([]byte(outcome.arguments), &s.args)
		if !outcome.success {
			return stateFailed
		}
		return stateDone
	}
	switch {
	case s.tool == "":
		return stateImplicit
	case s.problem != "":
		p.reasons[i] = s.problem
		return stateSkipped
	case !p.noTools && !slices.Contains(p.offers, s.tool):
		return stateNoTool
	}
	if state, reason := p.blocked(s); state != stateReady {
		p.reasons[i] = reason
		return state
	}
	if p.reasons[i] = p.fill(s); p.reasons[i] != "" {
		return stateSkipped
	}
	if p.noTools {
		return stateOpen
	}
	return stateReady
}

// blocked says whether a step has to wait for another, or is skipped because of
// one; stateReady: neither.
func (p *plan) blocked(s *step) (state, string) {
	for _, j := range append(slices.Clone(s.needs), s.after...) {
		switch {
		case p.states[j] == stateOpen || p.states[j] == stateReady:
			return stateOpen, ""
		case p.states[j] == stateDone || p.states[j] == stateImplicit:
		case slices.Contains(s.needs, j):
			return stateSkipped, "needs_failed"
		case s.tool == "file_delete" || s.tool == "file_move": // never on top of a failure
			return stateSkipped, "before_failed"
		}
	}
	return stateReady, ""
}

// fill puts the results that a step needs into it, or says why that cannot be done.
func (p *plan) fill(s *step) (reason string) {
	var texts []string
	for _, j := range s.needs {
		if p.outcomes[j].truncated() {
			return "truncated"
		}
		text, ok := p.outcomes[j].text(p.request.steps[j].tool)
		if !ok {
			return "no_text"
		}
		texts = append(texts, text)
	}
	if len(texts) > 0 {
		s.args["content"] = strings.Join(texts, "\n")
	}
	return ""
}

// calls are the steps that go now. A call's id carries the number of its step, and
// the length of the history, which keeps it from repeating within a conversation.
func (p *plan) calls(messages int) []llm.ToolCall {
	var calls []llm.ToolCall
	for i, s := range p.request.steps {
		if p.states[i] == stateReady {
			calls = append(calls, llm.ToolCall{ID: fmt.Sprintf("demo_%d_%d", messages, i), Name: s.tool,
				Arguments: s.arguments()})
		}
	}
	return calls
}

var idPattern = regexp.MustCompile(`^demo_\d+_(\d+)$`)

// readOutcomes maps steps to the results of their calls. summarised: a summary
// stands where calls of this turn were.
func readOutcomes(messages []llm.Message) (made map[int]outcome, summarised bool) {
	made = map[int]outcome{}
	results := map[string]string{}
	for _, m := range messages {
		if m.Role == llm.RoleTool {
			results[m.ToolCallID] = m.Text
		}
	}
	for _, m := range messages {
		summarised = summarised || m.Role == llm.RoleAssistant && len(m.ToolCalls) == 0 && m.Text != ""
		for _, call := range m.ToolCalls {
			groups := idPattern.FindStringSubmatch(call.ID)
			if groups == nil {
				continue
			}
			result := outcome{code: "outcome_unknown"} // never made again: it may have run
			if text, answered := results[call.ID]; answered {
				result = decode(text)
			}
			result.arguments = call.Arguments
			if number, err := strconv.Atoi(groups[1]); err == nil {
				made[number] = result
			}
		}
	}
	return made, summarised
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
func readEarlier(messages []llm.Message, last int) (before earlier) {
	calls := map[string]step{}
	answer := ""
	for _, m := range messages[max(0, lastUser(messages, last)):last] {
		for _, call := range m.ToolCalls {
			s := step{tool: call.Name}
			_ = json.Unmarshal([]byte(call.Arguments), &s.args) // a call without readable arguments names no path
			calls[call.ID] = s
			if path := s.path(); path != "" && path != "." {
				before.path = path
			}
		}
		if m.Role == llm.RoleAssistant && m.Text != "" {
			answer = m.Text
		}
		if s := calls[m.ToolCallID]; m.Role == llm.RoleTool && s.answers() {
			if text, ok := decode(m.Text).text(s.tool); ok {
				before.text = text
			}
		}
	}
	if before.text == "" {
		before.text = answer
	}
	return before
}
