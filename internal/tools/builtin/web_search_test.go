package builtin

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"nanoclaw/internal/tools"
)

func recorded(t testing.TB, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/search/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// shape is one recorded answer of a provider.
type shape struct {
	provider string
	status   int
	body     string
}

// search runs web_search against providers that answer these shapes.
func search(t *testing.T, shapes ...shape) (data map[string]any, failure string) {
	t.Helper()
	web := &fakeWeb{}
	for _, s := range shapes {
		site := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if problem := wrongRequest(s.provider, r); problem != "" {
				t.Errorf("%s was asked with %s", s.provider, problem)
			}
			w.WriteHeader(s.status)
			_, _ = w.Write([]byte(s.body))
		})
		web.search = append(web.search, tools.SearchProvider{Type: s.provider, BaseURL: site.URL, APIKey: "key-1"})
	}
	return execute(t, webCall(web), "web_search", map[string]any{"query": "go release", "max_results": 2})
}

// wrongRequest compares a request with what the provider documents.
func wrongRequest(provider string, r *http.Request) string {
	asked := fmt.Sprintf("%s %s q=%s", r.Method, r.URL.Path, r.URL.Query().Get("q"))
	var want string
	switch provider {
	case "searxng":
		asked += " " + r.URL.Query().Get("format")
		want = "GET /search q=go release json"
	case "brave":
		asked += " " + r.URL.Query().Get("count") + " " + r.Header.Get("X-Subscription-Token")
		want = "GET /res/v1/web/search q=go release 2 key-1"
	case "tavily":
		body, _ := io.ReadAll(r.Body)
		var sent map[string]any
		_ = json.Unmarshal(body, &sent)
		asked += fmt.Sprint(" ", sent["query"], " ", sent["max_results"], " ", r.Header.Get("Authorization"))
		want = "POST /search q= go release 2 Bearer key-1"
	case "duckduckgo":
		want = "GET /html/ q=go release"
	}
	if asked != want {
		return asked
	}
	return ""
}

// BT1: the providers' recorded answers, read alike.
func TestEveryProvidersAnswerIsRead(t *testing.T) {
	t.Parallel()
	for provider, file := range map[string]string{"searxng": "searxng.json", "brave": "brave.json",
		"tavily": "tavily.json", "duckduckgo": "duckduckgo.html"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			data, failure := search(t, shape{provider, 200, recorded(t, file)})
			got, err := json.Marshal(data)
			want := `{"provider":"` + provider +
				`","results":[{"snippet":"This page summarizes the changes \u0026 releases.","title":"Release History - The Go Programming Language","url":"https://go.dev/doc/devel/release"},{"snippet":"","title":"All releases","url":"https://go.dev/dl/"}]}`
			if failure != "" || err != nil || string(got) != want {
				t.Errorf("%s\n got %s\nwant %s", failure, got, want)
			}
		})
	}
}

