package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
)

const timeout = time.Minute

// script is a run with reads, writes and sub-agents: five calls of the root's
// own, two sub-agents with one write each, and four model turns.
func script(model *llmtest.Server) {
	write := func(line string) llmtest.Call {
		arguments, err := json.Marshal(map[string]string{"path": "log.txt", "content": line + "\n"})
		if err != nil {
			panic(err)
		}
		return llmtest.Call{Name: "file_append", Arguments: string(arguments)}
	}
	read := llmtest.Call{Name: "file_read", Arguments: `{"path":"log.txt"}`}
	fan := llmtest.Call{Name: "multi_agent",
		Arguments: `{"tasks":[{"name":"a","instruction":"child a"},{"name":"b","instruction":"child b"}]}`}
	pace := func(r llmtest.Reply) llmtest.Reply { return r.After(3*time.Millisecond, 2*time.Millisecond) }
	model.On(llmtest.User("work")).Steps(
		pace(llmtest.Calls(write("root-1"), read).WithThinking("first I write")),
		pace(llmtest.Calls(fan)),
		pace(llmtest.Calls(write("root-2"), read)),
		pace(llmtest.Text("all of it is done")),
	)
	for _, name := range []string{"a", "b"} {
		model.On(llmtest.User("child "+name)).Steps(pace(llmtest.Calls(write("child-"+name))),
			pace(llmtest.Text("child "+name+" is done")))
	}
}

// begin makes a project with a log file and a conversation, and starts the run.
// It returns an error where the server died meanwhile.
func (in *installation) begin(p *process) (project string, started run, err error) {
	ctx := in.t.Context()
	var made id
	if err := p.call(ctx, "POST", "/projects", map[string]any{"name": "chaos"}, &made); err != nil {
		return "", run{}, err
	}
	if err := p.call(ctx, "PUT", "/projects/"+made.ID+"/files/log.txt", "begin\n", nil); err != nil {
		return "", run{}, err
	}
	var conv id
	if err := p.call(ctx, "POST", "/conversations", map[string]any{"project_id": made.ID}, &conv); err != nil {
		return "", run{}, err
	}
	err = p.call(ctx, "POST", "/conversations/"+conv.ID+"/runs", map[string]any{"text": "work"}, &started)
	started.ConversationID = conv.ID
	return made.ID, started, err
}

// lost finds the run of a conversation when the process died before it answered.
func (in *installation) lost(p *process) (project string, found run) {
	in.t.Helper()
	var projects, conversations struct{ Items []id }
	in.must(p, "GET", "/projects", nil, &projects)
	in.must(p, "GET", "/conversations", nil, &conversations)
	if len(projects.Items) != 1 || len(conversations.Items) != 1 {
		in.t.Fatalf("found %d projects and %d conversations", len(projects.Items), len(conversations.Items))
	}
	conv := conversations.Items[0].ID
	var messages struct {
		Items []struct {
			RunID string `json:"run_id"`
		}
	}
	in.must(p, "GET", "/conversations/"+conv+"/messages", nil, &messages)
	if len(messages.Items) == 0 { // it was never acknowledged, and is stored whole or not at all: it is sent again
		var started run
		in.must(p, "POST", "/conversations/"+conv+"/runs", map[string]any{"text": "work"}, &started)
		started.ConversationID = conv
		return projects.Items[0].ID, started
	}
	return projects.Items[0].ID, run{ID: messages.Items[0].RunID, ConversationID: conv}
}

// finish waits for the run's end and checks what a crash must not have broken.
func (in *installation) finish(p *process, project string, started run) (resumedAfter time.Duration) {
	in.t.Helper()
	var now run
	in.within(timeout, "the run goes on and ends", func(ctx context.Context) bool {
		if err := p.call(ctx, "GET", "/runs/"+started.ID, nil, &now); err != nil {
			in.t.Fatal(err)
		}
		if resumedAfter == 0 && (now.Attempt > 1 || now.Status == "completed") {
			resumedAfter = time.Since(p.ready)
		}
		return !slices.Contains([]string{"queued", "running"}, now.Status)
	})
	if now.Status != "completed" {
		in.t.Fatalf("the run ended as %s: %v", now.Status, now.Error)
	}
	in.checkTranscript(p, project, started, now)
	return resumedAfter
}

