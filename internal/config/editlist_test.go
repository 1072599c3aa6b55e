package config

import (
	"fmt"
	"strings"
	"testing"
)

// listStyles are the ways in which a list of words may stand in a file.
var listStyles = map[string]func(words []string) string{
	"one line": func(words []string) string {
		return "guard:\n  denied_tools: [" + strings.Join(words, ", ") + "] # words\n  level: auto\n"
	},
	"over lines": func(words []string) string {
		text := "guard:\n  denied_tools: # words\n"
		for _, w := range words {
			text += "    # about " + w + "\n    - " + w + " # " + w + "\n"
		}
		return text + "  level: auto\n"
	},
	"over lines, not indented": func(words []string) string {
		text := "guard:\n  denied_tools:\n"
		for _, w := range words {
			text += "  - '" + w + "'\n"
		}
		return text + "\n  # level\n  level: auto\n"
	},
	"in brackets over lines": func(words []string) string {
		return "guard: {\n  denied_tools: [\n    " + strings.Join(words, ", # x\n    ") + " ], level: auto }\n"
	},
}

// CF4: from any list to any other one, in every layout, and what stays keeps its comment.
func TestEditReachesAnyListFromAnyOther(t *testing.T) {
	t.Parallel()
	lists := arrangements([]string{"a", "b", "c"})
	for name, style := range listStyles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, from := range lists {
				for _, to := range lists {
					checkListEdit(t, style(from), from, to)
				}
			}
		})
	}
}

// arrangements is every ordered choice from words.
func arrangements(words []string) [][]string {
	out := [][]string{{}}
	for i, w := range words {
		rest := append(append([]string{}, words[:i]...), words[i+1:]...)
		for _, tail := range arrangements(rest) {
			out = append(out, append([]string{w}, tail...))
		}
	}
	return out
}

func checkListEdit(t *testing.T, source string, from, to []string) {
	t.Helper()
	out, err := Source{Env: environment()}.Edit([]byte(source), map[string]any{"guard.denied_tools": to})
	if err != nil {
		t.Errorf("%v → %v: %v\n%s", from, to, err, source)
		return
	}
	c := mustParse(t, string(out))
	if fmt.Sprint(c.Guard.DeniedTools) != fmt.Sprint(to) || c.Guard.Level != "auto" {
		t.Errorf("%v → %v: got %v\n%s", from, to, c.Guard.DeniedTools, out)
	}
	if len(to) > len(from) && strings.HasPrefix(strings.Join(to, ""), strings.Join(from, "")) {
		for _, w := range from {
			if strings.Contains(source, "# "+w+"\n") && !strings.Contains(string(out), "- "+w+" # "+w+"\n") {
				t.Errorf("%v → %v: the comment of %s is lost\n%s", from, to, w, out)
			}
		}
	}
}

// Entries with an id keep their comments when others come and go.
func TestEditFollowsEntriesByTheirID(t *testing.T) {
	t.Parallel()
	entry := func(id string) string {
		return fmt.Sprintf("  # about %s\n  - id: %s # %s\n    pattern: x\n", id, id, id)
	}
	for _, from := range arrangements([]string{"a", "b", "c"}) {
		for _, to := range arrangements([]string{"a", "b", "c"}) {
			if len(from) == 0 {
				continue
			}
			source := "redaction:\n  rules:\n"
			for _, id := range from {
				source += entry(id)
			}
			rules := []any{}
			for _, id := range to {
				rules = append(rules, map[string]any{"id": id, "pattern": "x", "strategy": "mask"})
			}
			out, err := Source{Env: environment()}.Edit([]byte(source), map[string]any{"redaction.rules": rules})
			if err != nil {
				t.Errorf("%v → %v: %v", from, to, err)
				continue
			}
			var got []string
			for _, r := range mustParse(t, string(out)).Redaction.Rules {
				got = append(got, r.ID)
				if r.Strategy != "mask" {
					t.Errorf("%v → %v: %s is not changed", from, to, r.ID)
				}
			}
			if strings.Join(got, "") != strings.Join(to, "") {
				t.Errorf("%v → %v: got %v\n%s", from, to, got, out)
			}
		}
	}
}

