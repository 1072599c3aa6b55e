package config

import (
	"strings"
	"testing"
)

// A7: an edit of any list or mapping leaves every other line as it was typed.
func TestEditKeepsTheLinesThatDoNotChange(t *testing.T) {
	t.Parallel()
	const source = `guard:
    guarded_tools: [ text_process,shell_execute ]   # these ask

    level: strict
agents:
  # the first one
  - id: critic
    name:   Critic # its name
    system_prompt: |
      Be critical.

      Very.
    tools:
      - file_read   # reads
      - file_grep
  - { id: helper, name: "${HELPER:-Ann}" }

mcp_servers:
  # notes
  notes:
    command: /usr/bin/notes
    args: [ "--x", "${ARG:-a}" ]

    env: { TOKEN: "${TOKEN:-none}" } # secret
tool_limits: { per_run: { fetch: 5 } } # limits
tools:
  fetch: { timeout: 20s }   # slow
  calculator: { timeout: 5s }
`
	for key, c := range map[string]struct {
		value     any
		from, to  string
		afterLine bool // to is a new line behind from
	}{
		"agents[critic].name":       {value: "Strict critic", from: "name:   Critic", to: "name: Strict critic"},
		"agents[helper].name":       {value: "Bo", from: "- { id: helper, name: \"${HELPER:-Ann}\" }", to: "- {id: helper, name: \"Bo\"}"},
		"agents[critic].tools":      {value: []any{"file_read", "file_grep", "fetch"}, from: "      - file_grep\n", to: "      - fetch\n", afterLine: true},
		"mcp_servers.notes.command": {value: "/bin/notes", from: "/usr/bin/notes", to: "/bin/notes"},
		"mcp_servers.notes.args":    {value: []any{"--y"}, from: `[ "--x", "${ARG:-a}" ]`, to: `["--y"]`},
		"tools.fetch.timeout":       {value: "21s", from: "{ timeout: 20s }   # slow", to: "{timeout: 21s} # slow"},
		"mcp_servers.notes":         {value: map[string]any{"command": "/bin/notes", "args": []any{"--x", "a"}, "env": map[string]any{"TOKEN": "***"}, "timeout": "60s"}, from: "/usr/bin/notes", to: "/bin/notes"},
		"tool_limits":               {value: map[string]any{"per_run": map[string]any{"fetch": 6}, "per_conversation": map[string]any{}}, from: "{ per_run: { fetch: 5 } }", to: "{per_run: {fetch: 6}}"},
		"guard.guarded_tools":       {value: []any{"fetch"}, from: "[ text_process,shell_execute ]   # these", to: "[fetch] # these"},
		"tools.calculator":          {value: map[string]any{"timeout": "6s"}, from: "{ timeout: 5s }", to: "{timeout: 6s}"},
		"agents[critic].tools[0]":   {value: "fetch", from: "file_read   # reads", to: "fetch # reads"},
		"mcp_servers.notes.env":     {value: map[string]any{"TOKEN": "x"}, from: `{ TOKEN: "${TOKEN:-none}" } # secret`, to: `{TOKEN: "x"} # secret`},
	} {
		want := strings.Replace(source, c.from, c.to, 1)
		if c.afterLine {
			want = strings.Replace(source, c.from, c.from+c.to, 1)
		}
		got, err := Source{}.Edit([]byte(source), map[string]any{key: c.value})
		if err != nil {
			t.Errorf("%s: %v", key, err)
		} else if string(got) != want {
			t.Errorf("%s:\n%s", key, lineDiff(want, string(got)))
		}
	}
}

// lineDiff is the lines of got that want does not have, and the other way round.
func lineDiff(want, got string) string {
	var b strings.Builder
	for line := range strings.Lines(want) {
		if !strings.Contains(got, line) {
			b.WriteString("missing: " + line)
		}
	}
	for line := range strings.Lines(got) {
		if !strings.Contains(want, line) {
			b.WriteString("not wanted: " + line)
		}
	}
	return b.String()
}
