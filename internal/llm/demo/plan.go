package demo

import (
	"slices"
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
	stateNoTool                // no tool is offered for it
	stateProblem               // it cannot be done as it was said
	stateImplicit              // there is nothing to do for it
)

// plan is what is to be done in this turn.
type plan struct {
	request  request
	states   []state
	outcomes []outcome // of the steps that are done or failed
	reasons  []string  // phrase keys: why a step was skipped
	noTools  bool      // this turn offers none at all
	offers   []string  // names of the tools
}

// makePlan reads the conversation and decides what can go now.
func makePlan(req llm.Request) plan {
	h := readHistory(req.Messages)
	p := plan{request: parse(h.user.Text, h.before), noTools: len(req.Tools) == 0 || h.cut}
	if !h.asked {
		p.request.talk = "help"
	}
	for _, tool := range req.Tools {
		p.offers = append(p.offers, "`"+tool.Name+"`")
	}
	n := len(p.request.steps)
	p.states, p.outcomes, p.reasons = make([]state, n), make([]outcome, n), make([]string, n)
	for i := range p.request.steps {
		p.states[i] = p.judge(i, h, req.Tools)
	}
	return p
}

// judge decides one step; the ones before it are decided.
func (p *plan) judge(i int, h history, tools []llm.ToolDef) state {
	s := &p.request.steps[i]
	if done, ok := h.outcomes[i]; ok {
		p.outcomes[i] = done
		s.called(done.arguments)
		if !done.success {
			return stateFailed
		}
		return stateDone
	}
	switch {
	case s.kind == kindNone:
		return stateImplicit
	case s.problem != "":
		return stateProblem
	case !p.noTools && !offered(tools, toolOf[s.kind]):
		return stateNoTool
	}
	for _, need := range s.needs {
		switch p.states[need] {
		case stateDone:
		case stateOpen, stateReady:
			return stateOpen
		default:
			p.reasons[i] = "needs_failed"
			return stateSkipped
		}
	}
	for _, before := range s.after {
		switch p.states[before] {
		case stateOpen, stateReady:
			return stateOpen
		case stateDone, stateImplicit:
		default:
			if s.kind == kindDelete || s.kind == kindMove { // never on top of what went wrong
				p.reasons[i] = "before_failed"
				return stateSkipped
			}
		}
	}
	if len(s.needs) > 0 && !p.fill(i) {
		return stateSkipped
	}
	if p.noTools {
		return stateOpen
	}
	return stateReady
}

func offered(tools []llm.ToolDef, name string) bool {
	return slices.ContainsFunc(tools, func(t llm.ToolDef) bool { return t.Name == name })
}

// fill puts the results that a step takes in into its text.
func (p *plan) fill(i int) bool {
	s := &p.request.steps[i]
	var texts []string
	for _, need := range s.needs {
		text, ok := p.outcomes[need].text(p.request.steps[need].kind)
		if !ok {
			p.reasons[i] = "no_text"
			if p.outcomes[need].truncated() {
				p.reasons[i] = "truncated"
			}
			return false
		}
		texts = append(texts, text)
	}
	joined := strings.Join(texts, "\n")
	if s.kind != kindCompute {
		s.text = joined
		return true
	}
	if s.expression(joined); s.problem != "" {
		p.reasons[i] = s.problem
		return false
	}
	return true
}

// calls are the steps that go now.
func (p *plan) calls(messages int) []llm.ToolCall {
	var calls []llm.ToolCall
	for i, s := range p.request.steps {
		if p.states[i] == stateReady {
			calls = append(calls, llm.ToolCall{ID: callID(messages, i), Name: toolOf[s.kind], Arguments: s.arguments()})
		}
	}
	return calls
}
