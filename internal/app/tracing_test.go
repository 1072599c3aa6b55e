package app

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"nanoclaw/internal/llm/llmtest"
)

// receiver is a small OTLP/HTTP collector.
type receiver struct {
	t   *testing.T
	url string

	mu    sync.Mutex
	spans []*tracepb.Span
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		var export collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &export)
		}
		if err != nil || request.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", request.URL.Path, err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, resource := range export.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				r.spans = append(r.spans, scope.GetSpans()...)
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// tree is the spans of a trace, each as the names from the run's own span down.
func (r *receiver) tree(traceID string) (paths []string, root *tracepb.Span) {
	r.mu.Lock()
	defer r.mu.Unlock()
	byID := map[string]*tracepb.Span{}
	for _, span := range r.spans {
		if hex.EncodeToString(span.GetTraceId()) == traceID {
			byID[string(span.GetSpanId())] = span
			if span.GetName() == "run" {
				root = span
			}
		}
	}
	for _, span := range byID {
		path := span.GetName()
		for above := byID[string(span.GetParentSpanId())]; above != nil; above = byID[string(above.GetParentSpanId())] {
			path = above.GetName() + " > " + path
		}
		paths = append(paths, path)
	}
	return paths, root
}

// GR8: a run is one trace, which continues the caller's: its waiting for a worker and for a
// person, its model calls, tool calls and sub-agents. The model gets the trace too.
func TestARunIsOneTraceFromTheCallerToTheModel(t *testing.T) {
	t.Parallel()
	out := newReceiver(t)
	h, model, conversation, _ := guardedHouse(t, "log_format: json\ntelemetry: {otlp_endpoint: '"+out.url+"'}\n", "foo")
	model.On(llmtest.User("part")).Reply(llmtest.Text("a part"))
	model.On(llmtest.User("go")).Steps(
		llmtest.Calls(llmtest.Call{Name: "multi_agent", Arguments: `{"tasks":[{"name":"a","instruction":"part"}]}`}),
		llmtest.Calls(shellCall("rm -r foo")), llmtest.Text("done"))
	const trace, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		h.url+"/api/v1/conversations/"+conversation+"/runs", strings.NewReader(`{"text":"go"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("traceparent", "00-"+trace+"-"+caller+"-01")
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.StatusCode != http.StatusAccepted {
		t.Fatalf("%v, %v", answer, err)
	}
	var run struct{ ID string }
	if err := errors.Join(json.NewDecoder(answer.Body).Decode(&run), answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	asked := h.waiting(1)["rm -r foo"]
	h.call("POST", "/api/v1/approvals/"+asked.ID, `{"decision":"approve"}`, nil)
	h.ended(run.ID)
	if err := h.close(); err != nil { // sends what is left
		t.Fatal(err)
	}
	paths, root := out.tree(trace)
	if root == nil || hex.EncodeToString(root.GetParentSpanId()) != caller {
		t.Fatalf("the run's span is %v among %q", root, paths)
	}
	for _, want := range []string{"run > queue", "run > chat m", "run > execute_tool multi_agent",
		"run > execute_tool multi_agent > invoke_agent a > chat m", "run > execute_tool shell_execute",
		"run > approval shell_execute"} {
		if !slices.Contains(paths, want) {
			t.Errorf("no span %q among %q", want, paths)
		}
	}
	for _, request := range model.Requests() {
		if !strings.Contains(request.Header.Get("Traceparent"), trace) {
			t.Errorf("the model got traceparent %q", request.Header.Get("Traceparent"))
		}
	}
}

// GR8: a run without a caller's trace has one of its own, which its id names. Requests
// with a malformed traceparent are such.
func TestTheTraceOfARunIsItsID(t *testing.T) {
	t.Parallel()
	out := newReceiver(t)
	h, model, conversation, _ := guardedHouse(t, "telemetry: {otlp_endpoint: '"+out.url+"'}\n")
	model.Default().Reply(llmtest.Text("done"))
	run := h.send(conversation, "go")
	h.ended(run)
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	paths, root := out.tree(strings.ReplaceAll(run, "-", ""))
	if root == nil || len(root.GetParentSpanId()) != 0 || !slices.Contains(paths, "run > chat m") {
		t.Errorf("got %v among %q", root, paths)
	}
}
