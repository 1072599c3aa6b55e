package app

import (
	"strings"
	"testing"

	"nanoclaw/internal/config"
)

// CF1, TG3: names of tools and rules that do not exist are told, with their place and
// the name that was meant; those that exist, globs and MCP tools are not.
func TestNamesThatNobodyHasAreTold(t *testing.T) {
	t.Parallel()
	text := `guard:
  denied_tools: [shel_execute, web_search, "file_*", mcp__fs__write]
  guarded_tools: [nothing_like_it_at_all]
  disabled_rules: [shell.git_histroy, evasion, path.sensitive]
  rules: [{ id: mine, tool: file_wirte, pattern: x }]
agents:
  - { id: helper, tools: [calculator, calculater] }
tools:
  fetch_pages: { disabled: true }
tool_limits:
  per_run: { web_serach: 20, "*": 200 }
`
	_, warnings, err := config.Source{Env: func(string) (string, bool) { return "", false },
		Advise: Advise}.Parse([]byte(text), "config.yml")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`config.yml:2:18: guard.denied_tools[0]: there is no tool "shel_execute", so this has no effect: did you mean shell_execute?`,
		`config.yml:3:19: guard.guarded_tools[0]: there is no tool "nothing_like_it_at_all", so this has no effect`,
		`config.yml:4:20: guard.disabled_rules[0]: there is no built-in rule "shell.git_histroy", so nothing is switched off: did you mean shell.git_history?`,
		`config.yml:5:23: guard.rules[0].tool: there is no tool "file_wirte", so this has no effect: did you mean file_write?`,
		`config.yml:7:39: agents[0].tools[1]: there is no tool "calculater", so this has no effect: did you mean calculator?`,
		`config.yml:9:3: tools.fetch_pages: there is no tool "fetch_pages", so this has no effect: did you mean fetch_page?`,
		`config.yml:11:14: tool_limits.per_run.web_serach: there is no tool "web_serach", so this has no effect: did you mean web_search?`,
	}
	if got := warnings.String(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// CF1: what is written beside the program, and what it starts with, needs no advice.
func TestTheDefaultsNeedNoAdvice(t *testing.T) {
	t.Parallel()
	if found := Advise(config.Default()); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// Issue 10: arguments that are set beforehand are ones that the tool takes.
func TestAPresetIsCheckedAgainstItsTool(t *testing.T) {
	t.Parallel()
	parse := func(text string) error {
		_, _, err := config.Source{Env: func(string) (string, bool) { return "", false },
			Advise: Advise}.Parse([]byte(text), "config.yml")
		return err
	}
	if err := parse(
		"tools: {web_search: {preset: {max_results: 3}}}\nagents: [{id: a, presets: {web_search: " +
			"{max_results: 3}}}]\n"); err != nil {
		t.Errorf("a good preset: %v", err)
	}
	for text, want := range map[string]string{
		"tools: {web_search: {preset: {max_results: many}}}\n":           "tools.web_search.preset",
		"tools: {web_search: {preset: {max_result: 3}}}\n":               "max_result",
		"agents: [{id: a, presets: {web_search: {max_results: [1]}}}]\n": "agents[0].presets.web_search",
	} {
		if err := parse(text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(),
			"config.yml:1:") {
			t.Errorf("%s: %v, want a problem of %s", text, err, want)
		}
	}
}
