package config

import (
	"strings"
	"testing"
)

// BT10: what is wrong with a command template is reported with its place.
func TestMistakesInCommandTemplatesAreReported(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{name: t, description: d, command: "ls {{dir}}"}`:                                                   "none of parameters",
		`{name: t, description: d, command: "echo '{{x}}'", parameters: [{name: x}]}`:                        "cannot be quoted",
		`{name: t, description: d, command: "ls '"}`:                                                         "syntax error",
		`{name: t, description: d, command: ls, parameters: [{name: x}]}`:                                    "no place {{x}}",
		`{name: T-1, description: d, command: ls}`:                                                           "small letters",
		`{name: t, description: d, command: ls, success: {output: "("}}`:                                     "success.output",
		`{name: t, description: d, command: ls, success: {json: ".a | nope"}}`:                               "no jq expression",
		`{name: t, description: d, command: ls, success: {exit_codes: [300]}}`:                               "exit_codes",
		`{name: t, command: ls}`:                                                                             "description",
		`{name: t, description: d, command: "ls {{x}}", parameters: [{name: x, type: y}]}`:                   "type",
		`{name: t, description: d, command: "ls {{n}}", parameters: [{name: n, type: integer, default: x}]}`: "not a number",
		`{name: t, description: d, command: ls}, {name: t, description: d, command: ls}`:                     "name",
	} {
		_, _, problems := Parse([]byte("shell: {templates: ["+text+"]}\n"), "config.yml", nil)
		if problems == nil || !strings.Contains(problems.Error(), want) ||
			!strings.Contains(problems.Error(), "shell.templates") {
			t.Errorf("%s: reported %v, want %q", text, problems, want)
		}
	}
}
