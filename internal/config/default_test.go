package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// CF1: config.yml of the repository is the defaults, key by key.
func TestTheFileOfTheRepositoryIsTheDefaults(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "config.yml")
	c, warnings, err := Source{Path: path, Env: environment()}.Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(warnings) > 0 {
		t.Errorf("warnings: %v", warnings)
	}
	for _, change := range Diff(Default(), c) {
		t.Errorf("default and file differ: %s", change)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Keys() {
		if strings.ContainsAny(k.Path, "[<") {
			continue
		}
		if c.Origin(k.Path) != FromFile {
			t.Errorf("%s does not stand in config.yml", k.Path)
		}
		if k.Doc == "" || !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s has no documentation that ends in a full stop", k.Path)
		}
	}
	if !strings.Contains(string(text), "\ndefault_model: demo\n") {
		t.Error("the file does not name the default model")
	}
}

func TestTheDefaultsAreValid(t *testing.T) {
	t.Parallel()
	if problems := check(Default()); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
}

func TestEveryNumberHasALowestValue(t *testing.T) {
	t.Parallel()
	var walk func(typ reflect.Type, path string)
	walk = func(typ reflect.Type, path string) {
		for _, f := range fieldsOf(typ).list {
			elem := f.typ
			for elem.Kind() == reflect.Slice || elem.Kind() == reflect.Map || elem.Kind() == reflect.Pointer {
				elem = elem.Elem()
			}
			switch elem.Kind() {
			case reflect.Struct:
				walk(elem, path+f.name+".")
			case reflect.Int, reflect.Int64, reflect.Float64:
				if f.rules.min == nil {
					t.Errorf("%s%s has no min in its check tag", path, f.name)
				}
			}
		}
	}
	walk(configType, "")
}

// What a first configuration usually looks like.
func TestATypicalFileLoads(t *testing.T) {
	t.Parallel()
	c := mustParse(t, `listen: 127.0.0.1:8787
cache: { enabled: true, ttl: 5m }
sub_agent: { max_iterations: 3, max_concurrency: 3, max_tasks: 5, timeout: 60s }
code_execution: { default_strictness: standard, loosest_strictness: standard, extra_allowed_modules: { standard: [numpy] } }
default_model: demo
models:
  - id: deepseek-chat
    name: DeepSeek V3
    provider: openai
    base_url: https://api.deepseek.com/v1
    api_key: ${DEEPSEEK_API_KEY}
    model: deepseek-chat
    context_window: 128000
    supports: [tools, thinking, images]
database: { url: "" }
nats: { url: "" }
shell: { policy: sandbox, mode: denylist, allow: [], deny: [], timeout: 60s, startup_commands: [], shutdown_commands: [] }
guard: { level: auto }
fetch: {allow_private: false, allowed_hosts: [localhost, "127.0.0.1:9000", "[::1]:80", "*.example.com"], max_bytes: 10MiB, timeout: 30}
web_search: {providers: [{type: searxng, base_url: "http://127.0.0.1:8888"}]}
`)
	if len(c.Models) != 2 || c.Models[0].MissingEnv != "DEEPSEEK_API_KEY" || c.Fetch.Timeout != seconds(30) {
		t.Errorf("got %+v", c)
	}
}

func TestAnInsecureAddressIsAllowedWithAWarning(t *testing.T) {
	t.Parallel()
	c, warnings, err := Parse([]byte("listen: 0.0.0.0:80\nallow_insecure_listen: true\n"), "config.yml", nil)
	if err != nil || c.Listen != "0.0.0.0:80" || !mentions(warnings, "listen") {
		t.Errorf("got %v, %v", err, warnings)
	}
	for _, loopback := range []string{"localhost:1", "127.9.9.9:1", "[::1]:1", "127.0.0.1:0"} {
		if _, warnings, err := Parse([]byte("listen: '"+loopback+"'\n"), "config.yml", nil); err != nil ||
			len(warnings) > 0 {
			t.Errorf("%s: %v, %v", loopback, err, warnings)
		}
	}
}

func TestAnEmptyShellModeDependsOnTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{{"", "production", "allowlist"}, {"", "development", "denylist"},
		{"denylist", "production", "denylist"}} {
		if got := (Shell{Mode: c[0]}).EffectiveMode(c[1]); got != c[2] {
			t.Errorf("%q in %s: %s", c[0], c[1], got)
		}
	}
}

func TestEveryExampleLoads(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, k := range Keys() {
		known[k.Path] = true
	}
	env := environment("DEEPSEEK_API_KEY", "a", "ANTHROPIC_API_KEY", "b", "BRAVE_API_KEY", "c", "TRACKER_TOKEN", "d",
		"SALES_PASSWORD", "e")
	for path, example := range examples {
		if !known[path] {
			t.Errorf("the example %s belongs to no key", path)
		}
		text := example
		if parent, _, nested := strings.Cut(path, "."); nested {
			text = parent + ":\n  " + strings.ReplaceAll(example, "\n", "\n  ")
		}
		c, _, err := Parse([]byte(text), path, env)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if len(Diff(Default(), c)) == 0 {
			t.Errorf("%s: the example changes nothing", path)
		}
	}
}

func BenchmarkLoadTheDefaultFile(b *testing.B) {
	source := Source{Path: filepath.Join("..", "..", "config.yml"), Env: environment()}
	for b.Loop() {
		if _, _, err := source.Load(); err != nil {
			b.Fatal(err)
		}
	}
}
