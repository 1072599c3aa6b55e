package chaos

import (
	"context"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// MD4, CH5: background tasks go on after a kill -9 behind what they have done, can be
// cancelled through the API afterwards, and their ends are announced once.
func TestBackgroundTasksSurviveTheDeathOfTheServer(t *testing.T) {
	t.Parallel()
	model, gate := llmtest.NewServer(t), llmtest.NewGate()
	t.Cleanup(gate.Release)
	submit := func(instruction string) llmtest.Call {
		return llmtest.Call{Name: "submit_agent_task", Arguments: `{"instruction":"` + instruction + `"}`}
	}
	model.On(llmtest.User("two tasks")).Steps(llmtest.Calls(submit("survey"), submit("wait for ever")),
		llmtest.Text("both are on their way"))
	model.On(llmtest.User("survey")).Func(func(r llmtest.Request) llmtest.Reply {
		if r.Step() == 1 {
			return llmtest.Calls(llmtest.Call{Name: "file_append", Arguments: `{"path":"log.txt","content":"counted\n"}`})
		}
		return llmtest.Text("there are 42").At(gate)
	})
	never := llmtest.NewGate()
	t.Cleanup(never.Release)
	model.On(llmtest.User("wait for ever")).Func(func(llmtest.Request) llmtest.Reply {
		return llmtest.Text("never said").At(never)
	})
	in := install(t, model)
	first := in.start()
	if first == nil {
		t.Fatal("the server did not start")
	}
	var project, conversation id
	in.must(first, "POST", "/projects", map[string]any{"name": "chaos"}, &project)
	in.must(first, "PUT", "/projects/"+project.ID+"/files/log.txt", "begin\n", nil)
	in.must(first, "POST", "/conversations", map[string]any{"project_id": project.ID}, &conversation)
	in.must(first, "POST", "/conversations/"+conversation.ID+"/runs", map[string]any{"text": "two tasks"}, nil)
	in.within(timeout, "both tasks are at work behind the end of the turn", func(ctx context.Context) bool {
		var messages struct{ Items []message }
		return first.call(ctx, "GET", "/conversations/"+conversation.ID+"/messages", nil, &messages) == nil &&
			len(messages.Items) == 2 && messages.Items[1].Text == "both are on their way" &&
			len(model.Requests(llmtest.User("survey"))) == 2 && len(model.Requests(llmtest.User("wait for ever"))) == 1
	})
	first.kill()

	second := in.start()
	if second == nil {
		t.Fatal("the server did not start again")
	}
	byName := map[string]task{}
	in.within(timeout, "both tasks are at work again", func(ctx context.Context) bool {
		byName = in.tasks(ctx, second)
		return byName["survey"].Status == "running" && byName["wait for ever"].Status == "running"
	})
	in.must(second, "POST", "/runs/"+byName["wait for ever"].ID+"/cancel", nil, nil)
	gate.Release()
	in.within(timeout, "both tasks end", func(ctx context.Context) bool {
		byName = in.tasks(ctx, second)
		return byName["survey"].Status == "completed" && byName["wait for ever"].Status == "cancelled"
	})
	if len(byName) != 2 || byName["survey"].Attempt != 2 {
		t.Errorf("the tasks are %+v", byName)
	}
	var log string
	in.must(second, "GET", "/projects/"+project.ID+"/files/log.txt", nil, &log)
	if log != "begin\ncounted\n" {
		t.Errorf("the task's effect: %q", log)
	}
	var messages struct{ Items []message }
	in.must(second, "GET", "/conversations/"+conversation.ID+"/messages", nil, &messages)
	var announced strings.Builder
	for _, one := range messages.Items {
		announced.WriteString(one.Text + "\n")
	}
	for _, want := range []string{"“survey” completed.", "there are 42", "“wait for ever” was cancelled."} {
		if strings.Count(announced.String(), want) != 1 {
			t.Errorf("%q is not said once in the conversation:\n%s", want, announced.String())
		}
	}
}

// task is a background task as the API lists it.
type task struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Attempt  int    `json:"attempt"`
	TaskName string `json:"task_name"`
}

// tasks are the background tasks by their names.
func (in *installation) tasks(ctx context.Context, p *process) map[string]task {
	in.t.Helper()
	var list struct{ Items []task }
	if err := p.call(ctx, "GET", "/tasks", nil, &list); err != nil {
		in.t.Fatal(err)
	}
	byName := map[string]task{}
	for _, one := range list.Items {
		byName[one.TaskName] = one
	}
	return byName
}
