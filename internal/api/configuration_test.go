package api

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/config"
)

// withFile runs the server on a config.yml.
func withFile(text string) setting {
	return func(h *house, c *config.Config) {
		path := filepath.Join(h.dir, "config.yml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			h.t.Fatal(err)
		}
		live, err := config.Open(config.Source{Path: path, Env: func(string) (string, bool) { return "", false }},
			slog.New(slog.DiscardHandler))
		if err != nil {
			h.t.Fatal(err)
		}
		h.live = live
	}
}

// CF4: the configuration is shown with secrets covered, and changed without losing
// a comment or another person's change.
func TestTheConfigurationIsShownAndChanged(t *testing.T) {
	t.Parallel()
	h := newHouse(t,
		withFile("# my file\nmax_iterations: 7 # seven is enough\nmodels:\n  - id: deepseek\n    base_url: "+
			"https://api.deepseek.com/v1\n    api_key: sk-very-secret-1234\n"))
	a := h.do("GET", "/api/v1/config", nil).is(200)
	if contains(a.body, "sk-very-secret") {
		t.Fatal("the key is shown")
	}
	shown := into[Configuration](a)
	if shown.Sources["max_iterations"] != "file" || shown.Sources["sub_agent.max_tasks"] != "default" ||
		!shown.Editable || shown.Error != "" ||
		len(shown.Keys) < 50 || !contains(shown.Text, "max_iterations: 7") {
		t.Errorf("it is %s", a.body[:500])
	}
	tag := a.header.Get("ETag")
	changed := h.do("PUT", "/api/v1/config", m{"changes": m{"sub_agent.max_tasks": 4, "listen": "127.0.0.1:9999",
		"models[deepseek].api_key": "***"}}, "If-Match", tag).is(200,
		`"key":"sub_agent.max_tasks"`, `"to":"4"`, `"pending_restart":[{"key":"listen"`)
	text, err := os.ReadFile(filepath.Join(h.dir, "config.yml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# my file", "7 # seven is enough", "max_tasks: 4", "sk-very-secret-1234"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file lacks %q:\n%s", want, text)
		}
	}
	if h.live.Current().SubAgent.MaxTasks != 4 {
		t.Error("the change is not in force")
	}
	h.do("PUT", "/api/v1/config", m{"changes": m{"max_iterations": 8}}, "If-Match", tag).is(412,
		`"code":"precondition_failed"`)
	h.do("PUT", "/api/v1/config", m{"changes": m{"max_iterations": "many"}}).is(422, `"code":"invalid_config"`,
		`"location":"body.changes.max_iterations"`)
	h.do("PUT", "/api/v1/config", m{"changes": m{"no_such_key": 1}}).is(422, "no_such_key")
	h.do("PUT", "/api/v1/config", m{"changes": m{"sub_agent.max_tasks": nil}}, "If-Match",
		changed.header.Get("ETag")).is(200, `"from":"4"`)
	if now := h.do("GET", "/api/v1/config", nil).is(200,
		`"pending_restart":[{"key":"listen"`).header.Get("ETag"); now == tag {
		t.Error("the file has the ETag that it had before")
	}
}

func TestAServerWithoutAFileCannotBeConfigured(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.do("GET", "/api/v1/config", nil).is(200, `"editable":false`)
	h.do("PUT", "/api/v1/config", m{"changes": m{"max_iterations": 8}}).is(409, "without a config.yml")
}

