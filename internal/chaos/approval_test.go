package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
)

// asking makes appends whose text begins with "ask" wait for a person.
const asking = `guard: { rules: [ { id: asks, tool: file_append, argument: content, pattern: ^ask, severity: LOW } ] }
`

// askingScript is a run with two sub-agents in which three writes wait: one of each
// sub-agent and one of the root run's own, which comes after them.
func askingScript(model *llmtest.Server) {
	write := func(line string) llmtest.Call {
		arguments, err := json.Marshal(map[string]string{"path": "log.txt", "content": line + "\n"})
		if err != nil {
			panic(err)
		}
		return llmtest.Call{Name: "file_append", Arguments: string(arguments)}
	}
	fan := llmtest.Call{Name: "multi_agent",
		Arguments: `{"tasks":[{"name":"a","instruction":"child a"},{"name":"b","instruction":"child b"}]}`}
	model.On(llmtest.User("work")).Steps(llmtest.Calls(fan, write("ask root")), llmtest.Text("all of it is done"))
	for _, name := range []string{"a", "b"} {
		model.On(llmtest.User("child "+name)).Steps(llmtest.Calls(write("ask "+name)),
			llmtest.Text("child "+name+" is done"))
	}
}

// approve approves what waits, the last asked first, each once nothing else goes
// on, until the run ends. died: the server was gone first.
func (in *installation) approve(p *process, started run) (ended run, died bool) {
	in.t.Helper()
	in.within(timeout, "the run is approved and ends", func(ctx context.Context) bool {
		var now run
		if p.call(ctx, "GET", "/runs/"+started.ID, nil, &now) != nil {
			died = true
			return true
		}
		switch now.Status {
		case "queued", "running":
			return false
		case "waiting_approval":
		default:
			ended = now
			return true
		}
		var waiting struct{ Items []id }
		if p.call(ctx, "GET", "/approvals?status=pending", nil, &waiting) != nil {
			died = true
			return true
		}
		if len(waiting.Items) > 0 {
			// The answer may be lost, and the decision there all the same.
			_ = p.call(ctx, "POST", "/approvals/"+waiting.Items[0].ID, map[string]any{"decision": "approve"}, nil)
		}
		return false
	})
	if died {
		<-p.exited
	}
	return ended, died
}

// checkApproved looks at what a death must not have broken: each write was made
// once, or its outcome is unknown, and each was asked about once.
func (in *installation) checkApproved(p *process, project string, ended run) {
	in.t.Helper()
	if ended.Status != "completed" {
		in.t.Fatalf("the run ended as %s: %v", ended.Status, ended.Error)
	}
	var messages struct{ Items []message }
	in.must(p, "GET", "/conversations/"+ended.ConversationID+"/messages", nil, &messages)
	if len(messages.Items) != 2 || messages.Items[1].Text != "all of it is done" ||
		len(messages.Items[1].ToolCalls) != 2 {
		in.t.Fatalf("the transcript is not whole: %+v", messages.Items)
	}
	calls := slices.Clone(messages.Items[1].ToolCalls[1:])
	for _, child := range ended.Children {
		var whole run
		in.must(p, "GET", "/runs/"+child.ID, nil, &whole)
		calls = append(calls, whole.ToolCalls...)
	}
	var text string
	in.must(p, "GET", "/projects/"+project+"/files/log.txt", nil, &text)
	if len(calls) != 3 {
		in.t.Errorf("%d writes, want 3: %+v", len(calls), calls)
	}
	for _, c := range calls {
		var arguments struct{ Content string }
		if err := json.Unmarshal([]byte(c.Function.Arguments), &arguments); err != nil {
			in.t.Fatal(err)
		}
		times := strings.Count(text, arguments.Content)
		if unknown := strings.Contains(c.Result, `"code":"outcome_unknown"`); times > 1 || !unknown &&
			(!c.Success || times != 1) {
			in.t.Errorf("a call that says %s wrote its line %d times", c.Result, times)
		}
	}
	var approvals struct {
		Items []struct{ Status string }
	}
	in.must(p, "GET", "/approvals", nil, &approvals)
	for _, approval := range approvals.Items {
		if approval.Status != "approved" {
			in.t.Errorf("an approval is %s", approval.Status)
		}
	}
	if len(approvals.Items) != 3 {
		in.t.Errorf("%d approvals, want 3", len(approvals.Items))
	}
}

// TG4, TG6, CH5: the process dies before, during and after every moment at which a
// call begins to wait, a run is let go, a decision is stored, and the run is taken
// up again. The run goes on and ends, every call was asked about once, and none
// runs twice.
func TestApprovalsSurviveADeathAtEveryMoment(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	askingScript(model)
	points := countAskingPoints(t, model)
	tried := 0
	for at, point := range points {
		name, _, _ := strings.Cut(point, ".")
		if !slices.Contains([]string{"suspended", "waiting", "decided", "claim", "child_state", "call_started",
			"call_finished"}, name) {
			continue
		}
		tried++
		t.Run(fmt.Sprintf("%02d %s", at+1, point), func(t *testing.T) {
			t.Parallel()
			in := install(t, model, asking)
			first := in.start(fmt.Sprintf("NANOCLAW_FAULT_AT=%d", at+1))
			project, started, err := in.begin(first)
			died := err != nil
			var ended run
			if !died {
				ended, died = in.approve(first, started)
			}
			if !died { // this time there were fewer points
				in.checkApproved(first, project, ended)
				return
			}
			second := in.start()
			if second == nil {
				t.Fatal("the server did not start again")
			}
			if err != nil {
				project, started = in.lost(second)
			}
			if ended, died = in.approve(second, started); died {
				t.Fatal("the server died again")
			}
			in.checkApproved(second, project, ended)
		})
	}
	t.Logf("%d moments", tried)
	if tried < 30 {
		t.Errorf("only %d moments of %v", tried, points)
	}
}

// countAskingPoints runs once without a death and returns the names of the points.
func countAskingPoints(t *testing.T, model *llmtest.Server) []string {
	t.Helper()
	in := install(t, model, asking)
	log := filepath.Join(in.dir, "points")
	p := in.start("NANOCLAW_FAULT_LOG=" + log)
	if p == nil {
		t.Fatal("the server did not start")
	}
	project, started, err := in.begin(p)
	if err != nil {
		t.Fatal(err)
	}
	ended, _ := in.approve(p, started)
	in.checkApproved(p, project, ended)
	p.kill()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// TG4, CH5: deaths at random moments while a person decides.
func TestApprovalsSurviveRandomDeaths(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	askingScript(model)
	for i := range 6 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			in := install(t, model, asking)
			p := in.start()
			project, started, err := in.begin(p)
			if err != nil {
				t.Fatal(err)
			}
			deaths := 0
			for {
				moment := time.AfterFunc(time.Duration(20+40*i)*time.Millisecond, p.kill)
				ended, died := in.approve(p, started)
				if !moment.Stop() && !died { // the death came between the end and this line
					<-p.exited
					died = true
				}
				if !died {
					in.checkApproved(p, project, ended)
					break
				}
				if deaths++; deaths == 3 {
					p = in.start()
					ended, _ := in.approve(p, started)
					in.checkApproved(p, project, ended)
					break
				}
				p = in.start()
			}
			t.Logf("%d deaths", deaths)
		})
	}
}