// BT1: error shapes and garbage are failures of the provider, said in its name.
func TestEveryProvidersFailureIsRecognized(t *testing.T) {
	t.Parallel()
	garbage := "\x00\xff<<<{{{not anything"
	for _, c := range []struct {
		shape
		say string
	}{
		{shape{"searxng", 403, "<html>Forbidden"}, "searxng: answered 403: the format json is perhaps not enabled"},
		{shape{"searxng", 429, "Too Many Requests"}, "searxng: answered 429 (too many requests)"},
		{shape{"searxng", 200,
			`{"query":"x","results":[],"unresponsive_engines":[["google","CAPTCHA"],["bing","timeout"]]}`},
			"none of its engines answered (google CAPTCHA, bing timeout)"},
		{shape{"searxng", 200, "<html>a page"}, "searxng: its answer is not understood"},
		{shape{"searxng", 200, `{"error":"no"}`}, "searxng: its answer is not understood"},
		{shape{"searxng", 200, `{"results":[1]}`}, "searxng: its answer is not understood"},
		{shape{"searxng", 200, garbage}, "searxng: its answer is not understood"},
		{shape{"brave", 429, recorded(t, "brave-error.json")},
			"brave: answered 429 (too many requests): Request rate limit exceeded for plan."},
		{shape{"brave", 422,
			`{"type":"ErrorResponse","error":{"code":"SUBSCRIPTION_TOKEN_INVALID","detail":"The provided subscription token is invalid.","status":422}}`}, "brave: answered 422 (Unprocessable Entity): The provided subscription token is invalid."},
		{shape{"brave", 200, `{"type":"ErrorResponse"}`}, "brave: its answer is not understood"},
		{shape{"brave", 500, garbage}, "brave: answered 500 (Internal Server Error)"},
		{shape{"tavily", 401, `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`},
			"tavily: answered 401 (access refused; the key in web_search.providers may be wrong): Unauthorized: " +
				"missing or invalid API key."},
		{shape{"tavily", 432, `{"detail":{"error":"This request exceeds your plan's set usage limit."}}`},
			"tavily: answered 432: This request exceeds your plan's set usage limit."},
		{shape{"tavily", 422,
			`{"detail":[{"loc":["body","query"],"msg":"field required","type":"value_error.missing"}]}`},
			"field required"},
		{shape{"tavily", 404, `{"detail":"Not Found"}`}, "tavily: answered 404 (Not Found): Not Found"},
		{shape{"tavily", 200, garbage}, "tavily: its answer is not understood"},
		{shape{"duckduckgo", 202, recorded(t, "duckduckgo-captcha.html")}, "duckduckgo: asks for a captcha"},
		{shape{"duckduckgo", 200, recorded(t, "duckduckgo-captcha.html")}, "duckduckgo: asks for a captcha"},
		{shape{"duckduckgo", 403, "<html>"}, "duckduckgo: answered 403"},
		{shape{"duckduckgo", 200, "<html><body>a new design</body></html>"}, "duckduckgo: its page is not understood"},
		{shape{"duckduckgo", 200, garbage}, "duckduckgo: its page is not understood"},
		// Each <p> opens all the <font>s again: parsed in the server this would take gigabytes.
		{shape{"duckduckgo", 200, strings.Repeat("<font>", 480) + strings.Repeat("<p>x", 99_000)},
			"duckduckgo: its page is not understood"},
	} {
		t.Run(c.provider+" "+c.say, func(t *testing.T) {
			t.Parallel()
			if data, failure := search(t, c.shape); !strings.HasPrefix(failure,
				"unavailable: no search provider answered (") || !strings.Contains(failure, c.say) ||
				strings.Contains(failure, "key-1") {
				t.Errorf("%s %v", failure, data)
			}
		})
	}
}

// BT1
func TestTheNextProviderIsAskedWhenOneFails(t *testing.T) {
	t.Parallel()
	data, failure := search(t, shape{"duckduckgo", 202, recorded(t, "duckduckgo-captcha.html")},
		shape{"brave", 429, recorded(t, "brave-error.json")},
		shape{"searxng", 200, recorded(t, "searxng.json")}, shape{"tavily", 500, "never asked"})
	if failure != "" || data["provider"] != "searxng" || len(data["results"].([]any)) != 2 {
		t.Errorf("%s %v", failure, data)
	}
	if failed := fmt.Sprint(data["failed"]); !strings.Contains(failed, "duckduckgo: asks for a captcha") ||
		!strings.Contains(failed, "brave: answered 429") {
		t.Errorf("it does not say who failed: %s", failed)
	}
	_, failure = search(t, shape{"duckduckgo", 202, ""}, shape{"brave", 500, ""})
	if !strings.Contains(failure, "duckduckgo: asks") || !strings.Contains(failure, "; brave: answered 500") {
		t.Error(failure)
	}
}

// BT1
func TestNothingFoundIsAnAnswer(t *testing.T) {
	t.Parallel()
	for provider, body := range map[string]string{
		"searxng": `{"results":[],"unresponsive_engines":[]}`, "brave": `{"type":"search","mixed":{}}`,
		"tavily": `{"results":[]}`, "duckduckgo": recorded(t, "duckduckgo-none.html"),
	} {
		data, failure := search(t, shape{provider, 200, body})
		if list, ok := data["results"].([]any); failure != "" || !ok || len(list) != 0 {
			t.Errorf("%s: %s %v", provider, failure, data)
		}
	}
}

