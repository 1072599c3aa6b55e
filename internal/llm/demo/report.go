package demo

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/llm"
)

const (
	maxShownRunes = 4000 // of one text in an answer
	maxShownItems = 100  // of one list in an answer
	subjectLength = 60   // runes of a step's subject where the step is only named
)

// writer writes in the language of the request.
type writer struct{ chinese bool }

func (w writer) say(key string, args ...any) string {
	format := phrases[key][0]
	if w.chinese {
		format = phrases[key][1]
	}
	if !strings.Contains(format, "%") {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// answer is the text that ends the turn: what each step came to, what could not
// be done, and why.
func (p *plan) answer(user llm.Message) string {
	w := writer{p.request.chinese}
	var parts []string
	if len(user.Images) > 0 {
		parts = append(parts, w.say("images"))
	}
	switch p.request.talk {
	case "":
		parts = append(parts, p.steps(w)...)
	case "help", "who":
		parts = append(parts, w.say(p.request.talk), w.say("add_model"))
	case "tools":
		parts = append(parts, w.say("tools"), w.bullets(p.offers))
	default:
		parts = append(parts, w.say(p.request.talk))
	}
	for _, words := range p.request.unclear {
		parts = append(parts, w.say("unclear", inline(words)))
	}
	if p.request.cut {
		parts = append(parts, w.say("cut"))
	}
	if p.request.talk == "" && !slices.ContainsFunc(p.states, func(s state) bool { return s != stateImplicit }) {
		parts = append(parts, w.say("stranger"), w.say("add_model"))
	}
	return strings.Join(parts, "\n\n")
}

// steps has one paragraph per step, what is left undone at the end.
func (p *plan) steps(w writer) []string {
	var parts, undone []string
	done, total := 0, 0
	for i, s := range p.request.steps {
		total++
		switch p.states[i] {
		case stateImplicit:
			total--
		case stateDone:
			done++
			parts = append(parts, w.result(s, p.outcomes[i]))
		case stateFailed:
			parts = append(parts, w.failure(s, p.outcomes[i]))
		case stateSkipped:
			parts = append(parts, w.say(p.reasons[i], w.describe(s)))
		case stateNoTool:
			parts = append(parts, w.say("no_tool", w.describe(s), s.tool))
		default:
			undone = append(undone, w.describe(s))
		}
	}
	switch {
	case len(undone) == 0:
	case len(undone) == total:
		parts = append(parts, w.say("no_tools_at_all", strings.Join(undone, "; ")))
	default:
		parts = append(parts, w.say("undone", strings.Join(undone, "; ")))
	}
	if total > 1 {
		parts = append([]string{w.say("done", done, total)}, parts...)
	}
	return parts
}

// thoughts is the short plan that is shown as the model's thinking.
func (p *plan) thoughts() string {
	w := writer{p.request.chinese}
	key, out := "think_report", []string{}
	for i, s := range p.request.steps {
		if p.states[i] == stateReady {
			key = "think_next"
			out = append(out, "- "+w.describe(s))
		}
	}
	if len(p.request.steps) == 0 {
		key = "think_talk"
	}
	return strings.Join(append([]string{w.say(key)}, out...), "\n")
}

// describe names a step in the imperative, as in a plan.
func (w writer) describe(s step) string {
	subject := ""
	for _, name := range []string{"from", "path", "expression", "timezone", "city", "query", "url", "command",
		"pattern"} {
		if value := s.text(name); value != "" && subject == "" {
			subject = inline(strings.ReplaceAll(value, `\`, ""))
		}
	}
	if s.tool == "file_write" && s.source != fromRequest {
		return w.say("do save", subject)
	}
	if s.tool == "file_move" {
		return w.say("do file_move", subject, s.text("to"))
	}
	return w.say("do "+s.tool, subject)
}

// title is what a step does, as a heading.
func (w writer) title(s step) string {
	text := []rune(w.describe(s))
	return strings.ToUpper(string(text[:1])) + string(text[1:])
}

// result says what a step came to, from its result and nothing else.
func (w writer) result(s step, o outcome) string {
	text, _ := o.text(s.tool)
	switch s.tool {
	case "calculator":
		return fmt.Sprintf("`%s` = **%s**", inline(s.text("expression")), text)
	case "file_write":
		content := s.text("content")
		if n := utf8.RuneCountInString(content); n == 0 || n > subjectLength || strings.ContainsAny(content, "`\n") {
			return w.say("wrote_size", n, s.path())
		}
		return w.say("wrote", content, s.path())
	case "file_append", "file_delete", "file_mkdir", "file_move":
		return w.say("did", w.describe(s))
	case "file_list", "file_grep", "web_search":
		return w.say("found", w.title(s)) + "\n\n" + w.bullets(o.lines(s.tool)) + w.remarks(o)
	case "multi_agent":
		return w.team(o)
	case "shell_execute", "execute_python":
		text = strings.TrimSpace(fmt.Sprintf("%s\n%s", text, field(o.data, "stderr")))
		said := w.say("found", w.title(s))
		if code := field(o.data, "exit_code"); code != "" {
			said = w.say("exit_code", w.title(s), code)
		}
		return said + "\n\n" + w.fence(text)
	}
	return w.say("found", w.title(s)) + "\n\n" + w.fence(text) + w.remarks(o)
}

// remarks says that a tool gave only a part, or figures that nobody measured.
func (w writer) remarks(o outcome) (text string) {
	if o.truncated() {
		text = "\n\n" + w.say("partial")
	}
	if field(o.data, "simulated") == "true" {
		text += "\n\n" + w.say("simulated")
	}
	return text
}

// team repeats what every sub-agent answered, failures included.
func (w writer) team(o outcome) string {
	good := 0
	parts := []string{""}
	for _, item := range o.items() {
		head, text := "**"+literal(inline(field(item, "task_name")))+"**", field(item, "response", "error")
		if field(item, "success") == "true" {
			good++
		} else {
			head, text = head+" ("+w.say("agent_failed")+")", field(item, "error", "response")
		}
		if field(item, "incomplete") == "true" {
			head += " (" + w.say("agent_partial") + ")"
		}
		parts = append(parts, head+"\n\n"+w.cut(text, maxShownRunes/3))
	}
	parts[0] = w.say("team", good, len(o.items()))
	return strings.Join(parts, "\n\n")
}

// failure reports a failed call with the tool's own words.
func (w writer) failure(s step, o outcome) string {
	key := map[string]string{"outcome_unknown": "outcome_unknown", "denied": "denied", "blocked": "denied"}[o.code]
	if key == "" {
		key = "failed"
	}
	text := w.say(key, w.describe(s), strings.TrimSpace(o.message+" (`"+o.code+"`)"))
	if output := field(o.data, "stdout", "stderr", "traceback"); output != "" {
		text += "\n\n" + w.fence(output)
	}
	return text
}

func (w writer) bullets(items []string) string {
	if len(items) == 0 {
		return w.say("nothing")
	}
	more := ""
	if len(items) > maxShownItems {
		more = "\n- " + w.say("more", len(items)-maxShownItems)
		items = items[:maxShownItems]
	}
	shown := make([]string, len(items))
	for i, item := range items {
		shown[i] = strings.ReplaceAll(strings.Join(strings.Fields(w.cut(item, 300)), " "), "`", "'")
	}
	return "- `" + strings.Join(shown, "`\n- `") + "`" + more
}

// fence puts a text into a code block that nothing in it can close.
func (w writer) fence(text string) string {
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks + "\n" + strings.TrimRight(w.cut(text, maxShownRunes), "\n") + "\n" + ticks
}

func (w writer) cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "\n" + w.say("shortened")
}

// literal writes a text so that Markdown shows it as it is: 2**5, snake_case.
func literal(text string) string {
	return markup.Replace(text)
}

var markup = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "~", `\~`, "$", `\$`, "<", `\<`)

// inline makes a text fit into a line, and between backticks.
func inline(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "`", "'")
	if utf8.RuneCountInString(text) > subjectLength {
		return string([]rune(text)[:subjectLength]) + "…"
	}
	return text
}
