package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	maxShownRunes = 4000 // of one text in an answer
	maxShownItems = 100  // of one list in an answer
	maxShownInner = 1500 // of one sub-agent's answer
)

// came says what a step came to, from its result and nothing else.
func (w *phrases) came(s step, o outcome) string {
	if o.raw != "" {
		return w.describe(s) + ":\n\n" + w.fence(o.raw, "")
	}
	switch s.kind {
	case kindList, kindGlob:
		return w.listing(s, o)
	case kindRead:
		return w.content(s, o)
	case kindWrite:
		return w.written(s)
	case kindAppend:
		return fmt.Sprintf(w.appended, s.path)
	case kindEdit:
		return fmt.Sprintf(w.edited, s.path)
	case kindDelete:
		return fmt.Sprintf(w.removed, s.path)
	case kindMove:
		return fmt.Sprintf(w.moved, s.path, s.to)
	case kindMkdir:
		return fmt.Sprintf(w.made, s.path)
	case kindExists:
		return w.existence(s, o)
	case kindCompute:
		if value, ok := o.text(kindCompute); ok {
			return fmt.Sprintf("`%s` = **%s**", inline(s.text), value)
		}
	case kindTime:
		if value, ok := o.text(kindTime); ok {
			if s.text != "" {
				value += " (" + s.text + ")"
			}
			return fmt.Sprintf(w.timeNow, value)
		}
	}
	return w.cameOutside(s, o)
}

func (w *phrases) cameOutside(s step, o outcome) string {
	switch s.kind {
	case kindGrep:
		return w.matches(s, o)
	case kindWeather:
		return w.weatherReport(s, o)
	case kindWebSearch:
		return w.webHits(s, o)
	case kindFetch:
		text, _ := o.text(kindFetch)
		if text == "" {
			text = plain(o.data)
		}
		return fmt.Sprintf(w.pageAt, s.text) + "\n\n" + w.fence(text, "")
	case kindShell, kindPython:
		return w.programOutput(s, o)
	case kindAgents:
		return w.team(o)
	case kindListAgents:
		return w.agentList + "\n\n" + w.fence(plain(o.data), "")
	case kindUsage:
		return w.usageIs + "\n\n" + w.fence(plain(o.data), "")
	}
	return w.describe(s) + ":\n\n" + w.fence(plain(o.data), "")
}

func (w *phrases) listing(s step, o outcome) string {
	names := o.names()
	if len(names) == 0 {
		if s.kind == kindGlob {
			return fmt.Sprintf(w.noMatches, s.text)
		}
		return w.noFiles
	}
	head := w.filesHere
	switch {
	case s.kind == kindGlob:
		head = fmt.Sprintf(w.matching, s.text)
	case s.path != "":
		head = fmt.Sprintf(w.filesIn, s.path)
	}
	for i, name := range names {
		names[i] = "`" + name + "`"
	}
	return head + "\n\n" + w.bullets(names) + w.cutMark(o)
}

func (w *phrases) bullets(items []string) string {
	rest := 0
	if len(items) > maxShownItems {
		rest = len(items) - maxShownItems
		items = items[:maxShownItems]
	}
	text := "- " + strings.Join(items, "\n- ")
	if rest > 0 {
		text += "\n- " + fmt.Sprintf(w.more, rest)
	}
	return text
}

func (w *phrases) content(s step, o outcome) string {
	text, ok := o.field("content", "text")
	if !ok {
		text = plain(o.data)
	}
	if text == "" {
		return fmt.Sprintf(w.emptyFile, s.path)
	}
	return fmt.Sprintf(w.contentOf, s.path) + "\n\n" + w.fence(text, "") + w.cutMark(o)
}

// cutMark says that the tool gave only a part.
func (w *phrases) cutMark(o outcome) string {
	if !o.truncated() {
		return ""
	}
	return "\n\n" + w.onlyPart
}

func (w *phrases) written(s step) string {
	length := utf8.RuneCountInString(s.text)
	switch {
	case length == 0 && len(s.refs) > 0: // the history no longer says what was written
		return fmt.Sprintf(w.saved, s.path)
	case length == 0:
		return fmt.Sprintf(w.wroteEmpty, s.path)
	case length <= subjectLength && !strings.ContainsAny(s.text, "`\n"):
		return fmt.Sprintf(w.wrote, s.text, s.path)
	}
	return fmt.Sprintf(w.wroteSize, length, s.path)
}

func (w *phrases) existence(s step, o outcome) string {
	there, ok := o.data.(bool)
	if object, isObject := o.data.(map[string]any); isObject {
		there, ok = object["exists"].(bool)
	}
	switch {
	case !ok:
		return w.describe(s) + ": " + plain(o.data)
	case there:
		return fmt.Sprintf(w.isThere, s.path)
	}
	return fmt.Sprintf(w.isNotThere, s.path)
}

func (w *phrases) programOutput(s step, o outcome) string {
	var parts []string
	if object, ok := o.data.(map[string]any); ok && s.kind == kindShell {
		if code, ok := object["exit_code"].(json.Number); ok {
			parts = append(parts, fmt.Sprintf(w.exitCode, inline(s.text), code))
		}
	}
	shown := false
	for _, name := range []string{"stdout", "output", "result", "stderr"} {
		if text, ok := o.field(name); ok && strings.TrimSpace(text) != "" {
			parts = append(parts, w.fence(text, ""))
			shown = true
			if _, isText := o.data.(string); isText {
				break
			}
		}
	}
	if !shown {
		parts = append(parts, w.noOutput)
	}
	return strings.Join(parts, "\n\n")
}

// team repeats what every sub-agent answered, failures included.
func (w *phrases) team(o outcome) string {
	answers := o.answers()
	good := 0
	var parts []string
	for _, a := range answers {
		head := "**" + a.name + "**"
		if a.success {
			good++
		} else {
			head += " (" + w.agentFailed + ")"
		}
		if a.partial {
			head += " (" + w.agentPartial + ")"
		}
		parts = append(parts, head+"\n\n"+w.cut(a.text, maxShownInner))
	}
	return strings.Join(append([]string{fmt.Sprintf(w.agentsAnswered, good, len(answers))}, parts...), "\n\n")
}

// fence puts a text into a code block that nothing in it can close.
func (w *phrases) fence(text, lang string) string {
	ticks := "```"
	for strings.Contains(text, ticks) {
		ticks += "`"
	}
	return ticks + lang + "\n" + strings.TrimRight(w.cut(text, maxShownRunes), "\n") + "\n" + ticks
}

func (w *phrases) cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "\n" + w.shortened
}
