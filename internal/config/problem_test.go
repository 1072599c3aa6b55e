package config

import (
	"errors"
	"strings"
	"testing"
)

// wantProblem fails unless err is Problems with this key and a part of its message.
func wantProblem(t *testing.T, err error, key, message string) {
	t.Helper()
	var problems Problems
	if !errors.As(err, &problems) {
		t.Fatalf("got %v, want Problems", err)
	}
	for _, p := range problems {
		if p.Key == key && strings.Contains(p.Message, message) {
			return
		}
	}
	t.Errorf("got:\n%v\nwant %s: …%s…", err, key, message)
}

// CF1: everything that is wrong is said at once, each with file, line, column, key
// and what to do.
func TestAllProblemsAreReportedAtOnce(t *testing.T) {
	t.Parallel()
	const text = `max_tasks: 1
sub_agent: {max_taks: 3, timeout: 0, max_concurrency: 900}
tool_max_workers: "4"
listen: 0.0.0.0:80
models:
  - id: a
    base_url: ftp://x
  - id: a
    provider: opnai
cache:
  ttl: 5 parsecs
cache:
  ttl: 1
http: {max_body: 10MeB}
agents: [{id: a b, model: zz, tools: ["[a"]}]
`
	_, _, err := Parse([]byte(text), "my.yml", environment())
	want := []string{
		"my.yml:1:1: max_tasks: is not a key that exists here: did you mean sub_agent.max_tasks?",
		"my.yml:2:13: sub_agent.max_taks: is not a key that exists: did you mean max_tasks?",
		"my.yml:2:26: sub_agent.timeout: 0s is out of range: give 1s to 24h",
		"my.yml:2:38: sub_agent.max_concurrency: 900 is out of range: give 1 to 64",
		"my.yml:3:1: tool_max_workers: has to be a whole number, without quotes or unit",
		"my.yml:4:1: listen: is an address that other machines reach, and with auth_mode single there are no " +
			"accounts: listen on 127.0.0.1, set auth_mode: multi, or set allow_insecure_listen: true if everybody who reaches the port may run tools as you",
		"my.yml:7:5: models[0].base_url: is not a web address: write http:// or https:// and a host",
		"my.yml:8:5: models[1].id: is used twice: every id is given once",
		`my.yml:9:5: models[1].provider: "opnai" is not possible: use openai, anthropic or demo`,
		"my.yml:11:3: cache.ttl: is not a time: write seconds as a number, or a unit with it, such as 30s, " +
			"5m, 1h30m or 7d",
		"my.yml:12:1: cache: is already given in line 10: keep one of them",
		"my.yml:14:8: http.max_body: is not a size: write bytes as a number, or a unit with it, such as " +
			"50KiB, 10MiB or 1GB",
		`my.yml:15:11: agents[0].id: "a b" is not a usable name: letters, digits, dots, dashes and underscores, at most 64`,
		"my.yml:15:20: agents[0].model: is not the id of one of models: use a or demo",
		`my.yml:15:39: agents[0].tools[0]: "[a" is not a valid glob: look for a [ or { that is not closed`,
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got:\n%v\nwant:\n%s", err, strings.Join(want, "\n"))
	}
}