// BT1
func TestASearchThatCannotBeDoneSaysWhy(t *testing.T) {
	t.Parallel()
	query := map[string]any{"query": "x"}
	if _, failure := execute(t, webCall(nil), "web_search", query); !strings.Contains(failure,
		"no search provider is configured") {
		t.Error(failure)
	}
	if _, failure := execute(t, webCall(nil), "web_search", map[string]any{"query": " \t"}); !strings.HasPrefix(failure,
		"invalid_arguments: the query is blank") {
		t.Error(failure)
	}
	if _, failure := execute(t, tools.Call{}, "web_search", query); !strings.HasPrefix(failure, "unavailable") {
		t.Error(failure)
	}
	web := &fakeWeb{search: []tools.SearchProvider{{Type: "searxng"}, {Type: "altavista"},
		{Type: "brave", BaseURL: "http://127.0.0.1:1"}}}
	if _, failure := execute(t, webCall(web), "web_search", query); !strings.Contains(failure,
		"searxng: its base_url is missing") || !strings.Contains(failure, "no such kind") || !strings.Contains(failure,
		"brave: 127.0.0.1:1 cannot be reached") {
		t.Error(failure)
	}
	// A provider in the private network is trusted by its base_url; where it redirects to is not.
	inner := serve(t, page("application/json", recorded(t, "tavily.json")))
	outer := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inner.URL, http.StatusFound) })
	web.search = []tools.SearchProvider{{Type: "searxng", BaseURL: outer.URL}}
	if _, failure := execute(t, webCall(web), "web_search", query); !strings.Contains(failure,
		"searxng: 127.0.0.1 is not reachable from here") {
		t.Error(failure)
	}
}

func TestAnEndpointIsPutBehindWhatIsConfigured(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"https://x.example", "/search", "https://x.example/search"},
		{"https://x.example/", "/search", "https://x.example/search"},
		{"https://x.example/searx/", "/search", "https://x.example/searx/search"},
		{"https://x.example/search", "/search", "https://x.example/search"},
		{"https://x.example/res/v1", "/res/v1/web/search", "https://x.example/res/v1/web/search"},
		{"https://x.example/res/v1/web/search?q=old", "/res/v1/web/search", "https://x.example/res/v1/web/search"},
		{"https://x.example/html", "/html/", "https://x.example/html/"},
		{"https://x.example/html/", "/html/", "https://x.example/html/"},
	} {
		if got, err := endpoint(c[0], c[1]); err != nil || got.String() != c[2] {
			t.Errorf("%s and %s: %v, %v; want %s", c[0], c[1], got, err, c[2])
		}
	}
	if _, err := endpoint("no address", "/x"); err == nil {
		t.Error("no error")
	}
}

func TestHitsAreCleaned(t *testing.T) {
	t.Parallel()
	hits := cleanHits([]searchHit{
		{"a <b>b</b>\n c", "https://a.example/", strings.Repeat("长", 1000)}, {"again", "https://a.example/", ""},
		{"", "http://b.example/x", "<script>"},
		{"no", "javascript:alert(1)", ""}, {"no", "/relative", ""}, {"&lt;i&gt;", " https://c.example/ ", "x"},
		{"too many", "https://d.example/", ""},
	}, 3)
	if len(hits) != 3 || hits[0].Title != "a b c" || len(hits[0].Snippet) > maxHitSnippet ||
		hits[1].Title != "b.example" || hits[2] != (searchHit{"<i>", "https://c.example/", "x"}) {
		t.Errorf("%+v", hits)
	}
}

func FuzzSearchAnswers(f *testing.F) {
	for _, name := range []string{"searxng.json", "brave.json", "brave-error.json", "tavily.json", "duckduckgo.html",
		"duckduckgo-captcha.html"} {
		f.Add(200, []byte(recorded(f, name)))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		for name, provider := range searchProviders {
			hits, err := provider.read(t.Context(), status, body)
			if err == nil && status != http.StatusOK {
				t.Fatalf("%s took status %d for an answer", name, status)
			}
			for _, hit := range cleanHits(hits, 20) {
				if !strings.HasPrefix(strings.ToLower(hit.URL), "http") || len(hit.Title) > maxHitTitle {
					t.Fatalf("%s: %+v", name, hit)
				}
			}
		}
	})
}
