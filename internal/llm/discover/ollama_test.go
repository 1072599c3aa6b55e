package discover

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"nanoclaw/internal/config"
)

// fakeOllama answers paths with texts; /api/show by the model's name.
func fakeOllama(t *testing.T, answers map[string]string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.URL.Path
		if r.Method == http.MethodPost {
			var body struct {
				Model string `json:"model"`
			}
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			key += " " + body.Model
		}
		answer, ok := answers[key]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestOllamasModelsAreListedWithWhatTheyCanDo(t *testing.T) {
	t.Parallel()
	address := fakeOllama(t, map[string]string{
		"/api/tags": `{"models":[{"name":"qwen3:8b"},{"name":"llava:latest"},{"name":"nomic-embed-text:latest"},{"name":"mxbai-embed:latest"},{"name":"old:7b"},{"name":"tuned:latest"},{"name":"qwen3:8b"},{"name":""}]}`,
		"/api/ps":   `{"models":[{"name":"llava:latest","context_length":4096}]}`,
		"/api/show qwen3:8b": `{"capabilities":["completion","tools","thinking"],"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960},
			"license":"…","tensors":[{"name":"a"}]}`,
		"/api/show llava:latest":            `{"capabilities":["completion","vision"],"model_info":{"llama.context_length":32768}}`,
		"/api/show nomic-embed-text:latest": `{"capabilities":["embedding"]}`,
		"/api/show tuned:latest":            `{"capabilities":["completion","tools"],"parameters":"stop \"x\"\nnum_ctx 8192","model_info":{"llama.context_length":131072}}`,
	})
	got, err := Ollama(t.Context(), address+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Model{
		{ID: "ollama/qwen3:8b", Name: "qwen3:8b (Ollama)", Model: "qwen3:8b", ContextWindow: 32768,
			Supports: []string{"tools", "thinking"}},
		{ID: "ollama/llava", Name: "llava (Ollama)", Model: "llava:latest", ContextWindow: 4096,
			Supports: []string{"images"}},
		{ID: "ollama/old:7b", Name: "old:7b (Ollama)", Model: "old:7b", ContextWindow: 32768,
			Supports: []string{"tools"}},
		{ID: "ollama/tuned", Name: "tuned (Ollama)", Model: "tuned:latest", ContextWindow: 8192,
			Supports: []string{"tools"}},
	}
	for i := range want {
		want[i].Provider, want[i].BaseURL = "openai", address+"/v1"
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestAServerThatIsNoOllamaIsAnError(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{
		"nobody there": "http://127.0.0.1:1",
		"another one":  fakeOllama(t, nil),
		"a web page":   fakeOllama(t, map[string]string{"/api/tags": "<html>"}),
		"too large": fakeOllama(t, map[string]string{"/api/tags": `{"models":[{"name":"` + strings.Repeat("x",
			maxAnswer) + `"}]}`}),
		"no address":    "",
		"another sort":  "ftp://localhost",
		"no scheme":     "localhost:11434",
		"a wrong shape": fakeOllama(t, map[string]string{"/api/tags": `{"models":"none"}`}),
	} {
		if models, err := Ollama(t.Context(), address, nil); err == nil || models != nil {
			t.Errorf("%s: %v, %v", name, models, err)
		}
	}
}

func TestAnEmptyOllamaHasNoModels(t *testing.T) {
	t.Parallel()
	address := fakeOllama(t, map[string]string{"/api/tags": `{"models":[]}`})
	if models, err := Ollama(t.Context(), address+"/v1", nil); err != nil || len(models) != 0 {
		t.Errorf("%v, %v", models, err)
	}
}

func TestACancelledSearchEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ollama(ctx, fakeOllama(t, map[string]string{"/api/tags": `{"models":[]}`}), nil); err == nil {
		t.Error("no error")
	}
}

func FuzzADescriptionNeverBreaksAnything(f *testing.F) {
	f.Add("m", `{"capabilities":["completion"],"model_info":{"a.context_length":1e400}}`, 0)
	f.Add("embed", `{}`, -5)
	f.Add("", `{"parameters":"num_ctx -1\nnum_ctx 99999999999999999999","model_info":{"x.context_length":"8"}}`, 7)
	f.Fuzz(func(t *testing.T, name, answer string, loaded int) {
		var d description
		if json.Unmarshal([]byte(answer), &d) != nil {
			return
		}
		if model, ok := d.entry(name, loaded); ok && (model.ContextWindow <= 0 || model.Supports == nil) {
			t.Errorf("%+v", model)
		}
	})
}
