package config

import (
	"strings"
	"testing"
)

// Issue 10: a part of a section leaves its siblings alone; null removes a key.
func TestAPartOfASectionKeepsItsSiblings(t *testing.T) {
	t.Parallel()
	const source = "sub_agent:\n  max_tasks: 5 # five\n  timeout: 60s\nmodels:\n  - id: a\n    base_url: " +
		"https://a.example/v1\n    price: {input: 1, output: 2}\n"
	for name, c := range map[string]struct {
		changes map[string]any
		want    string
	}{
		"a section": {map[string]any{"sub_agent": map[string]any{"max_tasks": 6.0}}, strings.Replace(source,
			"max_tasks: 5", "max_tasks: 6", 1)},
		"null": {map[string]any{"sub_agent": map[string]any{"max_tasks": nil}}, strings.Replace(source,
			"  max_tasks: 5 # five\n", "", 1)},
		"a section in a list": {map[string]any{"models[a].price": map[string]any{"output": 3.0}},
			strings.Replace(source, "output: 2", "output: 3", 1)},
	} {
		got, err := Source{Env: environment()}.Edit([]byte(source), c.changes)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
}

// A7: what was read and is sent back as it was changes nothing, and what is changed
// changes its own line alone: no variable that is not set, comment or default moves.
func TestAListThatIsSentBackAsShownChangesNothing(t *testing.T) {
	t.Parallel()
	const source = `models:
  # ours
  - id: a
    base_url: https://a.example/v1
    api_key: ${NOT_SET} # from the safe
  - id: ${SECOND_ID:-b}
    base_url: ${SECOND_URL:-https://b.example/v1}
    api_key: sk-very-secret
mcp_servers:
  files:
    command: run-files
    env: {TOKEN: "${ALSO_NOT_SET:-}", MODE: "${MODE:-fast}"} # two
guard:
  denied_tools: ["${DENIED:-shell_execute}"]
`
	shown := func() map[string]any {
		c, _, err := Source{Env: environment()}.Parse([]byte(source), "config.yml")
		if err != nil {
			t.Fatal(err)
		}
		tree, err := c.Tree()
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	edit := func(changes map[string]any, want string) {
		t.Helper()
		got, err := Source{Env: environment()}.Edit([]byte(source), changes)
		if err != nil || string(got) != want {
			t.Errorf("%v\n%s\nwant\n%s", err, got, want)
		}
	}
	tree := shown()
	if len(tree["models"].([]any)) != 3 {
		t.Fatalf("the demo model is not shown: %v", tree["models"])
	}
	guard := tree["guard"].(map[string]any)
	edit(map[string]any{"models": tree["models"], "mcp_servers": tree["mcp_servers"],
		"guard.denied_tools": guard["denied_tools"]}, source)

	tree["models"].([]any)[0].(map[string]any)["name"] = "Ours"
	edit(map[string]any{"models": tree["models"]}, strings.Replace(source, "  - id: a\n", "  - id: a\n    name: Ours\n",
		1))

	tree = shown()
	tree["models"].([]any)[1].(map[string]any)["base_url"] = "https://c.example/v1"
	edit(map[string]any{"models": tree["models"]}, strings.Replace(source, "${SECOND_URL:-https://b.example/v1}",
		"https://c.example/v1", 1))

	tree = shown()
	edit(map[string]any{"models": tree["models"].([]any)[1:]}, "models:\n"+source[strings.Index(source,
		"  - id: ${SECOND"):])

	tree = shown()
	tree["mcp_servers"].(map[string]any)["files"].(map[string]any)["command"] = "other"
	edit(map[string]any{"mcp_servers": tree["mcp_servers"]}, strings.Replace(source, "run-files", "other", 1))
}

// Two redacted texts of a list look the same and are not: each stays what it is.
func TestRedactedTextsOfAListKeepTheirPlaces(t *testing.T) {
	t.Parallel()
	const source = "mcp_servers:\n  m:\n    command: x\n    args: [\"${A_TOKEN}\", \"${B_TOKEN}\"]\n"
	env := environment("A_TOKEN", "first-secret", "B_TOKEN", "second-secret")
	change := map[string]any{"mcp_servers.m.args": []any{"***", "***", "-v"}}
	got, err := Source{Env: env}.Edit([]byte(source), change)
	if want := strings.Replace(source, "}\"]", "}\", -v]", 1); err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
}

// A36, WS2: a file that says what holds anyway loads, and a section of another shape does not.
func TestAFileThatSaysWhatHoldsAnywayLoads(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"auth_mode: single\nworkspace: {mode: local, isolation_scope: user, shared_prefixes: []}\n" +
			"telemetry: {otlp_endpoint: ''}\n",
		"nats: {url: ''}\nagents: [{id: x, workspace: local}]\n",
		"nats:\n", "nats: {}\n", "workspace: {mode: }\n",
	} {
		if _, _, err := Parse([]byte(text), "config.yml", nil); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"nats: [1]\n", "nats: {x: 1}\n", "workspace: [1]\n", "agents: {x: 1}\n",
		"agents: [1]\n"} {
		if _, _, err := Parse([]byte(text), "config.yml", nil); err == nil {
			t.Errorf("%q loads", text)
		}
	}
}

// Point 18: nothing is advised that is refused afterwards.
func TestTheAdviceAboutDatabasesIsWhatWorks(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"db_type: mysql\n", "db_type: oracle\n", "database: {url: 'mysql://h/x'}\n"} {
		_, _, err := Parse([]byte(text), "config.yml", environment())
		if err == nil || strings.Contains(err.Error(), "ostgres") && strings.Contains(err.Error(), "use ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
