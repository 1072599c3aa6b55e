package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/app"
	"nanoclaw/internal/datadir"
)

func TestRunShowsATurnAndExitsWithItsOutcome(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]struct {
		code   int
		stderr string
	}{
		"completed":   {0, "completed in 1.5 s, 7 tokens. Go on with: nanoclaw run --conversation conv\n"},
		"failed":      {1, "nanoclaw: the run failed: no key (model_auth)\n"},
		"interrupted": {1, "the run interrupted"},
		"cancelled":   {130, "cancelled in 1.5 s"},
	} {
		i := newInvocation(t)
		f := newFakeAPI(t, i)
		f.connections = []func(*eventStream){func(w *eventStream) {
			w.send("1", "run.started", `"attempt":1`)
			w.text("2", 0, "Hello ")
			w.send("3", "tool_call.finished",
				`"tool_call":{"id":"c","function":{"name":"calculator","arguments":"{\"expression\":\"1+1\"}"},"result":"{\"success\":true,\"data\":2}","success":true,"execution_time":0.002}`)
			w.text("4", 6, "world.")
			w.end(status, `,"error":{"code":"model_auth","message":"no key"}`)
		}}
		i.want(want.code, "Hello \n[tool] calculator 1+1 -> ok, 2 ms\nworld.\n", want.stderr, "run", "do", "this",
			"--model", "m")
		if strings.Contains(i.out.String(), "\x1b") {
			t.Errorf("%s: escape codes in a pipe: %q", status, i.out.String())
		}
		if got, want := f.asked(), `POST /conversations {"model":"m"}
POST /conversations/conv/runs {"model":"m","text":"do this"}
GET /runs/root/events`; got != want {
			t.Errorf("asked\n%s\nwant\n%s", got, want)
		}
	}
}

func TestRunTakesItsPromptFromTheStandardInput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"run", "-"}, {"run"}, {"run", "--json"}} {
		i := newInvocation(t)
		f := newFakeAPI(t, i)
		f.connections = []func(*eventStream){func(w *eventStream) { w.end("completed", "") }}
		i.stdin = strings.NewReader("zeig\nmir 文件\n")
		i.want(0, "", "", args...)
		if !strings.Contains(f.asked(), `{"text":"zeig\nmir 文件"}`) {
			t.Errorf("%q asked\n%s", args, f.asked())
		}
	}
	i := newInvocation(t)
	newFakeAPI(t, i)
	i.want(2, "", "the prompt is empty", "run", "-")
	i.want(2, "", "the prompt is empty", "run", " ")
	i.terminal = func(stream any) (int, int, bool) { return 80, 24, stream == i.stdin }
	i.want(2, "", "a prompt is missing", "run")
}

func TestRunPrintsTheEventsThemselves(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	f.connections = []func(*eventStream){func(w *eventStream) {
		w.text("1", 0, "a<b")
		w.end("completed", "")
	}}
	i.want(0, `{"type":"text.delta","run_id":"root","root_run_id":"root","step_id":"s","offset":0,"delta":"a<b"}`+"\n"+
		`{"type":"run.finished"`, "", "run", "--json", "x")
	if n := strings.Count(i.out.String(), "\n"); n != 2 || i.errors.Len() > 0 {
		t.Errorf("%d lines, stderr %q", n, i.errors.String())
	}
}

// CH2
func TestRunGoesOnBehindTheLastEventWhenTheStreamBreaks(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	f.connections = []func(*eventStream){
		func(w *eventStream) { w.text("1", 0, "one ") },
		func(w *eventStream) { http.Error(w, "bad gateway", http.StatusBadGateway) },
		func(w *eventStream) { w.text("1", 0, "one "); w.text("2", 4, "two ") },
		func(w *eventStream) {
			w.send("3", "snapshot",
				`"run":{"id":"root","status":"running"},"message":{"steps":[{"type":"text","step_id":"s","text":"one two three"}]}`)
			panic(http.ErrAbortHandler)
		},
		func(w *eventStream) { w.text("4", 13, " four"); w.end("completed", "") },
	}
	i.want(0, "one two three four\n", "completed", "run", "x")
	if want := "GET /runs/root/events\nGET /runs/root/events 1\nGET /runs/root/events 1\nGET /runs/root/events " +
		"2\nGET /runs/root/events 3"; !strings.HasSuffix(f.asked(), want) {
		t.Errorf("asked\n%s\nwant at the end\n%s", f.asked(), want)
	}
}

