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
	if len(args) == 0 {
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
	case "help", "who":
		return strings.Join(append(parts, w.say(p.request.talk), w.say("add_model")), "\n\n")
	case "tools":
		if len(p.offers) == 0 {
			return w.say("no_tools")
		}
		return w.say("tools") + "\n\n" + w.bullets(p.offers)
	default:
		return strings.Join(append(parts, w.say(p.request.talk)), "\n\n")
	}
	parts = append(parts, p.steps(w)...)
	if unclear := p.request.unclear; len(unclear) > 0 {
		shown := make([]string, len(unclear))
		for i, words := range unclear {
			shown[i] = w.say("quote", inline(words))
		}
		parts = append(parts, w.say("unclear", strings.Join(shown, w.say("joint"))))
	}
	if p.request.cut {
		parts = append(parts, w.say("cut"))
	}
	if !slices.ContainsFunc(p.states, func(s state) bool { return s != stateImplicit }) {
		parts = append(parts, w.say("stranger"), w.say("add_model"))
	}
	return strings.Join(parts, "\n\n")
}

// steps has one paragraph per step, what is left undone at the end.
func (p *plan) steps(w writer) []string {
	var parts, undone []string
	done, total := 0, 0
	for i, s := range p.request.steps {
		switch p.states[i] {
		case stateImplicit:
			continue
		case stateDone:
			done++
			parts = append(parts, w.result(s, p.outcomes[i]))
		case stateFailed:
			parts = append(parts, w.failure(s, p.outcomes[i]))
		case stateSkipped:
			reason := w.say(p.reasons[i])
			if strings.Contains(reason, "%s") {
				reason = w.say(p.reasons[i], w.describe(s))
			}
			parts = append(parts, reason)
		case stateNoTool:
			parts = append(parts, w.say("no_tool", w.describe(s), s.tool))
		case stateOpen, stateReady:
			undone = append(undone, w.describe(s))
		}
		total++
	}
	if len(undone) > 0 {
		key := "undone"
		if len(undone) == total {
			key = "no_tools_at_all"
		}
		parts = append(parts, w.say(key, strings.Join(undone, w.say("joint"))))
	}
	switch {
	case total < 2:
	case done == total:
		parts = append([]string{w.say("all_done", total)}, parts...)
	default:
		parts = append([]string{w.say("some_done", done, total)}, parts...)
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
	tasks, _ := s.args["tasks"].([]any)
	subject := ""
	for _, name := range []string{"from", "path", "expression", "timezone", "city", "query", "url", "command",
		"pattern"} {
		if value := s.text(name); value != "" && subject == "" {
			subject = inline(value)
		}
	}
	key := "do " + s.tool
	switch {
	case s.tool == "multi_agent":
		if made, ok := s.args["tasks"].([]map[string]any); ok {
			return w.say(key, len(made))
		}
		return w.say(key, len(tasks))
	case s.tool == "file_move":
		return w.say(key, subject, s.text("to"))
	case s.tool == "file_write" && s.into != "":
		return w.say("do save", subject)
	case s.tool == "file_grep":
		subject = inline(strings.ReplaceAll(s.text("pattern"), `\`, ""))
	case s.tool == "calculator":
		subject = strings.ReplaceAll(subject, "%s", "x")
	}
	if format := w.say(key); !strings.Contains(format, "%s") {
		return format
	}
	return w.say(key, subject)
}

// result says what a step came to, from its result and nothing else.
func (w writer) result(s step, o outcome) string {
	switch s.tool {
	case "file_list", "file_glob":
		names := o.names()
		if len(names) == 0 {
			return w.say("no_files")
		}
		head := w.say("files")
		if s.path() != "." && s.path() != "" {
			head = w.say("files_in", s.path())
		}
		return head + "\n\n" + w.bullets(names) + w.partial(o)
	case "file_read":
		content := o.field("content")
		if content == "" {
			return w.say("empty_file", s.path())
		}
		return w.say("content", s.path()) + "\n\n" + w.fence(content) + w.partial(o)
	case "file_write":
		content := s.text("content")
		if n := utf8.RuneCountInString(content); n == 0 || n > subjectLength || strings.ContainsAny(content, "`\n") {
			return w.say("wrote_size", n, s.path())
		}
		return w.say("wrote", content, s.path())
	case "file_move":
		return w.say("moved", s.text("from"), s.text("to"))
	case "file_exists":
		if object, ok := o.data.(map[string]any); ok && object["exists"] == true {
			return w.say("exists", s.path())
		}
		return w.say("exists_not", s.path())
	case "file_grep":
		var hits []string
		for _, item := range o.items() {
			hits = append(hits, fmt.Sprintf("%s:%s %s", field(item, "path"), field(item, "line"),
				inline(field(item, "text"))))
		}
		if len(hits) == 0 {
			return w.say("no_hits", inline(s.text("pattern")))
		}
		return w.say("hits", inline(s.text("pattern"))) + "\n\n" + w.bullets(hits) + w.partial(o)
	case "calculator":
		return fmt.Sprintf("`%s` = **%s**", inline(s.text("expression")), o.field("result"))
	}
	return w.resultOutside(s, o)
}

func (w writer) resultOutside(s step, o outcome) string {
	switch s.tool {
	case "get_current_time":
		return w.say("time", strings.TrimSpace(o.field("time")+" "+o.field("timezone")))
	case "get_weather":
		object, _ := o.data.(map[string]any)
		shown := map[string]any{}
		for _, key := range []string{"condition", "temperature", "feels_like", "humidity", "wind_speed", "time"} {
			if value, has := object[key]; has {
				shown[key] = value
			}
		}
		text := w.say("weather", s.text("city")) + "\n\n" + w.bullets(strings.Split(lines(shown), "\n"))
		if object["simulated"] == true {
			text += "\n\n" + w.say("simulated")
		}
		return text
	case "web_search":
		var hits []string
		for _, item := range o.items() {
			title := strings.NewReplacer("[", "(", "]", ")").Replace(field(item, "title", "url"))
			hits = append(hits, fmt.Sprintf("[%s](%s) %s", title, field(item, "url"), w.cut(field(item, "snippet"),
				300)))
		}
		if len(hits) == 0 {
			return w.say("no_hits", inline(s.text("query")))
		}
		return w.say("hits", inline(s.text("query"))) + "\n\n- " + strings.Join(hits, "\n- ")
	case "shell_execute", "execute_python":
		var parts []string
		if code := o.field("exit_code"); code != "" {
			parts = append(parts, w.say("exit_code", inline(s.text("command")), code))
		}
		for _, name := range []string{"stdout", "value", "stderr"} {
			if text := o.field(name); strings.TrimSpace(text) != "" {
				parts = append(parts, w.fence(text))
			}
		}
		if len(parts) == 0 {
			parts = []string{w.say("no_output")}
		}
		return strings.Join(parts, "\n\n")
	case "multi_agent":
		return w.team(o)
	}
	if text, ok := phrases["did "+s.tool]; ok && text[0] != "" {
		return w.say("did "+s.tool, s.path())
	}
	text, _ := o.text(s.tool)
	return w.describe(s) + ":\n\n" + w.fence(text) + w.partial(o)
}

// team repeats what every sub-agent answered, failures included.
func (w writer) team(o outcome) string {
	good := 0
	parts := []string{""}
	for _, item := range o.items() {
		object, _ := item.(map[string]any)
		head, text := "**"+field(item, "task_name")+"**", field(item, "response", "error")
		if object["success"] == true {
			good++
		} else {
			head, text = head+" ("+w.say("agent_failed")+")", field(item, "error", "response")
		}
		if object["incomplete"] == true {
			head += " (" + w.say("agent_partial") + ")"
		}
		parts = append(parts, head+"\n\n"+w.cut(text, maxShownRunes/3))
	}
	parts[0] = w.say("team", good, len(o.items()))
	return strings.Join(parts, "\n\n")
}

// failure reports a failed call with the tool's own words.
func (w writer) failure(s step, o outcome) string {
	message := strings.TrimSpace(o.message + " (`" + o.code + "`)")
	switch o.code {
	case "outcome_unknown":
		return w.say("outcome_unknown", w.describe(s))
	case "denied", "blocked":
		return w.say("denied", w.describe(s), message)
	}
	text := w.say("failed", w.describe(s), message)
	if output := o.field("stdout", "stderr", "traceback"); output != "" {
		text += "\n\n" + w.fence(output)
	}
	return text
}

// partial says that the tool gave only a part.
func (w writer) partial(o outcome) string {
	if !o.truncated() {
		return ""
	}
	return "\n\n" + w.say("partial")
}

func (w writer) bullets(items []string) string {
	more := ""
	if len(items) > maxShownItems {
		more = "\n- " + w.say("more", len(items)-maxShownItems)
		items = items[:maxShownItems]
	}
	return "- `" + strings.Join(items, "`\n- `") + "`" + more
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

// inline makes a text fit into a line, and between backticks.
func inline(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "`", "'")
	if utf8.RuneCountInString(text) > subjectLength {
		return string([]rune(text)[:subjectLength]) + "…"
	}
	return text
}