func TestEditOfUnusualLayouts(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		source  string
		changes map[string]any
		want    string
	}{
		"a key in quotes": {
			"\"sub_agent\": { 'max_tasks' : 5 }\n", map[string]any{"sub_agent.max_tasks": 6},
			"\"sub_agent\": {'max_tasks': 6}\n",
		},
		"a name with a dot": {
			"tool_limits:\n  per_run:\n    \"a.b\": 1 # x\n", map[string]any{`tool_limits.per_run."a.b"`: 2},
			"tool_limits:\n  per_run:\n    \"a.b\": 2 # x\n",
		},
		"a quote inside quotes": {
			"system_prompt: 'it''s # no comment' # comment\n", map[string]any{"system_prompt": "that's"},
			"system_prompt: 'that''s' # comment\n",
		},
		"quoted text over lines": {
			"system_prompt: \"one\n  two \\\" three\" # c\n", map[string]any{"system_prompt": "x"},
			"system_prompt: \"x\" # c\n",
		},
		"a value below its key": {
			"system_prompt:\n  hello # c\nmax_iterations: 3\n", map[string]any{"system_prompt": "bye"},
			"system_prompt: bye # c\nmax_iterations: 3\n",
		},
		"text of several lines beside a comment": {
			"system_prompt: hello # c\n", map[string]any{"system_prompt": "a\nb"}, "system_prompt: |- # c\n  a\n  b\n",
		},
		"a literal without its last line break": {
			"system_prompt: |\n  a\n  b\n", map[string]any{"system_prompt": "a\nc"}, "system_prompt: |-\n  a\n  c\n",
		},
		"a literal inside an entry": {
			"agents:\n  - id: x\n    system_prompt: y\n", map[string]any{"agents[x].system_prompt": "a\nb\n"},
			"agents:\n  - id: x\n    system_prompt: |\n      a\n      b\n",
		},
		"a list that becomes a list of mappings": {
			"agents: [] # none\nmax_iterations: 3\n",
			map[string]any{"agents": []any{map[string]any{"id": "x",
				"permissions": []any{map[string]any{"allow": []any{"read"}, "paths": []any{"**"}}}}}},
			"agents: # none\n  - id: x\n    permissions:\n      - paths: [\"**\"]\n        allow: " +
				"[read]\nmax_iterations: 3\n",
		},
		"an entry that is replaced by number": {
			"web_search:\n  providers:\n    - type: duckduckgo # d\n",
			map[string]any{"web_search.providers[0]": map[string]any{"type": "brave", "api_key": "${K:-x}"}},
			"web_search:\n  providers:\n    - type: brave # d\n      api_key: ${K:-x}\n",
		},
		"an entry that is removed by id": {
			"agents:\n  - id: x\n  - id: y # second\n", map[string]any{"agents[x]": nil},
			"agents:\n  - id: y # second\n",
		},
		"an entry inside brackets": {
			"agents: [{id: x}, {id: y, tools: [a]}]\n", map[string]any{"agents[y].tools": []string{"a", "b"},
				"agents[x].name": "X"},
			"agents: [{id: x, name: X}, {id: y, tools: [a, b]}]\n",
		},
		"a merged key gets a value of its own": {
			"tools:\n  a: &base\n    timeout: 5s\n  b:\n    <<: *base\n    disabled: true\n",
			map[string]any{"tools.b.timeout": "9s"},
			"tools:\n  a: &base\n    timeout: 5s\n  b:\n    <<: *base\n    disabled: true\n    timeout: 9s\n",
		},
		"no line break at the end": {
			"max_iterations: 3", map[string]any{"max_iterations": 4, "tool_max_workers": 5},
			"max_iterations: 4\ntool_max_workers: 5\n",
		},
		"a byte order mark": {
			"\ufeffmax_iterations: 3\n", map[string]any{"max_iterations": 4}, "\ufeffmax_iterations: 4\n",
		},
		"a document mark": {
			"---\nmax_iterations: 3\n", map[string]any{"tool_max_workers": 5},
			"---\nmax_iterations: 3\ntool_max_workers: 5\n",
		},
		"types of this package": {
			"", map[string]any{"cache": map[string]any{"ttl": minutes(10), "enabled": false}, "http.max_body": 2 * MiB,
				"notifications.webhook": Secret("https://x/y")},
			"cache:\n  enabled: false\n  ttl: 10m\nhttp:\n  max_body: 2MiB\nnotifications:\n  webhook: https://x/y\n",
		},
		"a covered address keeps its password": {
			"weather: {base_url: \"http://u:pw@h:1\"}\n", map[string]any{"weather.base_url": "http://u:***@h:1",
				"weather.simulate_offline": false},
			"weather: {base_url: \"http://u:pw@h:1\", simulate_offline: false}\n",
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