func TestAStreamThatIsSilentIsOpenedAnew(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	f.connections = []func(*eventStream){
		func(w *eventStream) { w.text("1", 0, "one "); <-w.gone },
		func(w *eventStream) { w.text("2", 4, "two"); w.end("completed", "") },
	}
	api := newClient(f.URL)
	api.silence = 20 * time.Millisecond
	var got []string
	err := api.follow(t.Context(), "root", func(data []byte) error {
		got = append(got, string(data))
		if strings.Contains(string(data), "run.finished") {
			return io.EOF
		}
		return nil
	})
	if err != io.EOF || len(got) != 3 {
		t.Errorf("%v, %q", err, got)
	}
}

func TestRunEndsWhenTheServerIsGoneOrRefuses(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	f.connections = []func(*eventStream){func(w *eventStream) { http.Error(w, "", http.StatusNotFound) }}
	i.want(1, "", "the server answered 404 Not Found", "run", "x")
	f.next, f.connections = 0, []func(*eventStream){func(w *eventStream) { w.WriteHeader(http.StatusNoContent) }}
	i.want(1, "", "before the run's end", "run", "x")
	f.next, f.connections = 0, []func(*eventStream){func(w *eventStream) { w.send("1", "text.delta", `"offset":"x"`) }}
	i.want(1, "", "read an event of the server", "run", "x")
	f.Close()
	i.want(1, "", "reach the server", "run", "x")
}

func TestRunTellsWhatIsWrongWithItsFlags(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		refused, answer string
		args            []string
		code            int
		stderr          string
	}{
		{"POST /conversations", "unknown_model: there is no model m; there are demo", []string{"--model", "m"}, 2,
			"nanoclaw: --model m: there is no model m; there are demo\n"},
		{"POST /conversations/c1/runs", "not_found: there is no conversation c1", []string{"--conversation", "c1"}, 2,
			"--conversation c1: "},
		{"POST /conversations/c1/runs", "run_active: a run is active", []string{"--conversation", "c1"}, 1,
			"starts when it has ended"},
		{"POST /conversations/conv/runs", "internal: mistake", nil, 1, "mistake"},
		{"POST /projects", "access_denied: in none of the project_roots", []string{"--project", "."}, 1,
			"takes directories below project_roots"},
		{"GET /projects?limit=100", "internal: mistake", []string{"--project", "."}, 1, "look for the project"},
	} {
		i := newInvocation(t)
		f := newFakeAPI(t, i)
		f.refuse[tc.refused] = tc.answer
		i.want(tc.code, "", tc.stderr, append([]string{"run", "x"}, tc.args...)...)
		opened := strings.Contains(f.asked(), "POST /conversations {")
		left := opened && f.refuse["POST /conversations"] == "" && !strings.Contains(f.asked(),
			"DELETE /conversations/conv")
		if left {
			t.Errorf("%s: an empty conversation is left behind:\n%s", tc.refused, f.asked())
		}
	}
	i := newInvocation(t)
	newFakeAPI(t, i)
	i.want(2, "", "--project: ", "run", "x", "--project", filepath.Join(i.dir, "missing"))
	i.want(2, "", "is no directory", "run", "x", "--project", i.vars["NANOCLAW_CONFIG"])
}

func TestRunFindsTheProjectOfADirectoryOrMakesIt(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	dir, err := filepath.EvalSymlinks(i.dir)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(i.dir, "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		there []string
		want  string
	}{
		{[]string{"/elsewhere", "", dir}, `"project_id":"project-2"`},
		{[]string{"/elsewhere"}, `"project_id":"made"`},
	} {
		f.projects, f.next, f.requests = tc.there, 0, nil
		f.connections = []func(*eventStream){func(w *eventStream) { w.end("completed", "") }}
		i.want(0, "", "", "run", "x", "--project", link)
		made := strings.Contains(f.asked(), `POST /projects {"name":"`+filepath.Base(dir)+`","path":"`+dir+`"}`)
		if strings.Count(f.asked(), tc.want) != 2 || made != strings.Contains(tc.want, "made") {
			t.Errorf("there is %q; asked\n%s", tc.there, f.asked())
		}
	}
}

// CH3
func TestCtrlCStopsTheRunThroughTheServer(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	ctx, interrupt := context.WithCancel(t.Context())
	f.connections = []func(*eventStream){func(w *eventStream) {
		w.text("1", 0, "one ")
		interrupt()
		<-f.stop
		w.text("2", 4, "two")
		w.end("cancelled", "")
	}}
	if code := i.runContext(ctx, "run", "x"); code != exitStopped {
		t.Errorf("exit code %d", code)
	}
	if got := i.out.String(); got != "one two\n" {
		t.Errorf("shown: %q", got)
	}
	if !strings.Contains(i.errors.String(), "stopping") || !strings.Contains(f.asked(), "POST /runs/root/cancel") {
		t.Errorf("stderr %q; asked\n%s", i.errors.String(), f.asked())
	}
}

