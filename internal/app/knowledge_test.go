package app

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// put writes files below the house's directory.
func (h *house) put(files map[string]string) {
	h.t.Helper()
	for name, text := range files {
		path := filepath.Join(h.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
}

func skillFile(name, description, text string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n" + text
}

type skillsSeen struct {
	Items []struct {
		Name, Level, Problem string
		Enabled              bool
	}
}

func (s skillsSeen) enabled() (names []string) {
	for _, skill := range s.Items {
		if skill.Enabled {
			names = append(names, skill.Name)
		}
	}
	return names
}

// SK1: a model is told names and descriptions, reads the text by a tool, and no longer
// does when a person has switched the skill off.
func TestARunReadsASkillWhenItNeedsIt(t *testing.T) {
	t.Parallel()
	h, model, conversation, dir := guardedHouse(t, "")
	project, err := filepath.Rel(h.dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	h.put(map[string]string{
		"data/skills/deploy/SKILL.md": skillFile("deploy", "Put it into production", "Ask first."),
		project + "/skills/review/SKILL.md": skillFile("review", "Look at a change",
			"Be kind. token=a8f5f167f44f4964e6c998dee827110c"),
		project + "/skills/broken/SKILL.md":   "nothing",
		project + "/skills/review/check.txt":  "the list",
		project + "/skills/review/.env/x.txt": "x",
	})
	read := llmtest.Calls(llmtest.Call{Name: "read_skill", Arguments: `{"name":"review"}`},
		llmtest.Call{Name: "read_skill", Arguments: `{"name":"review","path":"check.txt"}`})
	model.On(llmtest.User("review it")).Steps(read, llmtest.Text("done"))
	status, results := h.ended(h.send(conversation, "review it"))
	if all := strings.Join(results, "\n"); status != "completed" || !strings.Contains(all, "Be kind.") ||
		strings.Contains(all, "a8f5f167") || !strings.Contains(all, "the list") {
		t.Fatalf("%s %q", status, results)
	}
	request := model.Requests(llmtest.User("review it"))[0]
	prompt := request.System()
	for _, want := range []string{"- deploy (server): Put it into production\n", "- review (project): Look at a change"} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt has no %q: %s", want, prompt)
		}
	}
	if strings.Contains(prompt, "Be kind") || strings.Contains(prompt, "broken") {
		t.Errorf("the prompt has too much: %s", prompt)
	}

	id := filepath.Base(dir)
	var seen skillsSeen
	var detail struct {
		Text  string
		Files []struct{ Path string }
	}
	h.call("GET", "/api/v1/projects/"+id+"/skills", "", &seen)
	h.call("GET", "/api/v1/projects/"+id+"/skills/review", "", &detail)
	if got := seen.enabled(); !slices.Equal(got, []string{"review", "deploy"}) || len(seen.Items) != 3 ||
		!strings.HasPrefix(detail.Text, "Be kind.") || len(detail.Files) != 2 {
		t.Errorf("%+v, %+v", seen, detail)
	}
	if status := h.call("PUT", "/api/v1/skills/greet", `{"text":"`+strings.ReplaceAll(skillFile("greet", "Say hello",
		"Smile."), "\n", `\n`)+`"}`, nil); status != 200 {
		t.Errorf("saving a skill is %d", status)
	}
	if status := h.call("PUT", "/api/v1/skills/greet", `{"text":"nothing"}`, nil); status != 422 {
		t.Errorf("saving nothing is %d", status)
	}
	h.call("GET", "/api/v1/skills", "", &seen)
	if got := seen.enabled(); !slices.Equal(got, []string{"greet", "deploy"}) {
		t.Errorf("one's own and the installation's are %v", got)
	}
	for _, step := range []struct {
		path, body string
		status     int
		want       []string
	}{
		{"/conversations/" + conversation + "/skills/greet", `{"enabled":false}`, 200, []string{"review", "deploy"}},
		{"/conversations/" + conversation + "/skills/greet", `{"enabled":null}`, 200, []string{"review", "greet",
			"deploy"}},
		{"/projects/" + id + "/skills/greet", `{"enabled":false}`, 200, []string{"review", "deploy"}},
		{"/projects/" + id + "/skills/review", `{"enabled":false}`, 200, []string{"deploy"}},
		{"/conversations/" + conversation + "/skills/review", `{"enabled":true}`, 200, []string{"review", "deploy"}},
		{"/conversations/" + conversation + "/skills/deploy", `{"enabled":false}`, 200, []string{"review"}},
		{"/conversations/" + conversation + "/skills/review", `{"enabled":null}`, 200, nil},
		{"/conversations/" + conversation + "/skills/broken", `{"enabled":true}`, 200, nil},
		{"/conversations/" + conversation + "/skills/nobody", `{"enabled":true}`, 404, nil},
		{"/conversations/" + conversation + "/skills/review", `{}`, 422, nil},
	} {
		var seen skillsSeen
		if status := h.call("PATCH", "/api/v1"+step.path, step.body, &seen); status != step.status {
			t.Errorf("%s %s: %d", step.path, step.body, status)
		}
		if got := seen.enabled(); !slices.Equal(got, step.want) {
			t.Errorf("%s %s: %v, want %v", step.path, step.body, got, step.want)
		}
	}
	model.On(llmtest.User("again")).Steps(read, llmtest.Text("done"))
	_, results = h.ended(h.send(conversation, "again"))
	request = model.Requests(llmtest.User("again"))[0]
	if slices.Contains(request.ToolNames(), "read_skill") || strings.Contains(request.System(), "# Skills") ||
		!strings.Contains(results[0], "not_found") {
		t.Errorf("a skill that is off is offered: %v %q", request.ToolNames(), results)
	}
}

// SK2: what an agent noted is in the next conversation of the project; a person sees it
// and can switch it off, and no secret of it reaches the model.
func TestARunRemembersWhatWasNotedInItsProject(t *testing.T) {
	t.Parallel()
	h, model, conversation, dir := guardedHouse(t, "memory: {max_size: 256B}\n")
	id := filepath.Base(dir)
	project, err := filepath.Rel(h.dir, dir)
	if err != nil {
		t.Fatal(err)
	}
	h.put(map[string]string{project + "/AGENTS.md": "Be brief.\nDB_PASSWORD=hunter2hunter2\n"})
	note := strings.Repeat("The user likes tea.\n", 30) + "The end.\n"
	model.On(llmtest.User("note it")).Steps(calls(t, "file_write", args{"path": "MEMORY.md", "content": note}),
		calls(t, "file_write", args{"path": "memory/tea.md", "content": "green"}), llmtest.Text("noted"))
	if status, results := h.ended(h.send(conversation, "note it")); status != "completed" {
		t.Fatalf("%s %q", status, results)
	}
	ask := func(text string) string {
		t.Helper()
		model.On(llmtest.User(text)).Steps(llmtest.Text("well"))
		h.ended(h.send(h.create("/conversations", `{"project_id":"`+id+`"}`), text))
		return model.Requests(llmtest.User(text))[0].System()
	}
	prompt := ask("what do I like?")
	for want, there := range map[string]bool{"Be brief.": true, "The user likes tea.": true,
		"memory/tea.md (5 bytes)": true,
		"MEMORY.md has 609 bytes": true, "The end.": false, "hunter2": false, "green": false} {
		if strings.Contains(prompt, want) != there {
			t.Errorf("%q is in the prompt: %v\n%s", want, !there, prompt)
		}
	}
	var seen struct {
		Enabled             bool
		Instructions, Notes struct {
			Text string
			Size int64
			Cut  bool
		}
		Files []struct{ Path string }
	}
	h.call("GET", "/api/v1/projects/"+id+"/memory", "", &seen)
	if !seen.Enabled || !strings.Contains(seen.Instructions.Text, "hunter2") || seen.Notes.Size != 609 ||
		!seen.Notes.Cut ||
		len(seen.Files) != 1 {
		t.Errorf("%+v", seen)
	}
	if status := h.call("PATCH", "/api/v1/projects/"+id, `{"memory_enabled":false}`, nil); status != http.StatusOK {
		t.Fatal(status)
	}
	if prompt := ask("and now?"); strings.Contains(prompt, "tea") || !strings.Contains(prompt, "Be brief.") {
		t.Errorf("memory is off: %s", prompt)
	}
	h.call("GET", "/api/v1/projects/"+id+"/memory", "", &seen)
	if seen.Enabled {
		t.Error("memory is on")
	}
}
