package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"nanoclaw/internal/browser"
	"nanoclaw/internal/llm/llmtest"
)

// shopSite is a page behind a form with a password.
func shopSite(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>Shop</title><form method="post" action="/in"><input name="user" aria-label="User">
			<input name="password" type="password" aria-label="Password"><button>Sign in</button></form>`)
	})
	mux.HandleFunc("POST /in", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>In</title><h1>Welcome %s, your word has %d letters</h1>`, r.FormValue("user"),
			len(r.FormValue("password")))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// refOf finds the reference of an element in the results of a request.
func refOf(r llmtest.Request, element string) string {
	for _, result := range r.ToolResults() {
		found := regexp.MustCompile(regexp.QuoteMeta(element) + `[^\[]*\[(e\d+)\]`).FindStringSubmatch(result.Text)
		if found != nil {
			return found[1]
		}
	}
	return "none"
}

// MD1 MD2: in a real run a model works a site by the references of snapshots, a person is
// asked about the password, and a model that sees gets the screenshot as a picture.
func TestAModelWorksASiteInTheBrowser(t *testing.T) {
	t.Parallel()
	if _, err := browser.Find(""); err != nil && os.Getenv("CI") == "" {
		t.Skip("NOT TESTED: ", err)
	}
	if _, err := exec.LookPath("bwrap"); err != nil && os.Getenv("CI") == "" {
		t.Skip("NOT TESTED: bubblewrap is not installed: run scripts/setup-sandbox.sh")
	}
	site, model := shopSite(t), llmtest.NewServer(t)
	h := newHouse(t, `
models: [{id: m, provider: openai, base_url: "`+model.URL()+`", api_key: k, supports: [tools, images]}]
default_model: m
fetch: {allowed_hosts: ["`+strings.TrimPrefix(site.URL, "http://")+`"]}
`)
	model.On(llmtest.User("sign in")).Func(func(r llmtest.Request) llmtest.Reply {
		use := func(arguments string) llmtest.Reply {
			return llmtest.Calls(llmtest.Call{Name: "browser_use", Arguments: arguments})
		}
		switch r.Step() {
		case 1:
			return use(`{"op":"open","url":"` + site.URL + `"}`)
		case 2:
			return use(`{"op":"type","ref":"` + refOf(r, `\"User\"`) + `","text":"ada"}`)
		case 3:
			return use(`{"op":"type","ref":"` + refOf(r, `\"Password\"`) + `","text":"lantern"}`)
		case 4:
			return use(`{"op":"type","ref":"` + refOf(r, `\"Password\"`) + `","text":"lantern","sensitive":true}`)
		case 5:
			return use(`{"op":"click","ref":"` + refOf(r, `\"Sign in\"`) + `"}`)
		default:
			return use(`{"op":"screenshot"}`)
		}
	})
	model.On(llmtest.UserContains("of browser_use")).Reply(llmtest.Text("I am in")) // the picture is a message
	run := h.send(h.create("/conversations", `{}`), "sign in")
	for _, asked := range h.waiting(1) {
		if asked.ToolCall.Function.Name != "browser_use" || len(asked.Findings) != 1 ||
			asked.Findings[0].ID != "browser.secret" {
			t.Errorf("asked: %+v", asked)
		}
		if status := h.call("POST", "/api/v1/approvals/"+asked.ID, `{"decision":"approve"}`, nil); status != http.StatusOK {
			t.Fatalf("approve: %d", status)
		}
	}
	status, results := h.ended(run)
	if status != "completed" || len(results) != 6 {
		t.Fatalf("the run ended %s with %q", status, results)
	}
	for i, want := range []string{`textbox \"User\"`, `\"User\"`, "approval_needed", `\"Password\"`,
		"Welcome ada, your word has 7 letters", "image 1 of this result"} {
		if !strings.Contains(results[i], want) {
			t.Errorf("result %d is %s, want %s in it", i+1, results[i], want)
		}
	}
	requests := model.Requests()
	last := requests[len(requests)-1]
	shown := 0
	for _, message := range last.Messages {
		for _, image := range message.Images {
			if strings.HasPrefix(image, "data:image/png;base64,") {
				shown++
			}
		}
	}
	if shown != 1 {
		t.Errorf("the model was shown %d pictures", shown)
	}
}
