package config

import (
	"slices"
	"strings"
	"testing"
)

const secretive = `default_model: a
models:
  - id: a
    base_url: https://user:s3cret-in-url@a.example/v1
    api_key: ${A_KEY}
    headers: {Authorization: s3cret-header}
notifications: {webhook: "https://hooks.example/s3cret-hook"}
shell: {env: {API_TOKEN: s3cret-env, LANG: C}}
tools: {search: {preset: {api_key: s3cret-preset, limit: 3}}}
mcp_servers: {m: {command: x, env: {K: s3cret-mcp}}}
databases: {d: {url: "postgres://u:s3cret%2Ddb@h/n"}}
system_prompt: uses ${MY_PASSWORD}
`

func TestPrintCoversSecretsAndNamesOrigins(t *testing.T) {
	t.Parallel()
	c := mustParse(t, secretive, "A_KEY", "s3cret-key", "MY_PASSWORD", "s3cret-pass", "NANOCLAW_LISTEN", "127.0.0.1:9")
	var b strings.Builder
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	out := b.String()
	if strings.Contains(out, "s3cret") {
		t.Errorf("a secret is shown:\n%s", out)
	}
	for _, line := range []string{
		"listen: 127.0.0.1:9 # environment\n",
		"max_iterations: 15 # default\n",
		"default_model: a # file\n",
		"    api_key: \"***\" # file\n",
		"    base_url: https://user:***@a.example/v1 # file\n",
		"    LANG: C # file\n",
		"    preset: {api_key: \"***\", limit: 3} # file\n",
		"  - id: demo # default\n",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("missing: %q in\n%s", line, out)
		}
	}
}

func TestWhatIsPrintedIsReadAgain(t *testing.T) {
	t.Parallel()
	c := mustParse(t, `system_prompt: "a: b # c\n\"d\" $${ # environment\n} $$ é \u0001 \U0001F600 '"
agents: [{id: x, tools: ["a*", "- b"], permissions: [{deny: [delete]}], presets: {t: {n: ~, l: [1, 2.5, "3", true]}}}]
tools: {t: {timeout: 5, preset: {when: "2026-01-01", text: "no"}}}
models: [{id: m, base_url: http://x, supports: [], temperature: 0, price: {input: 0.25}}]
default_model: m
tool_limits: {per_run: {"*": 5}}
guard: {rules: [{id: r, pattern: '^\s*"x": \d+$'}]}
`)
	var b strings.Builder
	if err := c.Print(&b); err != nil {
		t.Fatal(err)
	}
	again, _, err := Parse([]byte(b.String()), "printed.yml", nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	for _, change := range Diff(c, again) {
		t.Errorf("%s", change)
	}
}

func TestSecretsListsEachOnce(t *testing.T) {
	t.Parallel()
	c := mustParse(t, secretive, "A_KEY", "s3cret-key", "MY_PASSWORD", "s3cret-pass")
	got := c.Secrets()
	for _, want := range []string{"s3cret-key", "s3cret-header", "s3cret-in-url", "https://hooks.example/s3cret-hook",
		"s3cret-env", "s3cret-preset", "s3cret-mcp", "s3cret-db", "uses s3cret-pass"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	for _, other := range []string{"C", "a", "***", ""} {
		if slices.Contains(got, other) {
			t.Errorf("%q is no secret", other)
		}
	}
}

func TestDiffNamesKeysAndCoversSecrets(t *testing.T) {
	t.Parallel()
	a := mustParse(t, `models:
  - {id: a, base_url: http://a, api_key: one}
  - {id: b, base_url: http://b}
  - {id: c, base_url: http://c}
web_search: {providers: [{type: brave, api_key: x}]}
shell: {env: {MY_TOKEN: x, LANG: C}}
`)
	b := mustParse(t, `models:
  - {id: c, base_url: http://c}
  - {id: a, base_url: http://a, api_key: two, temperature: 0.5}
  - {id: d, base_url: http://d, api_key: three}
web_search: {providers: [{type: brave, api_key: y}, {type: duckduckgo}]}
sub_agent: {max_tasks: 8}
shell: {env: {MY_TOKEN: y}}
cache: {ttl: 10}
`)
	var got []string
	for _, c := range Diff(a, b) {
		got = append(got, c.String())
	}
	want := []string{
		"cache.ttl: 5m → 10s",
		"sub_agent.max_tasks: 5 → 8",
		`models[a].api_key: "***" → "***"`,
		"models[a].temperature: null → 0.5",
		`models[b]: {id: b, name: b, provider: openai, base_url: "http://b", model: b, context_window: 128000, supports: [tools]} → (absent)`,
		`models[d]: (absent) → {id: d, name: d, provider: openai, base_url: "http://d", api_key: "***", model: d, context_window: 128000, supports: [tools]}`,
		"models: [a, b, c, demo] → [c, a, d, demo]",
		"shell.env.LANG: C → (absent)",
		`shell.env.MY_TOKEN: "***" → "***"`,
		`web_search.providers[0].api_key: "***" → "***"`,
		"web_search.providers[1]: (absent) → {type: duckduckgo}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if changes := Diff(a, a); len(changes) > 0 {
		t.Errorf("differs from itself: %v", changes)
	}
}

func TestKeysDescribeThemselves(t *testing.T) {
	t.Parallel()
	found := map[string]Key{}
	for _, k := range Keys() {
		found[k.Path] = k
	}
	if k := found["sub_agent.max_tasks"]; k.Default != "5" || k.Range != "1 to 100" || k.Restart ||
		k.Type != "integer" ||
		*k.Minimum != 1 || *k.Maximum != 100 || k.Unit != "" {
		t.Errorf("%+v", k)
	}
	if k := found["listen"]; !k.Restart || k.Type != "text" || k.Minimum != nil {
		t.Errorf("%+v", k)
	}
	if k := found["models[].provider"]; k.Default != "openai" || len(k.Enum) != 3 {
		t.Errorf("%+v", k)
	}
	if k := found["mcp_servers.<name>.timeout"]; k.Default != "60s" || k.Type != "duration" || k.Unit != "s" ||
		*k.Minimum != 1 {
		t.Errorf("%+v", k)
	}
	if k := found["models[].headers"]; k.Type != "map" || k.Items != "text" || !k.Secret {
		t.Errorf("%+v", k)
	}
	if k := found["code_execution.timeouts"]; len(k.Names) != 3 || k.Items != "duration" || *k.Maximum != 3600 {
		t.Errorf("%+v", k)
	}
	if k := found["http.max_body"]; k.Type != "size" || k.Unit != "B" || *k.Maximum != float64(GiB) {
		t.Errorf("%+v", k)
	}
}
