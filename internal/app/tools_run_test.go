package app

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"nanoclaw/internal/llm/llmtest"
)

// site answers what the network tools ask for in the test below.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	chinese, err := simplifiedchinese.GBK.NewEncoder().String("<title>灯塔</title><p>守护人点亮了大灯。</p>")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string][2]string{
		"/gbk":   {"text/html; charset=gbk", chinese},
		"/plain": {"text/plain", "plain text"},
		"/search": {"application/json",
			`{"results":[{"title":"Found","url":"https://found.example/","content":"it"}]}`},
		"/v1/search": {"application/json",
			`{"results":[{"name":"北京","latitude":39.9,"longitude":116.4,"country":"中国","timezone":"Asia/Shanghai"}]}`},
		"/v1/forecast": {"application/json",
			`{"timezone":"Asia/Shanghai","current":{"time":"2026-01-01T08:00","temperature_2m":-3.5,"weather_code":71},"daily":{"time":["2026-01-01"],"weather_code":[71]}}`},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
			return
		}
		answer, known := answers[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", answer[0])
		_, _ = w.Write([]byte(answer[1]))
	}))
	t.Cleanup(server.Close)
	return server
}

// BT1, BT2, BT3, BT4, BT7, BT8, BT11, TS4: every everyday tool, called once by a
// model in a run over REST, and what the record of the call says.
func TestEveryEverydayToolWorksInARun(t *testing.T) {
	t.Parallel()
	web, model := site(t), llmtest.NewServer(t)
	named := filepath.Join(t.TempDir(), "named.db")
	h := newHouse(t, strings.NewReplacer("SITE", web.URL, "HOST", strings.TrimPrefix(web.URL, "http://"), "MODEL", model.URL(), "NAMED", named).Replace(`
models: [{id: m, provider: openai, base_url: "MODEL", api_key: k, supports: [tools]}]
default_model: m
fetch: {allowed_hosts: ["HOST"]}
web_search: {providers: [{type: brave, base_url: "SITE/none", api_key: k}, {type: searxng, base_url: "SITE"}]}
weather: {base_url: "SITE", geocoding_url: "SITE"}
databases: {stock: {url: "sqlite://NAMED"}}
`))
	project := h.create("/projects", `{"name":"p"}`)
	for _, path := range []string{named, filepath.Join(h.dir, "workspaces", project, "shop.db")} {
		db, err := sql.Open("sqlite", "file:"+path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(),
			"CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'one'), (2, '二')"); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	calls := []struct{ tool, arguments, say string }{
		{"web_search", `{"query":"light"}`,
			`"results":[{"title":"Found","url":"https://found.example/","snippet":"it"}],"provider":"searxng"`},
		{"fetch_page", `{"url":"SITE/gbk"}`, `守护人点亮了大灯。`},
		{"fetch_page", `{"url":"SITE/away"}`, `"code":"blocked"`},
		{"fetch_page", `{"url":"http://localhost:1/"}`, `"code":"blocked"`},
		{"crawl_batch", `{"urls":["SITE/plain","SITE/missing"]}`, `"succeeded":1`},
		{"calculator", `{"expression":"0.1+0.2"}`, `"result":"0.3"`},
		{"text_process", `{"text":"b\na","operation":"sort"}`, `"result":"a\nb"`},
		{"json_process", `{"json_string":"{\"a\":[1,2]}","operation":"query","query":".a|add"}`, `"result":3`},
		{"get_weather", `{"city":"北京"}`, `"temperature":-3.5`},
		{"set_user_timezone", `{"timezone":"Asia/Tokyo"}`, `"timezone":"Asia/Tokyo"`},
		{"get_current_time", `{}`, `"timezone":"Asia/Tokyo"`},
		{"get_token_usage", `{}`, `"conversation":{`},
		{"db_schema", `{"database":"shop.db"}`, `"tables":[{"name":"t"`},
		{"db_query", `{"database":"shop.db","sql":"SELECT b FROM t WHERE a = 2"}`, `"rows":[["二"]]`},
		{"db_query", `{"database":"stock","sql":"SELECT count(*) FROM t"}`, `"rows":[[2]]`},
		{"db_query", `{"database":"stock","sql":"DELETE FROM t"}`, `"code":"read_only"`},
	}
	var batch []llmtest.Call
	for i, c := range calls {
		batch = append(batch, llmtest.Call{ID: fmt.Sprintf("c%d", i), Name: c.tool,
			Arguments: strings.ReplaceAll(c.arguments, "SITE", web.URL)})
	}
	model.On(llmtest.UserContains("every tool")).Steps(llmtest.Calls(batch...), llmtest.Text("done"))
	conversation := h.create("/conversations", `{"title":"t","project_id":"`+project+`"}`)
	h.events("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"call every tool"}`)

	var messages struct {
		Items []struct {
			Text      string
			ToolCalls []struct {
				Function struct{ Name string }
				Success  bool
				Result   string
			} `json:"tool_calls"`
		}
	}
	h.call("GET", "/api/v1/conversations/"+conversation+"/messages", "", &messages)
	if len(messages.Items) != 2 || messages.Items[1].Text != "done" || len(messages.Items[1].ToolCalls) != len(calls) {
		t.Fatalf("%+v", messages)
	}
	for i, record := range messages.Items[1].ToolCalls {
		want := calls[i]
		if fails := strings.HasPrefix(want.say, `"code"`); record.Function.Name != want.tool ||
			record.Success == fails || !strings.Contains(record.Result, want.say) {
			t.Errorf("%s %s: %s, want %s in it", record.Function.Name, want.arguments, record.Result, want.say)
		}
	}
}
