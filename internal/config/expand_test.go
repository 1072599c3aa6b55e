package config

import (
	"slices"
	"strings"
	"testing"
)

func TestVariablesAreReplaced(t *testing.T) {
	t.Parallel()
	env := environment("A", "1", "B", "two words", "EMPTY", "", "D", "$A ${A}")
	cases := map[string]struct {
		want    string
		missing []string
	}{
		"plain":                  {"plain", nil},
		"${A}":                   {"1", nil},
		"x${A}y${B}z":            {"x1ytwo wordsz", nil},
		"${EMPTY}":               {"", nil},
		"${EMPTY:-d}":            {"d", nil},
		"${NO:-d}":               {"d", nil},
		"${NO:-}":                {"", nil},
		"${NO:-a:-b}":            {"a:-b", nil},
		"${NO:-${A}}":            {"1", nil},
		"${NO:-${NO2:-${B}}}":    {"two words", nil},
		"${A:-d}":                {"1", nil},
		"${NO}":                  {"", []string{"NO"}},
		"${NO}${NO2}":            {"", []string{"NO", "NO2"}},
		"${NO:-${NO2}}":          {"", []string{"NO2"}},
		"$$":                     {"$", nil},
		"$${A}":                  {"${A}", nil},
		"$$${A}":                 {"$1", nil},
		"$A costs 5$":            {"$A costs 5$", nil},
		"^a$|b":                  {"^a$|b", nil},
		"${D}":                   {"$A ${A}", nil}, // what comes from outside is not replaced again
		"${A:-" + "x" + "} tail": {"1 tail", nil},
	}
	for text, c := range cases {
		got, err := expand(text, env)
		if err != nil || got.text != c.want || !slices.Equal(got.missing, c.missing) {
			t.Errorf("%q: got %q, missing %v, %v", text, got.text, got.missing, err)
		}
	}
	for _, text := range []string{"${", "${}", "${A", "${1A}", "${A B}", "${A-d}", "${:-x}", "a ${NO:-${} b",
		strings.Repeat("${N:-", 20) + strings.Repeat("}", 20)} {
		if got, err := expand(text, env); err == nil {
			t.Errorf("%q is read as %q", text, got.text)
		}
	}
}

func TestAVariableTakesTheTypeOfItsKey(t *testing.T) {
	t.Parallel()
	c := mustParse(t, `max_iterations: ${N}
tool_max_workers: "${N}"
cache: {enabled: "${OFF}", ttl: "${T}"}
default_model: ${M:-demo}
system_prompt: ${OFF}
tools: {x: {preset: {a: "${N}", b: 7, c: "7", d: true}}}
`, "N", "7", "OFF", "false", "T", "90")
	if c.MaxIterations != 7 || c.ToolMaxWorkers != 7 || c.Cache.Enabled || c.Cache.TTL != seconds(90) ||
		c.DefaultModel != "demo" || c.SystemPrompt != "false" {
		t.Errorf("got %+v", c)
	}
	preset := c.Tools["x"].Preset
	if preset["a"] != "7" || preset["b"] != int64(7) || preset["c"] != "7" || preset["d"] != true {
		t.Errorf("preset: %#v", preset)
	}
}

// CF1: a model whose variables are not set stays, disabled, with their names.
func TestAModelWithoutItsVariablesIsKeptAndNamed(t *testing.T) {
	t.Parallel()
	const text = `default_model: a
models:
  - {id: a, base_url: http://a, api_key: "${A_KEY}"}
  - {id: b, base_url: http://b, api_key: "Bearer ${B_KEY}", headers: {X-Org: "${ORG}"}}
  - {id: c, base_url: http://c, api_key: "${EMPTY}"}
  - {id: d, base_url: http://d, api_key: "${D_KEY:-local}"}
  - {id: e, base_url: http://e}
`
	c, warnings, err := Parse([]byte(text), "config.yml", environment("EMPTY", ""))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "A_KEY", "b": "B_KEY, ORG", "c": "EMPTY", "d": "", "e": "", "demo": ""}
	for _, m := range c.Models {
		if m.MissingEnv != want[m.ID] {
			t.Errorf("%s: missing %q, want %q", m.ID, m.MissingEnv, want[m.ID])
		}
		if m.MissingEnv != "" && m.APIKey != "" {
			t.Errorf("%s: half a key is kept", m.ID)
		}
	}
	if len(warnings) != 3 || !strings.Contains(warnings[0].Message, "A_KEY is not set") || warnings[0].Line != 3 {
		t.Errorf("warnings:\n%s", warnings)
	}
	_, _, err = Parse([]byte("models: [{id: a, base_url: \"${URL}\"}]\n"), "config.yml", environment())
	wantProblem(t, err, "models[0].base_url", "URL, which is not set")
}
