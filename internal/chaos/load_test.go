package chaos

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"nanoclaw/internal/llm/llmtest"
)

const (
	// requestTimeout is how long a client waits for an answer, and patience for how long
	// it sends a request again that was not answered.
	requestTimeout = 5 * time.Second
	patience       = time.Minute
	// streamCut is after how long a client's stream breaks, at most.
	streamCut = 4 * time.Second
)

// turns makes the model answer "turn <word>" with parallel calls, two sub-agents with one
// call each, a call that a person decides on, and a text of some length.
func turns(model *llmtest.Server) {
	encode := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	write := func(line string) llmtest.Call {
		return llmtest.Call{Name: "file_append", Arguments: encode(map[string]string{"path": "log.txt",
			"content": line + "\n"})}
	}
	count := func(word string) llmtest.Call {
		return llmtest.Call{Name: "mcp__outside__count", Arguments: encode(map[string]string{"word": word})}
	}
	read := llmtest.Call{Name: "file_read", Arguments: `{"path":"log.txt"}`}
	pace := func(r llmtest.Reply) llmtest.Reply { return r.After(100*time.Millisecond, 20*time.Millisecond) }
	model.On(llmtest.UserMatches(`^turn \S+$`)).Func(func(r llmtest.Request) llmtest.Reply {
		word := strings.TrimPrefix(r.User(), "turn ")
		switch r.Step() {
		case 1:
			return pace(llmtest.Calls(write(word+".1"), read, count(word+".2")).WithThinking("first I write and count"))
		case 2:
			return pace(llmtest.Calls(llmtest.Call{Name: "multi_agent", Arguments: encode(map[string]any{
				"tasks": []map[string]string{{"name": "a", "instruction": "child " + word + ".a"},
					{"name": "b", "instruction": "child " + word + ".b"}}})}))
		case 3:
			return pace(llmtest.Calls(write(word+".3"), read))
		}
		return pace(llmtest.Text(strings.Repeat("and so on ", 8) + word + " is done"))
	})
	model.On(llmtest.UserMatches(`^child \S+$`)).Func(func(r llmtest.Request) llmtest.Reply {
		word := strings.TrimPrefix(r.User(), "child ")
		if r.Step() == 1 {
			return pace(llmtest.Calls(write(word)))
		}
		return pace(llmtest.Text("the child " + word + " is done"))
	})
}

// load is conversations that go on until they are told to stop, and what they have seen.
type load struct {
	*cluster
	stopping chan struct{}
	wg       sync.WaitGroup

	mu      sync.Mutex
	turns   []*turn
	retries int // of requests
	resumes int // of streams
}

// turn is one run as its client saw it.
type turn struct {
	word    string
	project string
	run     run
	events  []sseEvent
	ended   bool
}

type sseEvent struct{ id, kind, data string }

// begin starts n conversations, each in a project of its own. Each one takes its next turn
// when the last one has ended, until finish.
func (c *cluster) begin(n int) *load {
	l := &load{cluster: c, stopping: make(chan struct{})}
	for i := range n {
		l.wg.Go(func() { l.converse(i) })
	}
	return l
}

// finish lets the turns end that are under way.
func (l *load) finish() {
	l.t.Helper()
	close(l.stopping)
	l.wg.Wait()
}

func (l *load) converse(i int) {
	ctx := l.t.Context()
	var project, conv id
	if err := errors.Join(
		l.send(ctx, "POST", "/projects", map[string]any{"name": fmt.Sprintf("p%d", i)}, &project),
		l.send(ctx, "PUT", "/projects/"+project.ID+"/files/log.txt", "begin\n", nil),
		l.send(ctx, "POST", "/conversations", map[string]any{"project_id": project.ID}, &conv)); err != nil {
		l.t.Errorf("conversation %d: %v", i, err)
		return
	}
	for n := 1; ; n++ {
		select {
		case <-l.stopping:
			return
		default:
		}
		t := &turn{word: fmt.Sprintf("%d.%d", i, n), project: project.ID}
		l.mu.Lock()
		l.turns = append(l.turns, t)
		l.mu.Unlock()
		if err := l.take(ctx, conv.ID, t); err != nil {
			l.t.Errorf("turn %s, run %s: %v", t.word, t.run.ID, err)
			return
		}
	}
}