// A7: the change of a list is shown as it will be written, secrets covered, before it
// is; what was not changed stays, variables that are not set included.
func TestAPreviewShowsTheDifferenceThatIsWritten(t *testing.T) {
	t.Parallel()
	const text = "models:\n  # ours\n  - id: a\n    base_url: https://a.example/v1\n    api_key: ${NOT_SET} # " +
		"from the safe\n" +
		"  - id: b\n    base_url: https://b.example/v1\n    api_key: 'sk-very''secret'\nsub_agent: {max_tasks: 4, " +
		"timeout: 9s}\n"
	h := newHouse(t, withFile(text))
	file := func() string {
		text, err := os.ReadFile(filepath.Join(h.dir, "config.yml"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	models := into[Configuration](h.do("GET", "/api/v1/config", nil).is(200)).Values["models"].([]any)
	h.do("PUT", "/api/v1/config", m{"changes": m{"models": models}, "preview": true}).is(200, `"diff":""`)
	models[1].(map[string]any)["name"] = "Second"
	changes := m{"models": models, "sub_agent": m{"max_tasks": 6}}
	seen := into[ConfigChanged](h.do("PUT", "/api/v1/config", m{"changes": changes, "preview": true}).is(200))
	if file() != text || len(seen.Changes) != 2 {
		t.Fatalf("the preview wrote, or says %v", seen.Changes)
	}
	for _, line := range []string{"+    name: Second\n", "-sub_agent: {max_tasks: 4, timeout: 9s}\n",
		"+sub_agent: {max_tasks: 6, timeout: 9s}\n", "api_key: '***'"} {
		if !strings.Contains(seen.Diff, line) {
			t.Errorf("the difference lacks %q:\n%s", line, seen.Diff)
		}
	}
	if strings.Contains(seen.Diff, "very") {
		t.Errorf("the difference shows a secret:\n%s", seen.Diff)
	}
	done := into[ConfigChanged](h.do("PUT", "/api/v1/config", m{"changes": changes}).is(200))
	want := strings.NewReplacer("- id: b\n", "- id: b\n    name: Second\n", "max_tasks: 4",
		"max_tasks: 6").Replace(text)
	if file() != want || done.Diff != seen.Diff {
		t.Errorf("written:\n%s\nwant:\n%s\nshown:\n%s", file(), want, seen.Diff)
	}
	h.do("PUT", "/api/v1/config", m{"changes": m{"max_iterations": 0}, "preview": true}).is(422)
}

// US8: a key that is given to PUT is in no answer and not in config.yml, neither before
// nor after it is written.
func TestAKeyIsKeptOutsideOfConfigYML(t *testing.T) {
	t.Parallel()
	h := newHouse(t, withFile("max_iterations: 7\n"))
	changes := m{"models": []any{m{"id": "mine", "base_url": "https://api.deepseek.com/v1", "api_key": "sk-pasted-1234"}}}
	for _, preview := range []bool{true, false} {
		a := h.do("PUT", "/api/v1/config", m{"changes": changes, "preview": preview}).is(200,
			`"secrets_file":"config.secrets.yml"`, "${MODELS_MINE_API_KEY}")
		_, err := os.Stat(filepath.Join(h.dir, "config.secrets.yml"))
		if contains(a.body, "pasted") || preview != (err != nil) {
			t.Errorf("preview %v: %s, %v", preview, a.body, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(h.dir, "config.yml"))
	if err != nil || strings.Contains(string(text), "pasted") {
		t.Errorf("the file is %q, %v", text, err)
	}
	if key := h.live.Current().Models[0].APIKey.Reveal(); key != "sk-pasted-1234" {
		t.Errorf("the key in force is %q", key)
	}
	if a := h.do("GET", "/api/v1/config", nil).is(200); contains(a.body, "pasted") {
		t.Error("the key is shown")
	}
	// A second model of the vendor takes the key that is there, which stays when the first one goes.
	h.do("GET", "/api/v1/models/providers", nil).is(200, `"key":"${MODELS_MINE_API_KEY}"`)
	second := m{"id": "second", "base_url": "https://api.deepseek.com/v1", "api_key": "${MODELS_MINE_API_KEY}"}
	h.do("PUT", "/api/v1/config", m{"changes": m{"models": []any{second}}}).is(200, `"secrets_file":""`)
	if key := h.live.Current().Models[0].APIKey.Reveal(); key != "sk-pasted-1234" {
		t.Errorf("the key of the second model is %q", key)
	}
}

// US8: what a change repairs in a broken file is not shown, as nobody knows what of it is a key.
func TestARepairShowsNoKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t, withFile("max_iterations: 7\n"))
	file := filepath.Join(h.dir, "config.yml")
	broken := "max_iterations: many\nmodels:\n  - id: a\n    base_url: http://a.example\n    api_key: sk-broken-1234\n"
	if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	a := h.do("PUT", "/api/v1/config", m{"changes": m{"max_iterations": 8, "models[a].api_key": "sk-new-1234"}}).is(200,
		"max_iterations: 8")
	if contains(a.body, "sk-") {
		t.Errorf("a key is shown: %s", a.body)
	}
}
