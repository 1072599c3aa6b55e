package discover

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/config"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, pair := range pairs {
			if key, value, _ := strings.Cut(pair, "="); key == name {
				return value
			}
		}
		return ""
	}
}

func TestEveryKeyGivesUsableModels(t *testing.T) {
	t.Parallel()
	for _, p := range providers {
		for _, key := range p.keys {
			models := Environment(env(key + "= sk-secret-value "))
			if len(models) == 0 || len(models) > 2 {
				t.Errorf("%s: %d models", key, len(models))
			}
			for _, m := range models {
				if m.ID == "" || m.Model == "" || m.Name == "" || m.ContextWindow < 100_000 ||
					!slices.Contains(m.Supports, "tools") {
					t.Errorf("%s: incomplete: %+v", key, m)
				}
				if m.APIKey.Reveal() != "sk-secret-value" || strings.Contains(fmt.Sprintf("%+v %#v", m, m),
					"sk-secret") {
					t.Errorf("%s: the key is %q, and must not be printed: %+v", key, m.APIKey.Reveal(), m)
				}
				if !strings.HasPrefix(m.BaseURL, "https://") || (m.Provider != "openai" && m.Provider != "anthropic") {
					t.Errorf("%s: %+v", key, m)
				}
			}
		}
	}
}

func TestAllKeysTogetherGiveNoIDTwice(t *testing.T) {
	t.Parallel()
	models := Environment(func(name string) string {
		if strings.HasSuffix(name, "_API_KEY") {
			return "k"
		}
		return ""
	})
	seen := map[string]bool{}
	for _, m := range models {
		if seen[m.ID] {
			t.Errorf("%s twice", m.ID)
		}
		seen[m.ID] = true
	}
	if len(models) < len(providers) {
		t.Errorf("%d models of %d providers", len(models), len(providers))
	}
}

func TestNoKeyNoModels(t *testing.T) {
	t.Parallel()
	if models := Environment(env("OPENAI_API_KEY= ", "OPENAI_BASE_URL=http://localhost:8000/v1",
		"HOME=/root")); len(models) != 0 {
		t.Errorf("%+v", models)
	}
}

func TestBaseURLAndModelOfTheEnvironmentAreHonoured(t *testing.T) {
	t.Parallel()
	tests := []struct {
		env  []string
		want []string // id, wire name and address
	}{
		{[]string{"OPENAI_API_KEY=k", "OPENAI_BASE_URL=http://localhost:8000/v1", "OPENAI_MODEL=my-model, gpt-5.5"},
			[]string{"my-model my-model http://localhost:8000/v1", "gpt-5.5 gpt-5.5 http://localhost:8000/v1"}},
		{[]string{"OPENAI_API_KEY=k", "OPENAI_API_BASE=http://old/v1", "OPENAI_MODEL=m"},
			[]string{"m m http://old/v1"}},
		{[]string{"GROQ_API_KEY=k"}, []string{"groq-gpt-oss-120b openai/gpt-oss-120b https://api.groq.com/openai/v1"}},
		{[]string{"MOONSHOT_API_KEY=k", "MOONSHOT_BASE_URL=https://api.moonshot.ai/v1"},
			[]string{"kimi-k2.6 kimi-k2.6 https://api.moonshot.ai/v1"}},
		{[]string{"ANTHROPIC_API_KEY=k", "ANTHROPIC_MODEL=claude-opus-5-5"},
			[]string{"claude-opus-5-5 claude-opus-5-5 https://api.anthropic.com"}},
	}
	for _, test := range tests {
		var got []string
		for _, m := range Environment(env(test.env...)) {
			got = append(got, m.ID+" "+m.Model+" "+m.BaseURL)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%v\ngot  %v\nwant %v", test.env, got, test.want)
		}
	}
}

func TestWhatIsReturnedBelongsToTheCaller(t *testing.T) {
	t.Parallel()
	first := Environment(env("OPENAI_API_KEY=k"))
	first[0].Supports[0] = "nothing"
	first[0] = config.Model{}
	if again := Environment(env("OPENAI_API_KEY=k")); again[0].ID == "" || again[0].Supports[0] != "tools" {
		t.Errorf("%+v", again[0])
	}
}
