package api

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm/llmtest"
)

// stream is an open event stream.
type stream struct {
	t        testing.TB
	response *http.Response
	lines    *bufio.Reader
	cancel   context.CancelFunc
}

// watch opens an event stream; it is closed at the test's end.
func (h *house) watch(path string, headers ...string) *stream {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 20*time.Second)
	h.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", h.web.URL+path, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { response.Body.Close() })
	return &stream{h.t, response, bufio.NewReader(response.Body), cancel}
}

// block reads to the next empty line; "" is the end.
func (s *stream) block() string {
	s.t.Helper()
	var b strings.Builder
	for {
		line, err := s.lines.ReadString('\n')
		b.WriteString(line)
		if errors.Is(err, context.DeadlineExceeded) {
			s.t.Fatal("the stream does not end")
		}
		if err != nil || line == "\n" {
			return b.String()
		}
	}
}

func (s *stream) next() event {
	s.t.Helper()
	for {
		block := s.block()
		if block == "" {
			return event{}
		}
		if events := parseEvents(s.t, block); len(events) == 1 {
			return events[0]
		}
	}
}

func (s *stream) rest() []event {
	var all []event
	for e := s.next(); e.kind != ""; e = s.next() {
		all = append(all, e)
	}
	return all
}

// CH2: the stream has the headers and the form that browsers and proxies need.
func TestAStreamIsWhatAnEventSourceReads(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("line one\nline two\r\nthree"))
	c := h.newConversation(m{})
	run := into[Run](h.do("POST", "/api/v1/conversations/"+c.ID+"/runs", m{"text": "go"}).is(202))
	s := h.watch("/api/v1/runs/" + run.ID + "/events")
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store",
		"X-Accel-Buffering": "no"} {
		if got := s.response.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	events := s.rest()
	if last := events[len(events)-1]; last.kind != "run.finished" || !contains(last.data, `"status":"completed"`) {
		t.Errorf("the last is %+v", last)
	}
	seen := map[string]bool{}
	for _, e := range events {
		if e.id == "" || seen[e.id] {
			t.Errorf("the cursor %q comes twice", e.id)
		}
		seen[e.id] = true
		for _, field := range []string{`"type":"` + e.kind + `"`, `"run_id":"`, `"root_run_id":"`, `"agent_path":"`,
			`"time":"`} {
			if !contains(e.data, field) {
				t.Errorf("%s lacks %s", e.data, field)
			}
		}
	}
}

// CH2, CH5: a client that is cut anywhere and resumes sees what one saw that was
// never cut; with the last cursor there is nothing left.
func TestAStreamResumesBehindAnyCursorWithoutGapOrRepetition(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Steps(
		llmtest.Calls(llmtest.Call{Name: "echo", Arguments: `{"text":"a"}`}, llmtest.Call{Name: "echo",
			Arguments: `{"text":"b"}`}).WithThinking("let me see"),
		llmtest.Text(strings.Repeat("word ", 30)))
	c := h.newConversation(m{})
	run := into[Run](h.do("POST", "/api/v1/conversations/"+c.ID+"/runs", m{"text": "go"}).is(202))
	path := "/api/v1/runs/" + run.ID + "/events"
	whole := h.watch(path).rest()
	for i, from := range whole {
		tail := whole[i+1:]
		if len(tail) == 0 {
			if a := h.do("GET", path, nil, "Last-Event-ID", from.id).is(204); a.body != "" {
				t.Errorf("204 with %q", a.body)
			}
			h.do("GET", path+"?after="+from.id, nil).is(204)
			continue
		}
		if got := h.watch(path, "Last-Event-ID", from.id).rest(); !slices.Equal(got, tail) {
			t.Fatalf("behind event %d came %d events, want %d", i, len(got), len(tail))
		}
		if got := h.watch(path + "?after=" + from.id).rest(); !slices.Equal(got, tail) {
			t.Fatalf("?after= event %d gave %d events, want %d", i, len(got), len(tail))
		}
	}
	if got := h.watch(path + "?after=other-1").next(); got.kind != "snapshot" {
		t.Errorf("an unknown cursor is answered with %s", got.kind)
	}
	if got := h.watch(path+"?after="+whole[len(whole)-2].id, "Last-Event-ID", whole[0].id).rest(); !slices.Equal(got,
		whole[1:]) {
		t.Errorf("the header must win over the query")
	}
}