func TestCtrlCBeforeTheRunIsThereStillStopsIt(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	ctx, interrupt := context.WithCancel(t.Context())
	interrupt()
	f.connections = []func(*eventStream){func(w *eventStream) { <-f.stop; w.end("cancelled", "") }}
	if code := i.runContext(ctx, "run", "--conversation", "conv", "x"); code != exitStopped ||
		!strings.Contains(f.asked(), "cancel") {
		t.Errorf("exit code %d, asked\n%s", code, f.asked())
	}
}

func TestRunDrawsOnATerminal(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		vars           map[string]string
		redraw, colour bool
	}{
		"colours":  {nil, true, true},
		"NO_COLOR": {map[string]string{"NO_COLOR": ""}, true, false},
		"dumb":     {map[string]string{"TERM": "dumb"}, false, false},
	} {
		i := newInvocation(t)
		for k, v := range tc.vars {
			i.vars[k] = v
		}
		f := newFakeAPI(t, i)
		f.connections = []func(*eventStream){func(w *eventStream) {
			w.send("1", "tool_call.started", `"tool_call":{"id":"c","function":{"name":"calculator","arguments":"{}"}}`)
			w.text("2", 0, "Hi.")
			w.end("completed", "")
		}}
		i.terminal = func(stream any) (int, int, bool) { return 60, 20, stream == i.stdout }
		i.want(0, "Hi.", "", "run", "x")
		if got := i.out.String(); strings.Contains(got, "\x1b[1A") != tc.redraw || strings.Contains(got,
			"\x1b[0m") != tc.colour {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestRunWaitsUntilTheOwnerOfTheDataServes(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	f := newFakeAPI(t, i)
	f.connections = []func(*eventStream){func(w *eventStream) { w.end("completed", "") }}
	answers := []*datadir.Owner{{PID: 7}, nil, {PID: 8, URL: f.URL}}
	i.owner = func(string) (*datadir.Owner, error) {
		answer := answers[0]
		answers = answers[1:]
		return answer, nil
	}
	i.serveApp = func(context.Context, app.ServeOptions) error {
		return &datadir.LockedError{Dir: "x", Owner: datadir.Owner{PID: 8}}
	}
	i.want(0, "", "completed", "run", "x")
	if len(answers) > 0 {
		t.Errorf("%d looks at the owner are left", len(answers))
	}
	i.owner = func(string) (*datadir.Owner, error) { return nil, nil }
	i.serveApp = func(context.Context, app.ServeOptions) error { return io.ErrUnexpectedEOF }
	i.want(1, "", "unexpected EOF", "run", "x")
	i.serveApp = func(context.Context, app.ServeOptions) error { return nil }
	i.want(1, "", "ended at once", "run", "x")
	i.configure("listen: nowhere\n")
	i.want(1, "", "listen: ", "run", "x")
}

func TestAServerThatListensEverywhereIsReachedOnTheLoopback(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://[::]:8787": "http://127.0.0.1:8787", "http://0.0.0.0:1": "http://127.0.0.1:1",
		"http://192.0.2.1:1": "http://192.0.2.1:1",
		"http://[::1]:8787":  "http://[::1]:8787", "http://localhost:1": "http://localhost:1",
	} {
		if got := reachable(base); got != want {
			t.Errorf("%s: %s", base, got)
		}
	}
}

// CL1: a run whose call was denied, or refused by a rule, and in which nothing was done
// since, has not done its task: a script sees it. What was done another way counts.
func TestARunThatWasNotAllowedToDoItsTaskFails(t *testing.T) {
	t.Parallel()
	const denied, blocked, wrong, done = "denied", "blocked", "not_found", ""
	for _, c := range []struct {
		calls []string // codes of the calls, in order
		exit  int
	}{
		{[]string{denied}, 1},
		{[]string{blocked}, 1},
		{[]string{done, denied, wrong}, 1},
		{[]string{denied, done}, 0},
		{[]string{wrong}, 0},
		{nil, 0},
	} {
		i := newInvocation(t)
		f := newFakeAPI(t, i)
		f.connections = []func(*eventStream){func(w *eventStream) {
			for n, code := range c.calls {
				w.send(fmt.Sprint(n), "tool_call.finished", fmt.Sprintf(
					`"tool_call":{"id":"c%d","function":{"name":"shell_execute","arguments":"{}"},"success":%t,"result":%q}`,
					n, code == "", fmt.Sprintf(`{"success":%t,"code":%q}`, code == "", code)))
			}
			w.end("completed", "")
		}}
		say := ""
		if c.exit == 1 {
			say = "a call of shell_execute was not allowed"
		}
		i.want(c.exit, "", say, "run", "x")
	}
}
