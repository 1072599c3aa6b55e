package demo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// matches are the places where a search found its text.
func (w *phrases) matches(s step, o outcome) string {
	var lines []string
	for _, item := range o.items() {
		switch hit := item.(type) {
		case string:
			lines = append(lines, "`"+hit+"`")
		case map[string]any:
			path, _ := first(hit, "path", "file", "name")
			text, _ := first(hit, "text", "content", "match")
			line := "`" + path
			if number, ok := hit["line"].(json.Number); ok {
				line += ":" + number.String()
			} else if number, ok := hit["line_number"].(json.Number); ok {
				line += ":" + number.String()
			} else if content, ok := hit["line"].(string); ok && text == "" {
				text = content
			}
			line += "`"
			if text != "" {
				line += " " + inline(text)
			}
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return fmt.Sprintf(w.noHits, inline(s.text))
	}
	return fmt.Sprintf(w.hits, inline(s.text)) + "\n\n" + w.bullets(lines) + w.cutMark(o)
}

func (w *phrases) webHits(s step, o outcome) string {
	var lines []string
	for _, item := range o.items() {
		hit, ok := item.(map[string]any)
		if !ok {
			continue
		}
		title, _ := first(hit, "title", "url")
		address, _ := first(hit, "url", "link")
		snippet, _ := first(hit, "snippet", "content")
		line := fmt.Sprintf("[%s](%s)", strings.NewReplacer("[", "(", "]", ")").Replace(title), address)
		if snippet != "" {
			line += " " + w.cut(strings.Join(strings.Fields(snippet), " "), 300)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return fmt.Sprintf(w.noHits, inline(s.text))
	}
	return fmt.Sprintf(w.hitsFor, inline(s.text)) + "\n\n" + w.bullets(lines)
}

// weatherReport lists the figures as the tool names them, and says so when they
// are made up by the tool.
func (w *phrases) weatherReport(s step, o outcome) string {
	text := fmt.Sprintf(w.weatherOf, inline(s.text))
	object, ok := o.data.(map[string]any)
	if !ok {
		return text + " " + compact(o.data)
	}
	simulated := object["simulated"] == true
	shown := make(map[string]any, len(object))
	for key, value := range object {
		if key != "simulated" && key != "city" && value != nil {
			shown[key] = value
		}
	}
	text += "\n\n" + w.bullets(strings.Split(plain(shown), "\n"))
	if simulated {
		text += "\n\n" + w.simulated
	}
	return text
}
