package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/datadir"
)

// house is a server in directories of its own, started and stopped by a test.
type house struct {
	t    *testing.T
	dir  string
	url  string
	log  *logbook
	stop context.CancelFunc
	done chan error
}

// alone keeps a test's models apart from the machine that it runs on, and its requests to those of runs.
const alone = "llm: {discover_env: false, discover_ollama: false}\ntitles: {generate: false}\n"

// testToken lets a test decide.
const testToken = "token of the tests"

func newHouse(t *testing.T, config string) *house {
	t.Helper()
	h := &house{t: t, dir: t.TempDir()}
	h.configure(config)
	h.start()
	t.Cleanup(func() {
		if err := h.close(); err != nil {
			t.Errorf("the server ended with %v\n%s", err, h.log)
		}
	})
	return h
}

func (h *house) source() config.Source {
	return config.Source{
		Path: filepath.Join(h.dir, "config.yml"),
		Env:  func(string) (string, bool) { return "", false },
		Flags: config.Overrides{
			Listen: "127.0.0.1:0", DataDir: filepath.Join(h.dir, "data"), WorkspaceRoot: filepath.Join(h.dir,
				"workspaces"),
		},
	}
}

func (h *house) configure(text string) {
	h.t.Helper()
	if err := config.Save(filepath.Join(h.dir, "config.yml"), []byte(alone+text)); err != nil {
		h.t.Fatal(err)
	}
}

// start serves until the house is closed.
func (h *house) start() {
	h.t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(h.t.Context()))
	h.log, h.stop, h.done = newLogbook(), stop, make(chan error, 1)
	ready := make(chan string, 1)
	go func() {
		h.done <- Serve(ctx, ServeOptions{Source: h.source(), Version: "test", Log: h.log, DecisionToken: testToken,
			Ready: func(url string) { ready <- url }})
	}()
	select {
	case h.url = <-ready:
	case err := <-h.done:
		h.t.Fatalf("the server did not start: %v\n%s", err, h.log)
	}
}

// close stops the server; again, it tells the same.
func (h *house) close() error {
	h.stop()
	err := <-h.done
	h.done <- err
	return err
}

// call sends JSON and reads JSON; into may be nil.
func (h *house) call(method, path, body string, into any) int {
	h.t.Helper()
	request, err := http.NewRequestWithContext(h.t.Context(), method, h.url+path, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("X-Decision-Token", testToken) // client and server are one process here
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		h.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		h.t.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
	return response.StatusCode
}

// logbook is a log that tells when something stands in it.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func newLogbook() *logbook { return &logbook{more: make(chan struct{}, 1)} }

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	select {
	case l.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logbook) await(t *testing.T, piece string) {
	t.Helper()
	late := time.After(time.Minute)
	for !strings.Contains(l.String(), piece) {
		select {
		case <-l.more:
		case <-late:
			t.Fatalf("%q never came:\n%s", piece, l)
		}
	}
}

func TestServeAnswersUntilItIsStoppedAndStartsAgainOnItsData(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "")
	var project struct{ ID string }
	if status := h.call("POST", "/api/v1/projects", `{"name":"kept"}`, &project); status != http.StatusCreated {
		t.Fatalf("status %d", status)
	}
	if status := h.call("GET", "/readyz", "", nil); status != http.StatusOK {
		t.Errorf("readyz: %d", status)
	}
	owner, err := datadir.FindOwner(filepath.Join(h.dir, "data"))
	if err != nil || owner == nil || *owner != (datadir.Owner{PID: os.Getpid(), URL: h.url}) {
		t.Errorf("owner %+v, %v", owner, err)
	}
	err = Serve(t.Context(), ServeOptions{Source: h.source(), Log: io.Discard})
	var locked *datadir.LockedError
	if !errors.As(err, &locked) || locked.Owner.URL != h.url {
		t.Errorf("a second server: %v", err)
	}

	if err := h.close(); err != nil {
		t.Fatalf("stopping: %v", err)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://")); err == nil {
		t.Error("the address is still served")
	}
	if owner, err := datadir.FindOwner(filepath.Join(h.dir, "data")); err != nil || owner != nil {
		t.Errorf("the data is still owned: %+v, %v", owner, err)
	}
	h.start()
	if status := h.call("GET", "/api/v1/projects/"+project.ID, "", nil); status != http.StatusOK {
		t.Errorf("after a restart: %d", status)
	}
}

func TestServeEndsWhileAStreamIsOpen(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "")
	response, err := http.Get(h.url + "/api/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := h.close(); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Log("the stream ended with", err)
	}
}

func TestServeSaysWhatKeepsItFromStarting(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, tc := range map[string]struct {
		change func(*config.Source)
		config string
		want   string
	}{
		"config":  {func(*config.Source) {}, "max_iterations: 0\nsub_agent: {max_tasks: 0}", "sub_agent.max_tasks"},
		"missing": {func(s *config.Source) { s.Path += "x" }, "", "no such file"},
		"address": {func(s *config.Source) { s.Flags.Listen = taken.Addr().String() }, "", "address already in use"},
		"data":    {func(s *config.Source) { s.Flags.DataDir = s.Path }, "", "make the data directory"},
	} {
		h := &house{t: t, dir: t.TempDir()}
		h.configure(tc.config)
		source := h.source()
		tc.change(&source)
		err := Serve(t.Context(), ServeOptions{Source: source, Log: io.Discard})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
		if name == "data" {
			continue
		}
		if owner, err := datadir.FindOwner(source.Flags.DataDir); err != nil || owner != nil {
			t.Errorf("%s: the data is still owned: %+v, %v", name, owner, err)
		}
	}
}

// CF2
func TestAChangedConfigurationIsInForceAtOnceAndAWrongOneIsKeptOut(t *testing.T) {
	t.Parallel()
	const model = "models: [{id: %s, base_url: 'http://127.0.0.1:1/v1', api_key: %s}]\n"
	h := newHouse(t, fmt.Sprintf(model, "first", "first-secret-key"))
	h.configure("max_iterations: 7\nlisten: 127.0.0.1:1\n" + fmt.Sprintf(model, "second", "second-secret-key"))
	h.log.await(t, "key=max_iterations from=15 to=7")
	h.awaitModels("second demo")

	h.configure("max_iterations: many\n" + fmt.Sprintf(model, "third", "third-secret-key"))
	h.log.await(t, "configuration kept as it was")
	h.awaitModels("second demo")
	if log := h.log.String(); strings.Contains(log, "secret-key") {
		t.Errorf("a key is in the log:\n%s", log)
	}

	h.configure("log_level: error\n")
	h.log.await(t, "key=log_level from=info to=error")
	h.awaitModels("demo")
}

// awaitModels asks until the API lists these models.
func (h *house) awaitModels(want string) {
	h.t.Helper()
	for {
		var list struct{ Items []struct{ ID string } }
		h.call("GET", "/api/v1/models", "", &list)
		var ids []string
		for _, m := range list.Items {
			ids = append(ids, m.ID)
		}
		if strings.Join(ids, " ") == want {
			return
		}
		if h.t.Context().Err() != nil {
			h.t.Fatalf("the models are %q, want %q", ids, want)
		}
	}
}