func TestEachRuleNamesItsKey(t *testing.T) {
	t.Parallel()
	cases := []struct{ text, key, message string }{
		{"[1, 2]", "", "has to be a mapping"},
		{"a: 1\n---\nb: 2\n", "", "second document"},
		{"a: [\n", "", "is not YAML"},
		{"\x00", "", "NUL"},
		{"a: \xff\n", "", "UTF-8"},
		{"guard: { level: ${LEVEL} }\n", "", `put "${NAME}" in quotes`},
		{"guard: { level: \"${LEVEL}\" }\n", "guard.level", "needs the environment variable LEVEL"},
		{"guard: { level: \"${\" }\n", "guard.level", "${NAME:-default}"},
		{"tool_max_workers: 65\n", "tool_max_workers", "1 to 64"},
		{"tool_max_workers: 0\n", "tool_max_workers", "1 to 64"},
		{"tool_max_workers: 1.5\n", "tool_max_workers", "whole number"},
		{"max_iterations: [1]\n", "max_iterations", "whole number, not a list"},
		{"sub_agent: 5\n", "sub_agent", "has to be a mapping"},
		{"sub_agent: {max_tasks: 101}\n", "sub_agent.max_tasks", "1 to 100"},
		{"sub_agent: {max_iterations: 0}\n", "sub_agent.max_iterations", "1 to 100"},
		{"cache: {enabled: yes}\n", "cache.enabled", "true or false"},
		{"log_level: true\n", "log_level", "quotes"},
		{"log_level: loud\n", "log_level", "debug, info, warn or error"},
		{"project_roots: /srv\n", "project_roots", "has to be a list"},
		{"project_roots: [~]\n", "project_roots[0]", "is empty"},
		{"allowed_hosts: ['http://x']\n", "allowed_hosts[0]", "not a host"},
		{"listen: 8787\n", "listen", "host:port"},
		{"listen: ':8787'\n", "listen", "allow_insecure_listen"},
		{"listen: '[::]:8787'\n", "listen", "allow_insecure_listen"},
		{"listen: 'example.com:8787'\n", "listen", "allow_insecure_listen"},
		{"listen: '127.0.0.1:99999'\n", "listen", "host:port"},
		{"data_dir: ''\n", "data_dir", "must not be empty"},
		{"default_model: gpt\n", "default_model", "use demo"},
		{"models: [{name: x, base_url: 'http://x'}]\n", "models[0].id", "must not be empty"},
		{"models: [{id: x}]\n", "models[0].base_url", "is missing"},
		{"models: [{id: x, base_url: 'http://x', supports: [vision]}]\n", "models[0].supports[0]",
			"tools, thinking or images"},
		{"models: [{id: x, base_url: 'http://x', temperature: 3}]\n", "models[0].temperature", "0 to 2"},
		{"models: [{id: x, base_url: 'http://x', headers: {'a b': c}}]\n", `models[0].headers."a b"`, "HTTP header"},
		{"models: [{id: x, base_url: 'http://x', price: {input: -1}}]\n", "models[0].price.input", "0 or more"},
		{"agents: [{id: x}, {id: x}]\n", "agents[1].id", "twice"},
		{"agents: [{id: x, permissions: [{paths: [a]}]}]\n", "agents[0].permissions[0]", "allow or deny"},
		{"agents: [{id: x, permissions: [{allow: [read], deny: [read]}]}]\n", "agents[0].permissions[0]", "both"},
		{"agents: [{id: x, permissions: [{paths: ['{a'], allow: [read]}]}]\n", "agents[0].permissions[0].paths[0]",
			"glob"},
		{"workspace: {max_total_size: 1KiB}\n", "workspace.max_total_size", "smaller"},
		{"environment: production\nshell: {policy: host}\n", "shell.policy", "production refuses"},
		{"environment: test\nshell: {policy: host}\n", "shell.policy", "test refuses"},
		{"environment: test\ncode_execution: {allow_host: true}\n", "code_execution.allow_host", "test refuses"},
		{"shell: {timeout: 1h}\n", "shell.timeout", "max_timeout"},
		{"shell: {env: {'A-B': x}}\n", "shell.env.A-B", "environment variable"},
		{"code_execution: {timeouts: {loose: 5}}\n", "code_execution.timeouts.loose", "lenient, standard or strict"},
		{"code_execution: {timeouts: {strict: 0}}\n", "code_execution.timeouts.strict", "1s to 1h"},
		{"tool_limits: {per_run: {a: -1}}\n", "tool_limits.per_run.a", "0 to"},
		{"guard: {rules: [{id: a}]}\n", "guard.rules[0]", "either pattern or command"},
		{"guard: {rules: [{id: a, pattern: '('}]}\n", "guard.rules[0].pattern", "regular expression"},
		{"redaction: {rules: [{id: a, pattern: x}, {id: a, pattern: x}]}\n", "redaction.rules[1].id", "twice"},
		{"web_search: {providers: [{type: brave}]}\n", "web_search.providers[0].api_key", "is missing"},
		{"web_search: {providers: [{type: searxng}]}\n", "web_search.providers[0].base_url", "is missing"},
		{"mcp_servers: {a: {}}\n", "mcp_servers.a", "either command or url"},
		{"nats: {url: 'http://a'}\n", "nats.url", "nats://host:4222"},
		{"nats: {url: 'nats://a:4222,b'}\n", "nats.url", "nats://host:4222"},
		{"nats: {url: 'nats://a:70000'}\n", "nats.url", "nats://host:4222"},
		{"nats: {url: 'nats://u:p@a'}\n", "nats.url", "beside url"},
		{"nats: {url: 'nats://a', user: u, token: t}\n", "nats", "more than one way"},
		{"nats: {url: 'nats://a', password: p}\n", "nats.password", "no user"},
		{"nats: {url: 'nats://a', prefix: 'a.b'}\n", "nats.prefix", "letters, digits"},
		{"nats: {url: 'nats://a', replicas: 6}\n", "nats.replicas", "0 to 5"},
		{"nats: {url: 'nats://a', tls: {cert: c}}\n", "nats.tls", "both cert and key"},
		{"nats: {token: t}\n", "nats.url", "is missing"},
		{"mcp_servers: {a: {command: x, effects: {t: bad}}}\n", "mcp_servers.a.effects.t",
			"pure, reads, external, volatile or writes"},
		{"mcp_servers: {'a b': {command: x}}\n", `mcp_servers."a b"`, "usable name"},
		{"databases: {a: {url: 'oracle://x'}}\n", "databases.a.url", "sqlite://"},
		{"database: {url: 'mysql://h/x'}\n", "database.url", "postgres://"},
		{"external_agents: {a: {}}\n", "external_agents.a.command", "must not be empty"},
		{"notifications: {events: [x]}\n", "notifications.events[0]", "run.finished"},
		{"tools: {x: {timeout: 500ms}}\n", "tools.x.timeout", "1s to 24h, or 0"},
		{"max_iterations: *x\n", "", "anchor"},
		{"max_iterations: !!thing 5\n", "max_iterations", "tag"},
		{"something_else: 5\n", "something_else", "docs/configuration.md"},
		{"cache: {lifetime: 5}\n", "cache.lifetime", "cache has enabled, ttl"},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			_, _, err := Parse([]byte(c.text), "config.yml", environment())
			wantProblem(t, err, c.key, c.message)
		})
	}
}