// take starts a turn's run and follows its events until it has ended.
func (l *load) take(ctx context.Context, conv string, t *turn) error {
	if err := l.send(ctx, "POST", "/conversations/"+conv+"/runs", map[string]any{"text": "turn " + t.word},
		&t.run); err != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for !t.ended {
		if err := limit.Err(); err != nil {
			return fmt.Errorf("its events did not end: %w", err)
		}
		l.follow(limit, t)
	}
	return nil
}

// follow reads a stream until it ends or is cut, and goes on behind the last event.
func (l *load) follow(ctx context.Context, t *turn) {
	ctx, cancel := context.WithTimeout(ctx, streamCut/4+rand.N(streamCut))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", l.proxy.URL+"/api/v1/runs/"+t.run.ID+"/events", nil)
	if err != nil {
		panic(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	if n := len(t.events); n > 0 {
		request.Header.Set("Last-Event-ID", t.events[n-1].id)
	}
	l.mu.Lock()
	l.resumes++
	l.mu.Unlock()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNoContent {
		t.ended = true
		return
	}
	if response.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(response.Body)
		if response.StatusCode < 500 {
			l.t.Errorf("the events of run %s: %s: %s", t.run.ID, response.Status, answer)
		}
		sleep(ctx, 200*time.Millisecond)
		return
	}
	readEvents(response.Body, func(e sseEvent) {
		t.events = append(t.events, e)
		switch e.kind {
		case "approval.requested":
			l.approve(e)
		case "run.finished":
			t.ended = true
		}
	})
}

// readEvents parses a stream of events until it ends.
func readEvents(body io.Reader, see func(sseEvent)) {
	lines := bufio.NewReader(body)
	var e sseEvent
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return // what was not whole comes again
		}
		name, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		switch name {
		case "id":
			e.id = value
		case "event":
			e.kind = value
		case "data":
			e.data = value
		case "":
			if e.data != "" {
				see(e)
			}
			e = sseEvent{}
		}
	}
}

// approve decides as a person does.
func (l *load) approve(e sseEvent) {
	var asked struct {
		Approval id `json:"approval"`
	}
	if err := json.Unmarshal([]byte(e.data), &asked); err != nil || asked.Approval.ID == "" {
		l.t.Errorf("an approval without an id: %s", e.data)
		return
	}
	err := l.send(l.t.Context(), "POST", "/approvals/"+asked.Approval.ID, map[string]any{"decision": "approve"}, nil)
	if err != nil && !strings.Contains(err.Error(), `"state":"approved"`) { // the first answer may have been lost
		l.t.Errorf("approve: %v", err)
	}
}

// send is a client's request: where there is no answer, or one that says to try again, it is
// sent again with the same Idempotency-Key.
func (l *load) send(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	text, isText := body.(string)
	if !isText && body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = string(encoded)
	}
	key := fmt.Sprintf("%x", rand.Uint64())
	var tried []string
	for {
		status, answer, err := l.try(ctx, method, path, key, text)
		switch {
		case err == nil && status < 300:
			if into == nil {
				return nil
			}
			return json.Unmarshal(answer, into)
		case l.strict && (err != nil || status != http.StatusServiceUnavailable):
			return fmt.Errorf("%s %s: %d: %s, %v (after %v)", method, path, status, answer, err, tried)
		case err == nil && !passes(status, answer):
			return fmt.Errorf("%s %s: %d: %s (after %v)", method, path, status, answer, tried)
		}
		if len(tried) < 5 {
			tried = append(tried, fmt.Sprint(time.Now().Format("05.0 "), status, err, string(answer)))
		}
		if !sleep(ctx, 200*time.Millisecond) {
			return fmt.Errorf("%s %s: not answered within %s: %v", method, path, patience, tried)
		}
		l.mu.Lock()
		l.retries++
		l.mu.Unlock()
	}
}

// passes says whether a client tries again: a server is away, or one that may be gone was
// answering the same request.
func passes(status int, answer []byte) bool {
	return status == http.StatusServiceUnavailable || status == http.StatusBadGateway ||
		status == http.StatusConflict && bytes.Contains(answer, []byte("Idempotency-Key"))
}

func (l *load) try(ctx context.Context, method, path, key, body string) (int, []byte, error) {
	limit := requestTimeout
	if l.strict {
		limit = patience
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, l.proxy.URL+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if method == "POST" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// sleep waits, and says whether ctx still goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
