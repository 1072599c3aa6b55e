package app

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"nanoclaw/internal/browser"
	"nanoclaw/internal/llm/llmtest"
)

// browsing is one call of browser_use: what the model says, the element it is about, what
// the result must hold, and for a screenshot the name that it is kept under.
type browsing struct {
	arguments args
	on, want  string
	shot      string
}

func shot(name string) browsing { return browsing{arguments: args{"op": "screenshot"}, shot: name} }

// browsings use every operation on each kind of site.
var browsings = []browsing{
	{arguments: args{"op": "open", "url": "SITE/login.html"}, want: `textbox \"User\"`},
	{arguments: args{"op": "type", "text": "ada"}, on: `textbox \"User\"`, want: "ada"},
	{arguments: args{"op": "type", "text": "s3cret", "sensitive": true, "submit": true}, on: `textbox \"Password\"`,
		want: "You are ada"},
	shot("login"),
	{arguments: args{"op": "open", "url": "SITE/shop.html"}, want: `heading \"Lanterns\"`},
	{arguments: args{"op": "upload", "files": []string{"paper.txt"}}, on: `\"Papers`, want: "paper.txt 9"},
	{arguments: args{"op": "type", "text": "Ada 灯"}, on: `textbox \"Name\"`, want: "Ada 灯"},
	{arguments: args{"op": "select", "values": []string{"Blue lantern"}}, on: `combobox \"Kind\"`, want: "Blue lantern"},
	{arguments: args{"op": "click"}, on: `button \"Order\"`, want: "Ordered 1 b for Ada 灯"},
	shot("shop"),
	{arguments: args{"op": "click", "accept": true}, on: `button \"Delete\"`, want: "deleted"},
	{arguments: args{"op": "click", "accept": true, "reply": "Eve"}, on: `button \"Greet\"`, want: "Hello Eve"},
	shot("dialog"),
	{arguments: args{"op": "click"}, on: `button \"Later\"`, want: `button \"Later\"`},
	{arguments: args{"op": "wait", "text": "It came late"}, want: "It came late"},
	{arguments: args{"op": "download", "path": "in/report.csv"}, on: `link \"Report\"`, want: `"path":"in/report.csv"`},
	shot("download"),
	{arguments: args{"op": "click"}, on: `link \"Catalogue\"`, want: `"title":"Catalogue"`},
	{arguments: args{"op": "tabs"}, want: `"title":"The shop"`},
	shot("new-tab"),
	{arguments: args{"op": "scroll", "direction": "down"}, want: "Lantern 4"},
	{arguments: args{"op": "scroll", "direction": "down"}, want: "Lantern 4"},
	{arguments: args{"op": "scroll", "direction": "down"}, want: "Lantern 60"},
	shot("infinite-list"),
	{arguments: args{"op": "open", "url": "SITE/frames.html"}, want: "Inner button"},
	{arguments: args{"op": "type", "text": "Bob"}, on: `textbox \"Inner name\"`, want: "Bob"},
	{arguments: args{"op": "click"}, on: `button \"Inner button\"`, want: "Inner says Bob"},
	shot("frames"),
	{arguments: args{"op": "click"}, on: `button \"In the shadow\"`, want: "The shadow answered"},
	shot("shadow-dom"),
	{arguments: args{"op": "back"}, want: "Lantern 1"},
	{arguments: args{"op": "open", "url": "SITE/endless"}, want: "still loading"},
	{arguments: args{"op": "snapshot"}, want: "The beginning"},
	shot("never-ending"),
}

// lanternSite serves the sites of the browser's own tests, with a login and a page that
// never stops loading.
func lanternSite(t *testing.T) *httptest.Server {
	t.Helper()
	mux, ends := http.NewServeMux(), make(chan struct{})
	mux.Handle("/", http.FileServer(http.Dir("../browser/testdata/site")))
	mux.HandleFunc("POST /session", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.FormValue("password") == "s3cret" {
			fmt.Fprintf(w, "<title>In</title><h1>You are %s</h1>", r.FormValue("user"))
		}
	})
	mux.HandleFunc("/files/report.csv", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment")
		fmt.Fprint(w, "a,b\n")
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<h1>The beginning</h1>"+strings.Repeat(" ", 4096))
		w.(http.Flusher).Flush()
		select {
		case <-ends:
		case <-r.Context().Done():
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(ends) })
	return server
}

