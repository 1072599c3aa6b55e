package summarise

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/app"
	"nanoclaw/internal/config"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/reexec"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// TestMain lets the test binary be the server's helper processes.
func TestMain(m *testing.M) {
	reexec.Main(app.Helpers())
	os.Exit(m.Run())
}

// answers is a model that says what it is given.
type answers string

func (a answers) Complete(context.Context, tools.Call, tools.Prompt) (tools.Completion, error) {
	return tools.Completion{Text: string(a), Truncated: len(a) > 10}, nil
}

// The function alone, with a model of the test's own.
func TestSummariseTextReturnsTheModelsAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer string
		args   map[string]any
		want   string
	}{
		{" Short.\n", map[string]any{"text": "long"}, `{"success":true,"data":{"summary":"Short."}}`},
		{"Too long, cut", map[string]any{"text": "long"},
			`{"success":true,"data":{"summary":"Too long, cut","truncated":true}}`},
		{" ", map[string]any{"text": "long"}, `{"success":false,"error":"the model gave an empty answer: call again, ` +
			`or summarise the text yourself","code":"unavailable"}`},
		{"", map[string]any{"text": ""}, `{"success":false,"error":"invalid arguments: \"text\" must not be empty",` +
			`"code":"invalid_arguments"}`},
	} {
		call := tools.Call{Services: &services.Locator{}}
		services.Register[tools.LLMClient](call.Services, tools.LLMClientKey, answers(c.answer))
		result, err := json.Marshal(tools.Default().Execute(t.Context(), "summarise_text", call, c.args))
		if err != nil || string(result) != c.want {
			t.Errorf("%v\n got %s, %v\nwant %s", c.args, result, err, c.want)
		}
	}
	result := tools.Default().Execute(t.Context(), "summarise_text", tools.Call{}, map[string]any{"text": "long"})
	if result.Success || result.Code != tools.CodeUnavailable || !strings.Contains(result.Error, "llm_client") {
		t.Errorf("without a model: %+v", result)
	}
}

// TS6: in a whole server with a scripted model. The conversation's model calls the
// tool, and the tool asks the same model.
func TestSummariseTextAsksTheModelOfTheConversation(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	model.On(llmtest.User("shorten it")).Steps(
		llmtest.Calls(llmtest.Call{Name: "summarise_text", Arguments: `{"text":"a long story","sentences":1}`}),
		llmtest.Text("done"))
	model.On(llmtest.User("a long story")).Steps(llmtest.Text("A story."))
	url := serve(t, fmt.Sprintf("models: [{id: m, provider: openai, base_url: %q, api_key: k, supports: [tools]}]\n"+
		"default_model: m\nllm: {discover_env: false, discover_ollama: false}\n", model.URL()))
	var conversation struct{ ID string }
	if err := json.Unmarshal(post(t, url+"/conversations", `{"title":"t"}`), &conversation); err != nil {
		t.Fatal(err)
	}
	events := string(post(t, url+"/conversations/"+conversation.ID+"/runs", `{"text":"shorten it"}`))
	if !strings.Contains(events, `{\"success\":true,\"data\":{\"summary\":\"A story.\"}}`) {
		t.Errorf("the events are %s", events)
	}
	asked := model.Requests(llmtest.User("a long story"))
	if len(asked) != 1 || !strings.Contains(asked[0].System(), "at most 1 sentences") {
		t.Errorf("the model was asked %+v", asked)
	}
}

// serve runs a server until the test ends, and returns the address of its API.
func serve(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ready, done := make(chan string, 1), make(chan error, 1)
	var log bytes.Buffer
	go func() {
		done <- app.Serve(ctx, app.ServeOptions{
			Source: config.Source{Path: file, Env: func(string) (string, bool) { return "", false },
				Flags: config.Overrides{Listen: "127.0.0.1:0", DataDir: filepath.Join(dir, "data"),
					WorkspaceRoot: filepath.Join(dir, "workspaces")}},
			Version: "test", Log: &log, Ready: func(url string) { ready <- url },
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v\n%s", err, &log)
		}
	})
	select {
	case url := <-ready:
		return url + "/api/v1"
	case err := <-done:
		done <- err
		t.Fatalf("the server did not start: %v\n%s", err, &log)
		return ""
	}
}

// post sends JSON and returns the whole answer: of a run, all its events.
func post(t *testing.T, url, body string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if strings.HasSuffix(url, "/runs") {
		request.Header.Set("Accept", "text/event-stream")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s: %s, %v: %s", url, response.Status, err, text)
	}
	return text
}
