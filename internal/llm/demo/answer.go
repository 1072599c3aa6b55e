package demo

import (
	"fmt"
	"strings"

	"nanoclaw/internal/llm"
)

// answer is the text that ends the turn: what each step came to, and what could
// not be done and why.
func (p *plan) answer(user llm.Message) string {
	w := phrasesFor(p.request.chinese)
	var parts []string
	if len(user.Images) > 0 {
		parts = append(parts, w.images)
	}
	if p.request.talk != "" {
		return strings.Join(append(parts, w.talk(p.request.talk, p.offers)), "\n\n")
	}
	parts = append(parts, p.report(w)...)
	if len(p.request.unclear) > 0 {
		quoted := make([]string, len(p.request.unclear))
		for i, piece := range p.request.unclear {
			quoted[i] = w.quoteOpen + inline(piece) + w.quoteClose
		}
		parts = append(parts, fmt.Sprintf(w.unclear, strings.Join(quoted, w.listSeparator)))
	}
	if p.request.cut {
		parts = append(parts, w.cutOff)
	}
	if !p.understood() {
		if p.noTools && len(p.request.unclear) > 0 {
			parts = append(parts, w.noToolsNothing)
		}
		parts = append(parts, w.stranger, w.addModel)
	}
	return strings.Join(parts, "\n\n")
}

// understood: at least one step meant something.
func (p *plan) understood() bool {
	for _, s := range p.states {
		if s != stateImplicit {
			return true
		}
	}
	return false
}

func (w *phrases) talk(about string, offers []string) string {
	switch about {
	case "tools":
		if len(offers) == 0 {
			return w.noToolsNothing
		}
		return w.toolsOffered + "\n\n" + w.bullets(offers)
	case "help":
		return w.help + "\n\n" + w.addModel
	case "who":
		return w.who + "\n\n" + w.addModel
	case "thanks":
		return w.thanks
	case "bye":
		return w.bye
	}
	return w.hello
}

// report has one paragraph per step, what is left undone at the end.
func (p *plan) report(w *phrases) []string {
	var parts, undone []string
	done, total := 0, 0
	for i, s := range p.request.steps {
		switch p.states[i] {
		case stateImplicit:
			continue
		case stateDone:
			done++
			parts = append(parts, w.came(s, p.outcomes[i]))
		case stateFailed:
			parts = append(parts, w.wentWrong(s, p.outcomes[i]))
		case stateSkipped:
			parts = append(parts, w.because(p.reasons[i], s))
		case stateProblem:
			parts = append(parts, w.because(s.problem, s))
		case stateNoTool:
			parts = append(parts, fmt.Sprintf(w.noTool, w.describe(s), toolOf[s.kind]))
		case stateOpen, stateReady:
			undone = append(undone, w.describe(s))
		}
		total++
	}
	if len(undone) > 0 {
		list := strings.Join(undone, w.listSeparator)
		if len(undone) == total {
			parts = append(parts, fmt.Sprintf(w.noToolsAtAll, list))
		} else {
			parts = append(parts, fmt.Sprintf(w.undone, list))
		}
	}
	switch {
	case total < 2:
	case done == total:
		parts = append([]string{fmt.Sprintf(w.allDone, total)}, parts...)
	default:
		parts = append([]string{fmt.Sprintf(w.someDone, done, total)}, parts...)
	}
	return parts
}

// because explains a step that was not tried.
func (w *phrases) because(reason string, s step) string {
	format := w.reasons[reason]
	if !strings.Contains(format, "%s") {
		return format
	}
	return fmt.Sprintf(format, w.describe(s))
}

// wentWrong reports a failed call with the tool's own words.
func (w *phrases) wentWrong(s step, o outcome) string {
	if s.kind == kindAgents && len(o.answers()) > 0 { // each answer says what went wrong
		return w.team(o)
	}
	message := strings.TrimSpace(o.message)
	if message == "" {
		message = w.unreadable
	}
	if o.code != "" {
		message += " (`" + o.code + "`)"
	}
	switch o.code {
	case "outcome_unknown":
		return fmt.Sprintf(w.unknownOutcome, w.describe(s))
	case "denied", "blocked":
		return fmt.Sprintf(w.denied, w.describe(s), message)
	}
	text := fmt.Sprintf(w.failed, w.describe(s), message)
	if output, ok := partial(o.data); ok {
		text += "\n\n" + w.output + "\n\n" + w.fence(output, "")
	}
	return text
}

// partial is the output of a call that failed half way.
func partial(data any) (string, bool) {
	object, ok := data.(map[string]any)
	if !ok {
		return "", false
	}
	return first(object, "stdout", "output", "stderr", "traceback")
}