func (in *installation) checkTranscript(p *process, project string, started, ended run) {
	in.t.Helper()
	var messages struct{ Items []message }
	in.must(p, "GET", "/conversations/"+started.ConversationID+"/messages", nil, &messages)
	if len(messages.Items) != 2 || messages.Items[1].Text != "all of it is done" ||
		len(messages.Items[1].ToolCalls) != 5 {
		in.t.Errorf("the transcript is not whole: %+v", messages.Items)
	}
	calls := slices.Clone(messages.Items[len(messages.Items)-1].ToolCalls)
	for _, child := range ended.Children {
		var whole run
		in.must(p, "GET", "/runs/"+child.ID, nil, &whole)
		if whole.Status != "completed" || len(whole.ToolCalls) != 1 {
			in.t.Errorf("sub-agent %+v", whole)
		}
		calls = append(calls, whole.ToolCalls...)
	}
	var text string
	in.must(p, "GET", "/projects/"+project+"/files/log.txt", nil, &text)
	count := map[string]int{}
	for line := range strings.Lines(text) {
		count[strings.TrimSpace(line)]++
	}
	unknown := 0
	for _, c := range calls {
		if !json.Valid([]byte(c.Result)) {
			in.t.Errorf("the result of %s does not parse: %s", c.Function.Name, c.Result)
		}
		if c.Function.Name != "file_append" {
			if !c.Success {
				in.t.Errorf("%s may be repeated, yet it failed: %s", c.Function.Name, c.Result)
			}
			continue
		}
		var arguments struct{ Content string }
		if err := json.Unmarshal([]byte(c.Function.Arguments), &arguments); err != nil {
			in.t.Fatal(err)
		}
		times := count[strings.TrimSpace(arguments.Content)]
		switch {
		case strings.Contains(c.Result, `"code":"outcome_unknown"`):
			if unknown++; times > 1 {
				in.t.Errorf("a call with an unknown outcome wrote its line %d times", times)
			}
		case !c.Success || times != 1:
			in.t.Errorf("a call that says %s wrote its line %d times", c.Result, times)
		}
	}
	// Two sub-agents write at the same time; else there is one call in flight.
	if unknown > 2 {
		in.t.Errorf("%d calls have an unknown outcome", unknown)
	}
	var events string
	in.must(p, "GET", "/runs/"+started.ID+"/events", nil, &events)
	// A replay whose events are lost is a snapshot, with the message, and the end.
	whole := strings.Count(events, "event: message.completed\n") == 1 || strings.Contains(events, "event: snapshot\n")
	if strings.Count(events, "event: run.finished\n") != 1 || !whole {
		in.t.Errorf("the replay ends not once:\n%s", events)
	}
}

// CH5: the process dies before, during and after every checkpoint of a run, one
// at a time; each run goes on at the next start and ends, and nothing that has an
// effect is done twice.
func TestARunSurvivesADeathAtEveryCheckpoint(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	script(model)
	points := countPoints(t, model)
	t.Logf("%d points in a run", len(points))
	var slowest slowest
	// Calls that end together share a checkpoint, so that a run may have a few points less than another.
	var unreached atomic.Int32
	t.Cleanup(func() {
		t.Logf("slowest resume after ready: %s", slowest.d)
		if n := int(unreached.Load()); n > len(points)/10 {
			t.Errorf("%d of %d points were not reached", n, len(points))
		}
	})
	for at := range points {
		t.Run(fmt.Sprintf("%02d %s", at+1, points[at]), func(t *testing.T) {
			t.Parallel()
			in := install(t, model)
			first := in.start(fmt.Sprintf("NANOCLAW_FAULT_AT=%d", at+1))
			if first == nil {
				t.Fatal("the server died before it was ready")
			}
			project, started, err := in.begin(first)
			if err == nil && !in.reaches(first, started) {
				unreached.Add(1)
				first.kill()
			}
			<-first.exited
			second := in.start()
			if second == nil {
				t.Fatal("the server did not start again")
			}
			if err != nil {
				project, started = in.lost(second)
			}
			slowest.see(in.finish(second, project, started))
		})
	}
}

// reaches says whether the server dies before the run ends.
func (in *installation) reaches(p *process, started run) (died bool) {
	in.t.Helper()
	in.within(timeout, "the server reaches the point, or the run ends", func(ctx context.Context) bool {
		select {
		case <-p.exited:
			died = true
			return true
		default:
		}
		var now run
		err := p.call(ctx, "GET", "/runs/"+started.ID, nil, &now)
		return err == nil && now.Status == "completed"
	})
	return died
}

// CH5: deaths at random moments of the run, several in a row.
func TestARunSurvivesRandomDeaths(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	script(model)
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			in := install(t, model)
			p := in.start()
			project, started, err := in.begin(p)
			if err != nil {
				t.Fatal(err)
			}
			deaths := 0
			for range 3 {
				moment := time.NewTimer(rand.N(60 * time.Millisecond))
				<-moment.C
				var now run
				in.must(p, "GET", "/runs/"+started.ID, nil, &now)
				if now.Status != "running" && now.Status != "queued" {
					break // not inside the run any more
				}
				p.kill()
				deaths++
				if p = in.start(); p == nil {
					t.Fatal("the server did not start again")
				}
			}
			in.finish(p, project, started)
			t.Logf("%d deaths inside the run", deaths)
		})
	}
}

type slowest struct {
	mu sync.Mutex
	d  time.Duration
}

func (s *slowest) see(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.d = max(s.d, d)
}

// countPoints runs once without a death and returns the names of the points.
func countPoints(t *testing.T, model *llmtest.Server) []string {
	t.Helper()
	in := install(t, model)
	log := filepath.Join(in.dir, "points")
	p := in.start("NANOCLAW_FAULT_LOG=" + log)
	if p == nil {
		t.Fatal("the server did not start")
	}
	project, started, err := in.begin(p)
	if err != nil {
		t.Fatal(err)
	}
	in.finish(p, project, started)
	p.kill()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	points := strings.Fields(string(text))
	if len(points) < 30 {
		t.Fatalf("only %d points: %v", len(points), points)
	}
	return points
}