// newestRef is the reference of an element in the newest result that has one.
func newestRef(r llmtest.Request, element string) string {
	pattern := regexp.MustCompile(regexp.QuoteMeta(element) + `[^\[]*\[(e\d+)\]`)
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if found := pattern.FindStringSubmatch(r.Messages[i].Text); r.Messages[i].Role == "tool" && found != nil {
			return found[1]
		}
	}
	return "none"
}

// MD1: in one real run a model uses every operation on a shop with a login, an infinite list,
// frames, shadow DOM, dialogs, a download, a new tab and a page that never stops loading.
// The screenshots that it is shown are kept in build/screenshots.
func TestEveryOperationOfTheBrowserWorksInARun(t *testing.T) {
	t.Parallel()
	if _, err := browser.Find(""); err != nil && os.Getenv("CI") == "" {
		t.Skip("NOT TESTED: ", err)
	}
	if _, err := exec.LookPath("bwrap"); err != nil && os.Getenv("CI") == "" {
		t.Skip("NOT TESTED: bubblewrap is not installed: run scripts/setup-sandbox.sh")
	}
	site, model := lanternSite(t), llmtest.NewServer(t)
	h := newHouse(t, `
models: [{id: m, provider: openai, base_url: "`+model.URL()+`", api_key: k, supports: [tools, images]}]
default_model: m
max_iterations: 60
browser: {timeout: 20s}
fetch: {allowed_hosts: ["`+strings.TrimPrefix(site.URL, "http://")+`"]}
`)
	model.On(llmtest.Any()).Func(func(r llmtest.Request) llmtest.Reply {
		if r.Call() > len(browsings) {
			return llmtest.Text("all seen")
		}
		one, arguments := browsings[r.Call()-1], args{}
		for name, value := range one.arguments {
			arguments[name] = value
		}
		if url, ok := arguments["url"].(string); ok {
			arguments["url"] = strings.Replace(url, "SITE", site.URL, 1)
		}
		if one.on != "" {
			arguments["ref"] = newestRef(r, one.on)
		}
		encoded, err := json.Marshal(arguments)
		if err != nil {
			t.Error(err)
		}
		return llmtest.Calls(llmtest.Call{Name: "browser_use", Arguments: string(encoded)})
	})
	project := h.create("/projects", `{"name":"p"}`)
	if status := h.call("PUT", "/api/v1/projects/"+project+"/files/paper.txt", "lanterns\n", nil); status >= 300 {
		t.Fatalf("put the paper: %d", status)
	}
	run := h.send(h.create("/conversations", `{"title":"t","project_id":"`+project+`"}`), "browse")
	for range 2 { // the password and the upload
		for _, asked := range h.waiting(1) {
			if status := h.call("POST", "/api/v1/approvals/"+asked.ID, `{"decision":"approve"}`,
				nil); status != http.StatusOK {
				t.Fatalf("approve: %d", status)
			}
		}
	}
	status, results := h.ended(run)
	if status != "completed" || len(results) != len(browsings) {
		t.Fatalf("the run ended %s with %d of %d results", status, len(results), len(browsings))
	}
	for i, one := range browsings {
		if !strings.Contains(results[i], `"success":true`) || !strings.Contains(results[i], one.want) {
			t.Errorf("%v %s answered %s, want %s in it", one.arguments, one.on, results[i], one.want)
		}
	}
	keepScreenshots(t, model.Requests())
}

// keepScreenshots writes what the model was shown to build/screenshots.
func keepScreenshots(t *testing.T, requests []llmtest.Request) {
	t.Helper()
	dir := filepath.Join("..", "..", "build", "screenshots")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	kept := map[string]bool{}
	for _, r := range requests {
		at := r.Call() - 2
		if at < 0 || at >= len(browsings) || browsings[at].shot == "" || len(r.Last().Images) == 0 {
			continue
		}
		name := browsings[at].shot
		data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Last().Images[0], "data:image/png;base64,"))
		if err != nil {
			t.Fatalf("the picture of %s: %v", name, err)
		}
		picture, _, err := image.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("the picture of %s: %v", name, err)
		}
		if blank(picture) {
			t.Errorf("the picture of %s has one colour alone", name)
		}
		if err := os.WriteFile(filepath.Join(dir, "browser-"+name+".png"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		kept[name] = true
	}
	for _, one := range browsings {
		if one.shot != "" && !kept[one.shot] {
			t.Errorf("the model was not shown %s", one.shot)
		}
	}
}

func blank(picture image.Image) bool {
	bounds := picture.Bounds()
	first := color.RGBAModel.Convert(picture.At(bounds.Min.X, bounds.Min.Y))
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if color.RGBAModel.Convert(picture.At(x, y)) != first {
				return false
			}
		}
	}
	return true
}