// CF1: whatever is wrong, and wherever a secret stands, no message holds it.
func TestNoProblemQuotesASecret(t *testing.T) {
	t.Parallel()
	const secret = "sk-VERYSECRET"
	texts := []string{
		"models:\n  - id: a\n    api_key: sk-VERYSECRET\n    base_url: [\n",
		"models:\n  - id: a\n    api_key:sk-VERYSECRET\n    base_url: x\n",
		"models:\n  - id: a\n    api_key: 'sk-VERYSECRET\n",
		"models: [{id: a, api_key: [sk-VERYSECRET]}]\n",
		"models: [{id: a, api_key: {x: sk-VERYSECRET}}]\n",
		"models: [{id: a, base_url: 'https://u:sk-VERYSECRET@x y'}]\n",
		"models: [{id: a, base_url: 'http://x', headers: {X: \"sk-VERYSECRET\\n\"}}]\n",
		"database: {url: 'mysql://u:sk-VERYSECRET@x'}\n",
		"database: {url: 'postgres://u:sk-VERYSECRET@[x'}\n",
		"nats: {url: 'sk-VERYSECRET'}\n",
		"notifications: {webhook: 'sk-VERYSECRET'}\n",
		"notifications: {webhook: \"${KEY}\"}\n",
		"log_level: ${KEY}\n",
		"listen: ${KEY}\n",
		"guard: {rules: [{id: a, pattern: \"${KEY}(\"}]}\n",
		"agents: [{id: \"${KEY} x\"}]\n",
		"max_iterations: sk-VERYSECRET\n",
		"sub_agent: sk-VERYSECRET\n",
		"shell: {timeout: sk-VERYSECRET}\n",
		"http: {max_body: sk-VERYSECRET}\n",
		"telemetry: {otlp_endpoint: 'grpc://u:sk-VERYSECRET@x'}\n",
		"fetch: {allowed_hosts: ['u:sk-VERYSECRET@x']}\n",
		"jwt_secret: [sk-VERYSECRET]\n",
		"jwt_secret: !x sk-VERYSECRET\n",
		"db_type: mysql\ndb_password: sk-VERYSECRET\n",
		"db_type: postgres\ndb_password: sk-VERYSECRET\n",
		"db_type: postgres\ndb_port: sk-VERYSECRET\n",
	}
	for _, text := range texts {
		_, _, err := Parse([]byte(text), "config.yml", environment("KEY", secret))
		if err == nil {
			t.Errorf("%q is accepted", text)
			continue
		}
		if strings.Contains(err.Error(), "VERYSECRET") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAProblemOfAnOverrideNamesIt(t *testing.T) {
	t.Parallel()
	_, _, err := Parse([]byte("listen: 127.0.0.1:1\n"), "config.yml", environment("NANOCLAW_LISTEN", "0.0.0.0:80"))
	if err == nil || !strings.HasPrefix(err.Error(), "NANOCLAW_LISTEN: listen: ") {
		t.Errorf("got %v", err)
	}
	_, _, err = Source{Env: environment(), Flags: Overrides{LogLevel: "loud"}}.Parse(nil, "config.yml")
	if err == nil || !strings.HasPrefix(err.Error(), "--log-level: log_level: ") {
		t.Errorf("got %v", err)
	}
}

func TestAnAliasBombIsRefused(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("tools: {x: {preset: {a: &a0 [1,1,1,1,1,1,1,1,1,1]")
	for i := 1; i < 9; i++ {
		prev := "*a" + string(rune('0'+i-1))
		b.WriteString(", b" + string(rune('0'+i)) + ": &a" + string(rune('0'+i)) + " [" + strings.Repeat(prev+" ,",
			9) + prev + " ]")
	}
	b.WriteString("}}}\n")
	_, _, err := Parse([]byte(b.String()), "config.yml", nil)
	var problems Problems
	if !errors.As(err, &problems) || !strings.Contains(err.Error(), "aliases") {
		t.Errorf("got %v", err)
	}
	if _, err := (Source{Env: environment()}).Edit([]byte(b.String()),
		map[string]any{"max_iterations": 3}); err == nil {
		t.Error("edit: no error")
	}
}

// The parser is recursive and slow on odd texts: they are refused before it sees them.
func TestATextThatWouldExhaustTheParserIsRefused(t *testing.T) {
	t.Parallel()
	for piece, message := range map[string]string{
		"[":     "nested deeper",
		"{a: ":  "nested deeper",
		"- ":    "nested deeper",
		"? ":    "nested deeper",
		"x:\n":  "more than 20000 keys",
		"#\n##": "larger than 256 KiB",
	} {
		n := 50_000
		if piece == "#\n##" {
			n = 100_000
		}
		_, _, err := Parse([]byte(strings.Repeat(piece, n)), "config.yml", nil)
		wantProblem(t, err, "", message)
	}
	var b strings.Builder
	for i := range 100 {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	_, _, err := Parse([]byte(b.String()), "config.yml", nil)
	wantProblem(t, err, "", "nested deeper")
}
