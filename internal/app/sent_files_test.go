package app

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/tools"
)

// MD3: a file of the project reaches the person as a copy in the call's record and as an
// attachment of the answer; what is outside of the project, denied or too large does not.
func TestAFileIsHandedToThePerson(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	h := newHouse(t, `
models: [{id: m, provider: openai, base_url: "`+model.URL()+`", api_key: k, supports: [tools]}]
default_model: m
guard: {level: "off"}
tool_defaults: {file_limit: 2KiB}
workspace: {denied_names: [".env"]}
`)
	project := h.create("/projects", `{"name":"p"}`)
	in := "workspaces/" + project + "/"
	h.put(map[string]string{in + "报告.csv": "a,b\n1,2\n", in + ".env": "KEY=1", in + "large.bin": strings.Repeat("x", 3000)})
	send := func(path string) llmtest.Call {
		arguments, err := json.Marshal(args{"path": path, "caption": "as asked"})
		if err != nil {
			t.Fatal(err)
		}
		return llmtest.Call{Name: "send_file_to_user", Arguments: string(arguments)}
	}
	model.On(llmtest.User("send it")).Steps(llmtest.Calls(send("报告.csv"), send(".env"), send("large.bin"),
		send("../../config.yml"), send("/etc/passwd"), send("."), send("none.txt")), llmtest.Text("there"))
	conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
	run := h.send(conversation, "send it")
	if status, _ := h.ended(run); status != "completed" {
		t.Fatalf("the run is %s", status)
	}
	h.put(map[string]string{in + "报告.csv": "changed"}) // the person has a copy
	var messages struct {
		Items []struct {
			Attachments []tools.SentFile `json:"attachments"`
			ToolCalls   []tools.Record   `json:"tool_calls"`
		}
	}
	h.call("GET", "/api/v1/conversations/"+conversation+"/messages", "", &messages)
	answer := messages.Items[1]
	files := answer.ToolCalls[0].Files
	if len(files) != 1 || files[0].Name != "报告.csv" || files[0].Size != 8 ||
		!strings.HasPrefix(files[0].ContentType, "text/csv") || len(answer.Attachments) != 1 ||
		answer.Attachments[0] != files[0] {
		t.Fatalf("files %+v, attachments %+v, result %s", files, answer.Attachments, answer.ToolCalls[0].Result)
	}
	response, err := http.Get(h.url + "/api/v1/uploads/" + files[0].UploadID + "?download=true")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || string(content) != "a,b\n1,2\n" ||
		!strings.HasPrefix(response.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the file is %q, %v, %v", content, response.Header, err)
	}
	for i, code := range []string{"", "", "too_large", "", "", "", "not_found"} {
		if record := answer.ToolCalls[i]; i > 0 && (record.Success || len(record.Files) > 0 ||
			!strings.Contains(record.Result, code)) {
			t.Errorf("call %d was answered %s with %v, want %q", i, record.Result, record.Files, code)
		}
	}
}