// CH1: what is read first and then followed from events_cursor misses nothing; two
// who watch see the same.
func TestAConversationIsFollowedFromWhatWasRead(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.Any()).Reply(llmtest.Text("ok"))
	c := h.newConversation(m{})
	list := into[Messages](h.do("GET", "/api/v1/conversations/"+c.ID+"/messages", nil).is(200))
	h.say(c.ID, "hi")
	one := h.watch("/api/v1/conversations/" + c.ID + "/events?after=" + list.EventsCursor)
	two := h.watch("/api/v1/events", "Last-Event-ID", list.EventsCursor)
	for i := 0; ; i++ {
		a, b := one.next(), two.next()
		if a != b {
			t.Fatalf("event %d is %+v for one and %+v for the other", i, a, b)
		}
		if i == 0 && a.kind != "message.created" {
			t.Errorf("the first event is %+v", a)
		}
		if a.kind == "run.finished" {
			break
		}
	}
}

// Silence is broken by comments, so that no proxy closes the stream.
func TestASilentStreamGetsHeartbeats(t *testing.T) {
	t.Parallel()
	h := newHouse(t, func(_ *house, c *config.Config) { c.HTTP.Heartbeat = config.Duration(5 * time.Millisecond) })
	s := h.watch("/api/v1/events")
	s.next()
	for range 3 {
		if block := s.block(); block != ": \n\n" {
			t.Errorf("silence was broken by %q", block)
		}
	}
}

// A server that stops ends its streams at once; a client that leaves frees its.
func TestStreamsEndWithTheClientAndWithTheServer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	leaving := h.watch("/api/v1/events")
	leaving.next()
	h.awaitMetric("nanoclaw_sse_streams 1")
	leaving.cancel()
	h.awaitMetric("nanoclaw_sse_streams 0")

	staying := h.watch("/api/v1/events")
	staying.next()
	h.log.Close()
	if e := staying.next(); e.kind != "" {
		t.Errorf("after the end came %+v", e)
	}
	h.awaitMetric("nanoclaw_sse_streams 0")
}

// awaitMetric reads the metrics until a line is there.
func (h *house) awaitMetric(line string) {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 10*time.Second)
	defer cancel()
	for ctx.Err() == nil {
		if contains(h.do("GET", "/metrics", nil).is(200).body, "\n"+line+"\n") {
			return
		}
	}
	h.t.Fatalf("the metrics never said %s", line)
}

// A client that takes nothing does not hold its stream for ever: each batch has
// its time.
func TestEachBatchOfEventsHasItsTime(t *testing.T) {
	t.Parallel()
	conn := &deadlines{}
	w := &eventWriter{out: conn, conn: http.NewResponseController(conn)}
	for range 2 {
		if err := w.beat(); err != nil {
			t.Fatal(err)
		}
	}
	if len(conn.set) != 2 || conn.set[0].Before(time.Now()) || conn.flushed != 2 {
		t.Errorf("deadlines %v, %d flushes", conn.set, conn.flushed)
	}
}

// deadlines is a connection that notes what is asked of it.
type deadlines struct {
	set     []time.Time
	flushed int
}

func (d *deadlines) Header() http.Header                { return http.Header{} }
func (d *deadlines) Write(p []byte) (int, error)        { return len(p), nil }
func (d *deadlines) WriteHeader(int)                    {}
func (d *deadlines) FlushError() error                  { d.flushed++; return nil }
func (d *deadlines) SetWriteDeadline(t time.Time) error { d.set = append(d.set, t); return nil }
