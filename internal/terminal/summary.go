package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// summary is a call's arguments in short: the value where there is one argument,
// else name=value; the number of tasks of a fan-out.
func summary(c Call) string {
	decoder := json.NewDecoder(bytes.NewReader([]byte(c.Function.Arguments)))
	decoder.UseNumber()
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return revealLine(c.Function.Arguments)
	}
	var names, values []string
	for decoder.More() {
		name, err := decoder.Token()
		var value any
		if err == nil {
			err = decoder.Decode(&value)
		}
		if err != nil {
			return revealLine(c.Function.Arguments)
		}
		if tasks, ok := value.([]any); ok && name == "tasks" {
			return plural(len(tasks), "task")
		}
		names, values = append(names, revealLine(name.(string))), append(values, short(value))
	}
	if len(values) == 1 {
		return values[0]
	}
	for i := range values {
		values[i] = names[i] + "=" + values[i]
	}
	return strings.Join(values, ", ")
}

func short(value any) string {
	switch v := value.(type) {
	case string:
		return revealLine(v)
	case []any:
		return fmt.Sprintf("[%d]", len(v))
	case map[string]any:
		return "{…}"
	default:
		return fmt.Sprint(v)
	}
}

// outcome is how a finished call went: "" for well, else in one or a few words.
func outcome(c Call) string {
	switch {
	case c.Success && c.Skipped:
		return "duplicate"
	case c.Success && c.Cached:
		return "cached"
	case c.Success:
		return ""
	}
	var result struct{ Error, Code string }
	if json.Unmarshal([]byte(c.Result), &result) != nil || result.Error == "" {
		return "failed"
	}
	if result.Code == "" {
		return oneLine(result.Error)
	}
	return oneLine(result.Error) + " (" + oneLine(result.Code) + ")"
}

// Duration is a time for people: "4 ms", "1.2 s", "2m05s".
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < 9950*time.Microsecond && d%time.Millisecond != 0:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	d = d.Round(time.Second)
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}

// took is how long a finished call ran.
func took(c Call) string { return Duration(time.Duration(c.ExecutionTime * float64(time.Second))) }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
