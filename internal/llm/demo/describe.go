package demo

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const subjectLength = 60 // runes of a step's subject where the step is only named

// describe names a step in the imperative, as in a plan.
func (w *phrases) describe(s step) string {
	text := inline(s.text)
	switch s.kind {
	case kindList:
		if s.path != "" {
			return fmt.Sprintf(w.listIn, s.path)
		}
		return w.list
	case kindGlob:
		return fmt.Sprintf(w.glob, text)
	case kindRead:
		if s.firstLine > 0 {
			return fmt.Sprintf(w.readLines, s.firstLine, s.lastLine, s.path)
		}
		return fmt.Sprintf(w.read, s.path)
	case kindWrite:
		return fmt.Sprintf(w.writing(s), s.path)
	case kindAppend:
		return fmt.Sprintf(w.appendTo, s.path)
	case kindEdit:
		return fmt.Sprintf(w.edit, s.path)
	case kindDelete:
		return fmt.Sprintf(w.remove, s.path)
	case kindMove:
		return fmt.Sprintf(w.move, s.path, s.to)
	case kindMkdir:
		return fmt.Sprintf(w.mkdir, s.path)
	case kindExists:
		return fmt.Sprintf(w.exists, s.path)
	case kindGrep:
		if s.path != "" {
			return fmt.Sprintf(w.grepIn, text, s.path)
		}
		return fmt.Sprintf(w.grep, text)
	case kindCompute:
		return fmt.Sprintf(w.compute, strings.ReplaceAll(text, "%s", "x"))
	case kindTime:
		if s.text != "" {
			return fmt.Sprintf(w.timeIn, text)
		}
		return w.time
	}
	return w.describeOutside(s, text)
}

func (w *phrases) writing(s step) string {
	switch {
	case len(s.refs) > 0:
		return w.writeResult
	case s.text == "":
		return w.writeEmpty
	}
	return w.write
}

func (w *phrases) describeOutside(s step, text string) string {
	switch s.kind {
	case kindWeather:
		return fmt.Sprintf(w.weather, text)
	case kindWebSearch:
		return fmt.Sprintf(w.search, text)
	case kindFetch:
		return fmt.Sprintf(w.fetch, text)
	case kindShell:
		return fmt.Sprintf(w.shell, text)
	case kindPython:
		return w.python
	case kindAgents:
		return fmt.Sprintf(w.agents, len(s.tasks))
	case kindListAgents:
		return w.listAgents
	case kindUsage:
		return w.usage
	}
	return ""
}

// inline makes a text fit into a line, and between backticks.
func inline(text string) string {
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "`", "'")
	if utf8.RuneCountInString(text) > subjectLength {
		return string([]rune(text)[:subjectLength]) + "…"
	}
	return text
}
