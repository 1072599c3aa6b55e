package llmtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

func TestAnotherProcessAddsRulesAndOpensGates(t *testing.T) {
	t.Parallel()
	srv := llmtest.NewServer(t)
	control := strings.TrimSuffix(srv.URL(), "/v1") + "/control"
	call := func(method, path, body string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), method, control+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	if status, text := call("POST", "/rules", `{"rules":[{"reply":{"txt":"x"}}]}`); status != 400 ||
		!strings.Contains(text, "txt") {
		t.Errorf("bad rules: %d %s", status, text)
	}
	if status, text := call("POST", "/rules",
		`{"rules":[{"when":{"user":"hi"},"reply":{"text":"hello","gate":"door"}}]}`); status != 204 {
		t.Fatalf("rules: %d %s", status, text)
	}
	answered := make(chan string, 1)
	go func() {
		_, body := ask(t, t.Context(), srv, "hi")
		answered <- body
	}()
	if status, _ := call("GET", "/gates/door", ""); status != 204 {
		t.Errorf("reached: %d", status)
	}
	select {
	case body := <-answered:
		t.Fatalf("answered before its gate was open: %s", body)
	default:
	}
	if status, _ := call("POST", "/gates/door", ""); status != 204 {
		t.Errorf("open: %d", status)
	}
	if body := <-answered; !strings.Contains(body, "hello") {
		t.Errorf("answer: %s", body)
	}
	if _, text := call("GET", "/requests?user=hi", ""); strings.Count(text, `"Role":"user"`) != 1 {
		t.Errorf("requests: %s", text)
	}
}
