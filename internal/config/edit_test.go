package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// CF4: what is written back differs from the file in the changed values, and in the
// changed section perhaps in spaces and blank lines; every comment stays.
func TestEditChangesTheValueAndKeepsTheComments(t *testing.T) {
	t.Parallel()
	const models = `models: # ours
  # the cheap one
  - id: a # first
    base_url: https://a.example/v1
    api_key: ${A_KEY:-x}   # keep
  # the good one
  - base_url: "https://b.example/v1"
    id: b
    supports: [tools, # needed
      images]
# end
`
	cases := map[string]struct {
		source  string
		changes map[string]any
		want    string
	}{
		"a plain value with a comment behind it": {
			"# head\nsub_agent:\n  max_tasks: 5   # why five\n\n  timeout: 60s\n# tail\n",
			map[string]any{"sub_agent.max_tasks": 8},
			"# head\nsub_agent:\n  max_tasks: 8 # why five\n\n  timeout: 60s\n# tail\n",
		},
		"a number as JSON gives it": {
			"max_iterations: 3\n", map[string]any{"max_iterations": 20.0}, "max_iterations: 20\n",
		},
		"two values at once, one missing": {
			"sub_agent:\n  max_tasks: 5\nlisten: 127.0.0.1:1 # x\n",
			map[string]any{"sub_agent.max_tasks": 6, "sub_agent.max_concurrency": 4},
			"sub_agent:\n  max_concurrency: 4\n  max_tasks: 6\nlisten: 127.0.0.1:1 # x\n",
		},
		"a missing key stands where it is declared": {
			"sub_agent:\n  # steps\n  max_iterations: 3 # three\n  timeout: 5\n",
			map[string]any{"sub_agent.max_tasks": 6},
			"sub_agent:\n  # steps\n  max_iterations: 3 # three\n  max_tasks: 6\n  timeout: 5\n",
		},
		"a missing mapping": {
			"listen: 127.0.0.1:1\n# end\n",
			map[string]any{"sub_agent.max_tasks": 6},
			"listen: 127.0.0.1:1\nsub_agent:\n  max_tasks: 6\n# end\n",
		},
		"a mapping that is there without keys": {
			"sub_agent: # limits\nlisten: 127.0.0.1:1\n",
			map[string]any{"sub_agent.max_tasks": 6},
			"sub_agent: # limits\n  max_tasks: 6\nlisten: 127.0.0.1:1\n",
		},
		"inside braces": {
			"sub_agent: { max_tasks: 5, timeout: 60 } # limits\n",
			map[string]any{"sub_agent.max_tasks": 6, "sub_agent.max_iterations": 2},
			"sub_agent: {max_iterations: 2, max_tasks: 6, timeout: 60} # limits\n",
		},
		"empty braces": {
			"sub_agent: {} # limits\n", map[string]any{"sub_agent.max_tasks": 6},
			"sub_agent: # limits\n  max_tasks: 6\n",
		},
		"an empty file": {
			"", map[string]any{"sub_agent.max_tasks": 6}, "sub_agent:\n  max_tasks: 6\n",
		},
		"a file of comments without a last line break": {
			"# nothing yet", map[string]any{"max_iterations": 6}, "# nothing yet\nmax_iterations: 6\n",
		},
		"quotes are kept": {
			"log_level: 'info' # a\nsystem_prompt: \"a # b\" # c\n",
			map[string]any{"log_level": "debug", "system_prompt": "it's \"x\": # y"},
			"log_level: 'debug' # a\nsystem_prompt: \"it's \\\"x\\\": # y\" # c\n",
		},
		"text that needs quotes gets them": {
			"system_prompt: hello\n", map[string]any{"system_prompt": "true"}, "system_prompt: \"true\"\n",
		},
		"text of several lines": {
			"system_prompt: hello\nlisten: 127.0.0.1:1\n",
			map[string]any{"system_prompt": "one\n\n  two\n"},
			"system_prompt: |\n  one\n\n    two\nlisten: 127.0.0.1:1\n",
		},
		"text of several lines that becomes one": {
			"system_prompt: |\n  one\n  # not a comment\n\n# about listen\nlisten: 127.0.0.1:1\n",
			map[string]any{"system_prompt": "short"},
			"system_prompt: short\n\n# about listen\nlisten: 127.0.0.1:1\n",
		},
		"plain text over several lines": {
			"system_prompt: one\n  two\n  three # c\nlisten: 127.0.0.1:1\n",
			map[string]any{"system_prompt": "short"},
			"system_prompt: short # c\nlisten: 127.0.0.1:1\n",
		},
		"windows line breaks": {
			"# a\r\nsub_agent:\r\n  max_tasks: 5 # b\r\n",
			map[string]any{"sub_agent.max_tasks": 6, "sub_agent.max_iterations": 2},
			"# a\r\nsub_agent:\r\n  max_iterations: 2\r\n  max_tasks: 6 # b\r\n",
		},
		"characters of several bytes": {
			"sub_agent: { timeout: 9, max_tasks: 5 } # größer 多\nsystem_prompt: \"你好\" # 你\n",
			map[string]any{"sub_agent.max_tasks": 6, "system_prompt": "再见"},
			"sub_agent: {timeout: 9, max_tasks: 6} # größer 多\nsystem_prompt: \"再见\" # 你\n",
		},
		"a list on one line": {
			"guard:\n  denied_tools: [a, b] # none\n",
			map[string]any{"guard.denied_tools": []any{"a", "c", "b"}},
			"guard:\n  denied_tools: [a, c, b] # none\n",
		},
		"a list over lines": {
			"guard:\n  denied_tools:\n    # first\n    - a # 1\n    # second\n    - b # 2\n  level: auto\n",
			map[string]any{"guard.denied_tools": []string{"a", "b", "c"}},
			"guard:\n  denied_tools:\n    # first\n    - a # 1\n    # second\n    - b # 2\n    - c\n  level: auto\n",
		},
		"a list that becomes empty": {
			"guard:\n  denied_tools:\n  - a\n  - b\n  level: auto\n",
			map[string]any{"guard.denied_tools": []string{}},
			"guard:\n  denied_tools: []\n  level: auto\n",
		},
		"an empty list that is filled": {
			"guard:\n  denied_tools: [] # c\n",
			map[string]any{"guard.denied_tools": []string{"a", "b*"}},
			"guard:\n  denied_tools: [a, b*] # c\n",
		},
		"a key of an entry, by number and by id": {
			models,
			map[string]any{"models[0].api_key": "${B_KEY:-y}", "models[b].base_url": "https://c.example/v1"},
			strings.NewReplacer("${A_KEY:-x}   # keep", `${B_KEY:-y} # keep`, "b.example", "c.example").Replace(models),
		},
		"an entry less": {
			models,
			map[string]any{"models": []any{
				map[string]any{"id": "b", "base_url": "https://b.example/v1", "supports": []any{"tools", "images"}},
			}},
			"models: # ours\n" + models[strings.Index(models, "  # the good one"):],
		},
		"an entry more, and one changed": {
			models,
			map[string]any{"models": []any{
				map[string]any{"id": "a", "base_url": "https://a.example/v1", "api_key": "***"},
				map[string]any{"id": "b", "base_url": "https://b.example/v1", "supports": []any{"tools", "images"}},
				map[string]any{"id": "c", "base_url": "https://c.example/v1", "price": map[string]any{"output": 2,
					"input": 1.5}},
			}},
			strings.Replace(models, "# end\n",
				"  - id: c\n    base_url: https://c.example/v1\n    price:\n      input: 1.5\n      output: 2\n# end\n",
				1),
		},
		"an entry more, by its id, beside entries that are left alone": {
			models,
			map[string]any{"models[c]": map[string]any{"id": "c", "base_url": "https://c.example/v1"}},
			strings.Replace(models, "# end\n", "  - id: c\n    base_url: https://c.example/v1\n# end\n", 1),
		},
		"the first entry of a list that is not there": {
			"max_iterations: 3\n",
			map[string]any{"models[c]": map[string]any{"id": "c", "base_url": "https://c.example/v1"}},
			"max_iterations: 3\nmodels:\n  - id: c\n    base_url: https://c.example/v1\n",
		},
		"an entry less, by its id": {
			models,
			map[string]any{"models[a]": nil},
			"models: # ours\n" + models[strings.Index(models, "  # the good one"):],
		},
		"a key that is removed": {
			"sub_agent:\n  max_tasks: 5 # a\n  # b\n  timeout: 60s\nlisten: 127.0.0.1:1\n",
			map[string]any{"sub_agent.max_tasks": nil, "cache.ttl": nil},
			"sub_agent:\n  # b\n  timeout: 60s\nlisten: 127.0.0.1:1\n",
		},
		"keys that are removed inside braces": {
			"sub_agent: { max_tasks: 5, max_iterations: 2, timeout: 9 }\n",
			map[string]any{"sub_agent.max_tasks": nil, "sub_agent.timeout": nil},
			"sub_agent: {max_iterations: 2}\n",
		},
		"the first key of an entry is removed": {
			"web_search:\n  providers:\n    - base_url: https://a.example # a\n      type: searxng\n    - " +
				"type: duckduckgo\n",
			map[string]any{"web_search.providers[0].type": "duckduckgo", "web_search.providers[0].base_url": nil},
			"web_search:\n  providers:\n    - type: duckduckgo\n    - type: duckduckgo\n",
		},
		"a mapping of names": {
			"tools:\n  calculator: { timeout: 5s }\n",
			map[string]any{`tools.web_search`: map[string]any{"disabled": true,
				"preset": map[string]any{"max_results": 3.0}}},
			"tools:\n  calculator: { timeout: 5s }\n  web_search:\n    disabled: true\n    preset:\n      " +
				"max_results: 3\n",
		},
		"a covered secret stays": {
			"web_search:\n  providers: [{type: brave, api_key: sk-1}]\n",
			map[string]any{"web_search.providers": []any{map[string]any{"type": "tavily", "api_key": "***"}}},
			"web_search:\n  providers: [{type: tavily, api_key: sk-1}]\n",
		},
		"nothing changes": {
			"max_iterations: 5\nsub_agent: {timeout: 60}\n", map[string]any{"max_iterations": 5},
			"max_iterations: 5\nsub_agent: {timeout: 60}\n",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Source{Env: environment()}.Edit([]byte(c.source), c.changes)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestEditRefusesWhatItCannotDoSafely(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		source  string
		changes map[string]any
		key     string
		message string
	}{
		"a bad value": {"sub_agent: {max_tasks: 5}\n", map[string]any{"sub_agent.max_tasks": 0},
			"sub_agent.max_tasks", "1 to 100"},
		"an unknown key": {"", map[string]any{"sub_agent.max_task": 3}, "sub_agent.max_task", "max_tasks"},
		"an entry that is gone": {"models: []\n", map[string]any{"models[x].name": "y"}, "models[x].name",
			"no entry x"},
		"a broken path": {"", map[string]any{"a..b": 1}, "a..b", "not a key"},
		"a key below a value": {"listen: 127.0.0.1:1\n", map[string]any{"listen.x": 1}, "listen.x",
			"a single value"},
		"an alias": {"sub_agent: &a {max_tasks: 2}\nagents: []\ncache: *a\n",
			map[string]any{"cache.ttl": 5}, "cache.ttl", "by hand"},
		"a value with an anchor": {"max_iterations: &n 5\ntool_max_workers: *n\n", map[string]any{"max_iterations": 6},
			"max_iterations", "by hand"},
		"a new covered secret": {"", map[string]any{"notifications.webhook": "***"}, "notifications.webhook",
			"give the secret itself"},
		"a value of no kind":    {"", map[string]any{"max_iterations": struct{}{}}, "max_iterations", "cannot be set"},
		"a file that is broken": {"a: [\n", map[string]any{"max_iterations": 6}, "", "not YAML"},
		"a comment that would be lost": {
			"guard:\n  denied_tools: [ # why\n    a ]\n", map[string]any{"guard.level": "off"}, "guard", "by hand",
		},
		"a file with problems": {"max_iterations: 0\n", map[string]any{"tool_max_workers": 6}, "max_iterations",
			"1 to 1000"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := Source{Env: environment()}.Edit([]byte(c.source), c.changes)
			problems, ok := err.(Problems)
			if !ok || out != nil {
				t.Fatalf("got %q and %v, want Problems", out, err)
			}
			for _, p := range problems {
				if p.Key == c.key && strings.Contains(p.Message, c.message) {
					return
				}
			}
			t.Errorf("got %v, want %s: …%s…", err, c.key, c.message)
		})
	}
}

func TestEditOfTheFullFileKeepsEveryOtherLine(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile(filepath.Join("..", "..", "config.yml"))
	if err != nil {
		t.Fatal(err)
	}
	changes := map[string]any{
		"sub_agent.max_tasks":       7,
		"sub_agent.timeout":         "90s",
		"workspace.local_shell":     true,
		"guard.denied_tools":        []string{"shell_*"},
		"system_prompt":             "Be brief.\nBe kind.",
		"redaction.personal":        []string{"email"},
		"http.max_body":             2 * MiB,
		"shell.env":                 map[string]any{"LANG": "C.UTF-8"},
		"models[demo].name":         "Demo",
		"default_model":             "demo",
		"telemetry.metrics":         false,
		"tool_limits.per_run":       map[string]any{"*": 100},
		"allowed_hosts":             []string{"nano.example.com"},
		"code_execution.allow_host": false,
	}
	out, err := Source{Env: environment()}.Edit(source, changes)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := Parse(out, "config.yml", environment())
	if err != nil {
		t.Fatal(err)
	}
	var changed []string
	for _, d := range Diff(Default(), c) {
		changed = append(changed, d.Key)
	}
	want := "allowed_hosts system_prompt sub_agent.max_tasks sub_agent.timeout models[demo].name " +
		"tool_limits.per_run.* shell.env.LANG guard.denied_tools redaction.personal http.max_body telemetry.metrics"
	if got := strings.Join(changed, " "); got != want {
		t.Errorf("changed: %s\nwant:    %s", got, want)
	}
	kept := map[string]int{}
	for line := range bytes.Lines(source) {
		kept[string(line)]++
	}
	added := 0
	for line := range bytes.Lines(out) {
		if kept[string(line)]--; kept[string(line)] < 0 {
			added++
		}
	}
	gone := 0
	for _, n := range kept {
		gone += max(n, 0)
	}
	if gone != 11 || added != 15 {
		t.Errorf("%d lines of the file are gone and %d are new", gone, added)
	}
}
