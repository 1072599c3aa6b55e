package chaos

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

const hookSecret = "a secret of some length"

// triggered is an installation with a trigger: a schedule that is due when the server
// starts, or a hook.
type triggered struct {
	*installation
	kind, id string
}

// prepare makes the trigger. What it returns is the data directory to begin each life with.
func prepare(t *testing.T, model *llmtest.Server, kind string) (data string, trigger id) {
	t.Helper()
	in := install(t, model)
	p := in.start()
	if p == nil {
		t.Fatal("the server did not start")
	}
	if kind == "hooks" {
		in.must(p, "POST", "/hooks", map[string]any{"name": "hook", "auth": "token", "secret": hookSecret}, &trigger)
		p.kill()
		return filepath.Join(in.dir, "data"), trigger
	}
	due := time.Now().UTC().Truncate(time.Minute)
	in.must(p, "POST", "/schedules", map[string]any{"name": "schedule", "text": "work", "missed": "once",
		"cron": fmt.Sprintf("%d %d %d %d *", due.Minute(), due.Hour(), due.Day(), due.Month())}, &trigger)
	p.kill()
	data = filepath.Join(in.dir, "data")
	s, err := store.Open(t.Context(), store.Options{SQLiteFile: filepath.Join(data, "nanoclaw.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	schedule, err := store.GetTrigger[models.Schedule](t.Context(), s, "", trigger.ID)
	if err != nil {
		t.Fatal(err)
	}
	schedule.NextAt = models.TimeOf(due)
	if err := store.SaveTrigger(t.Context(), s, schedule); err != nil {
		t.Fatal(err)
	}
	return data, trigger
}

func (in *triggered) fire(p *process) {
	if in.kind != "hooks" {
		return // the server does it by itself
	}
	ctx, cancel := context.WithTimeout(in.t.Context(), timeout)
	defer cancel()
	url := strings.TrimSuffix(p.url, "/api/v1") + "/hooks/" + in.id
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(`{"a":1}`)))
	if err != nil {
		in.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+hookSecret)
	request.Header.Set("Idempotency-Key", "one")
	if answer, err := http.DefaultClient.Do(request); err == nil { // else the server is dead, as it should be
		answer.Body.Close()
	}
}

// fired waits until the run of the trigger has ended; false: the server was gone first.
func (in *triggered) fired(p *process) (alive bool) {
	in.t.Helper()
	in.within(timeout, "the run of the trigger ends", func(ctx context.Context) bool {
		select {
		case <-p.exited:
			return true
		default:
		}
		var firings struct {
			Items []struct {
				RunID string `json:"run_id"`
			}
		}
		var now run
		alive = p.call(ctx, "GET", "/"+in.kind+"/"+in.id+"/firings", nil, &firings) == nil &&
			len(firings.Items) > 0 && p.call(ctx, "GET", "/runs/"+firings.Items[0].RunID, nil, &now) == nil &&
			now.Status == "completed"
		return alive
	})
	return alive
}

// once fails the test unless the trigger has started one run.
func (in *triggered) once(p *process) {
	in.t.Helper()
	var firings struct {
		Items []struct{ Outcome string }
	}
	var conversations struct{ Items []id }
	in.must(p, "GET", "/"+in.kind+"/"+in.id+"/firings", nil, &firings)
	in.must(p, "GET", "/conversations", nil, &conversations)
	if len(firings.Items) != 1 || firings.Items[0].Outcome != "started" || len(conversations.Items) != 1 {
		in.t.Fatalf("firings %+v, %d conversations", firings.Items, len(conversations.Items))
	}
	var messages struct{ Items []message }
	in.must(p, "GET", "/conversations/"+conversations.Items[0].ID+"/messages", nil, &messages)
	if len(messages.Items) != 2 || messages.Items[1].Text != "done" {
		in.t.Errorf("the transcript is not whole: %+v", messages.Items)
	}
}

// IF7: a server that dies by kill -9 at any checkpoint around a firing fires once: a schedule
// by itself after the restart, a hook when its sender repeats the request.
func TestATriggerFiresOnceThoughTheServerDies(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	model.On(llmtest.Any()).Steps(llmtest.Text("done"))
	for _, kind := range []string{"schedules", "hooks"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			data, trigger := prepare(t, model, kind)
			begin := func(t *testing.T) *triggered {
				in := &triggered{install(t, model), kind, trigger.ID}
				if err := os.CopyFS(filepath.Join(in.dir, "data"), os.DirFS(data)); err != nil {
					t.Fatal(err)
				}
				return in
			}
			in := begin(t)
			log := filepath.Join(in.dir, "points")
			p := in.start("NANOCLAW_FAULT_LOG=" + log)
			if p == nil {
				t.Fatal("the server did not start")
			}
			in.fire(p)
			in.fired(p)
			in.once(p)
			p.kill()
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			points := strings.Fields(string(text))
			if len(points) < 5 {
				t.Fatalf("only %d points: %v", len(points), points)
			}
			unreached := 0
			for at, name := range points {
				t.Run(fmt.Sprintf("%02d %s", at+1, name), func(t *testing.T) {
					in := begin(t)
					if first := in.start(fmt.Sprintf("NANOCLAW_FAULT_AT=%d", at+1)); first != nil {
						in.fire(first)
						if in.fired(first) {
							unreached++ // this life has passed fewer points
						}
						first.kill()
					}
					second := in.start()
					if second == nil {
						t.Fatal("the server did not start again")
					}
					in.fire(second)
					in.fired(second)
					in.once(second)
				})
			}
			if unreached > len(points)/2 {
				t.Errorf("%d of %d deaths did not take place", unreached, len(points))
			}
		})
	}
}
