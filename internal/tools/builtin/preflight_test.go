package builtin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// EX1 TG1: calls that cannot succeed are known before a person is asked, and what
// a project holds is told only to an agent that may look at it.
func TestCallsThatCannotSucceedAreKnownBeforehand(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.put(t, "notes/here.txt", "text")
	d.put(t, "we[i]rd*.txt", "text")
	if err := os.Symlink("nowhere", filepath.Join(d.root, "dangling")); err != nil {
		t.Fatal(err)
	}
	services.Register[tools.Web](d.call.Services, tools.WebKey, &fakeWeb{})
	services.Register[tools.ExternalAgents](d.call.Services, tools.ExternalAgentsKey, externalTown{&town{}})
	services.Register[tools.Agents](d.call.Services, tools.AgentsKey, &town{})
	for _, c := range []struct {
		tool, args     string
		allowed, blind string // codes of the preflight where the agent may look, and where it may not
	}{
		{"file_delete", `{"path":"../../x"}`, "access_denied", "access_denied"},
		{"file_delete", `{"path":".nanoclaw/x"}`, "access_denied", "access_denied"},
		{"file_delete", `{"path":"missing.txt"}`, "not_found", ""},
		{"file_delete", `{"path":"notes/here.txt/below"}`, "not_found", ""},
		{"file_delete", `{"path":"notes"}`, "not_a_file", ""},
		{"file_delete", `{"path":"notes","recursive":true}`, "", ""},
		{"file_delete", `{"path":"notes/here.txt"}`, "", ""},
		{"file_delete", `{"path":"we[i]rd*.txt"}`, "", ""},
		{"file_delete", `{"path":"dangling"}`, "", ""},
		{"file_move", `{"from":"missing","to":"x"}`, "not_found", ""},
		{"file_move", `{"from":"notes","to":"/etc/x"}`, "access_denied", "access_denied"},
		{"file_edit", `{"path":"missing","old_string":"a","new_string":"b"}`, "not_found", ""},
		{"file_read", `{"path":"missing"}`, "not_found", ""},
		{"file_write", `{"path":"../x","content":""}`, "access_denied", "access_denied"},
		{"file_write", `{"path":"new.txt","content":""}`, "", ""},
		{"fetch_page", `{"url":"http://169.254.169.254/latest"}`, "blocked", "blocked"},
		{"fetch_page", `{"url":"http://localhost:1/"}`, "blocked", "blocked"},
		{"fetch_page", `{"url":"ftp://example.com/"}`, "blocked", "blocked"},
		{"fetch_page", `{"url":"https://example.com/"}`, "", ""},
		{"crawl_batch", `{"urls":["http://10.0.0.1/","http://[::1]/"]}`, "blocked", "blocked"},
		{"crawl_batch", `{"urls":["http://10.0.0.1/","https://example.com/"]}`, "", ""},
		{"delegate_external_agent", `{"agent":"nobody","message":"x"}`, "unknown_agent", "unknown_agent"},
		{"delegate_external_agent", `{"agent":"coder","message":"x"}`, "", ""},
		{"chat_with_agent", `{"agent":"nobody","message":"x"}`, "unknown_agent", "unknown_agent"},
		{"shell_execute", `{"command":""}`, tools.CodeInvalidArguments, tools.CodeInvalidArguments},
		{"shell_execute", `{"command":"ls"}`, "", ""},
	} {
		tool, _ := tools.Default().Get(c.tool)
		var args map[string]any
		if err := json.Unmarshal([]byte(c.args), &args); err != nil {
			t.Fatal(err)
		}
		canonical, err := tools.Canonical(args)
		if err != nil {
			t.Fatal(err)
		}
		for allowed, want := range map[bool]string{true: c.allowed, false: c.blind} {
			call := d.call
			call.MayLook = func(_ context.Context, name string, args map[string]any) bool {
				return allowed && name == "file_exists" && args["path"] != nil
			}
			got := ""
			if err := tool.Preflight(t.Context(), call, canonical); err != nil {
				got = tools.CodeOf(err)
			}
			if got != want {
				t.Errorf("%s %s, may look: %v: %q, want %q", c.tool, c.args, allowed, got, want)
			}
		}
	}
}
