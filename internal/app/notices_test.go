package app

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// hook is a receiver that hands on what it gets.
type hook struct {
	*httptest.Server
	got     chan told
	refuses chan struct{} // each element is one request that is answered with 500
}

type told struct {
	id   string
	Type string
	Data struct {
		Type, Kind, Tool string
		RunID            string `json:"run_id"`
		Run              struct{ ID, Status string }
		Approval         struct {
			ID       string
			ToolCall struct {
				Function struct{ Arguments string }
			} `json:"tool_call"`
		}
	}
}

func newHook(t *testing.T) *hook {
	h := &hook{got: make(chan told, 100), refuses: make(chan struct{}, 100)}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-h.refuses:
			w.WriteHeader(http.StatusInternalServerError)
			return
		default:
		}
		message := told{id: r.Header.Get("webhook-id")}
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &message)
		}
		if err != nil || !strings.HasPrefix(r.Header.Get("webhook-signature"), "v1,") {
			t.Errorf("a message is %s with %v, %v", body, r.Header, err)
		}
		h.got <- message
	}))
	t.Cleanup(h.Close)
	return h
}

// CH13, SH9: the webhook is told of the end of a run, of a question, and of a
// command that hung; a receiver that fails is told again.
func TestTheWebhookIsTold(t *testing.T) {
	t.Parallel()
	model, receiver := llmtest.NewServer(t), newHook(t)
	h := newHouse(t, scripted(model, "guard: {level: off}\nshell: {policy: host}\nnotifications: {webhook: \""+
		receiver.URL+"/hook\", secret: sesame-open}\n"))
	project := h.create("/projects", `{"name":"p"}`)
	model.On(llmtest.User("go")).Steps(calls(t, "shell_execute", args{"command": "sleep 100", "timeout": 0.2}),
		llmtest.Text("done"))
	conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
	receiver.refuses <- struct{}{}
	events := h.events("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"go"}`)
	run := events[len(events)-1].RootRunID
	seen := map[string]told{}
	for range 2 {
		message := <-receiver.got
		seen[message.Type] = message
	}
	if end := seen["run.finished"]; end.Data.Run.ID != run || end.Data.Run.Status != "completed" ||
		!strings.HasPrefix(end.id, "evt_") {
		t.Errorf("of the end it was told %+v", end)
	}
	if alert := seen["alert"]; alert.Data.Kind != "timeout" || alert.Data.Tool != "shell_execute" ||
		alert.Data.RunID != run {
		t.Errorf("of the command it was told %+v", alert)
	}
	if text := h.text("/metrics"); !strings.Contains(text,
		`nanoclaw_command_anomalies_total{kind="timeout",tool="shell_execute"} 1`) {
		t.Error("the anomaly is not counted")
	}
	if text := h.text("/metrics"); !strings.Contains(text,
		`nanoclaw_sandbox_starts_total{policy="host",result="started"} 1`) {
		t.Error("the start of the shell is not counted")
	}
}

// CH13: what happened while the receiver did not answer is told after a restart,
// and nothing that was told is told again.
func TestTheWebhookIsToldAfterARestart(t *testing.T) {
	t.Parallel()
	model, receiver := llmtest.NewServer(t), newHook(t)
	h := newHouse(t, scripted(model, "notifications: {webhook: \""+receiver.URL+
		"\", secret: sesame-open, events: [run.finished]}\n"))
	model.On(llmtest.Any()).Reply(llmtest.Text("done"))
	say := func() string {
		conversation := h.create("/conversations", `{}`)
		events := h.events("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"go"}`)
		return events[len(events)-1].RootRunID
	}
	first := say()
	if got := <-receiver.got; got.Data.Run.ID != first {
		t.Errorf("it was told of %+v", got)
	}
	for range 50 {
		receiver.refuses <- struct{}{}
	}
	second, third := say(), say()
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
	for len(receiver.refuses) > 0 {
		<-receiver.refuses
	}
	h.start()
	for _, want := range []string{second, third} {
		if got := <-receiver.got; got.Data.Run.ID != want {
			t.Errorf("it was told of %+v, want run %s", got, want)
		}
	}
	if len(receiver.got) != 0 {
		t.Errorf("it was also told of %+v", <-receiver.got)
	}
}

// CH13, TG4: the webhook is told of a call that waits for a decision, with the marks that
// the card has.
func TestTheWebhookIsToldOfQuestions(t *testing.T) {
	t.Parallel()
	model, receiver := llmtest.NewServer(t), newHook(t)
	h := newHouse(t, scripted(model, "guard: {level: strict}\nnotifications: {webhook: \""+receiver.URL+
		"\", secret: sesame-open}\n"))
	project := h.create("/projects", `{"name":"p"}`)
	model.On(llmtest.User("go")).Steps(calls(t, "file_mkdir", args{"path": "d\u202egpj"}), llmtest.Text("done"))
	conversation := h.create("/conversations", `{"project_id":"`+project+`"}`)
	var run struct{ ID string }
	h.call("POST", "/api/v1/conversations/"+conversation+"/runs", `{"text":"go"}`, &run)
	asked := <-receiver.got
	if asked.Type != "approval.requested" || asked.Data.RunID != run.ID || asked.Data.Approval.ID == "" ||
		asked.Data.Approval.ToolCall.Function.Arguments != `{"path":"d⟨U+202E⟩gpj"}` {
		t.Fatalf("it was told of %+v", asked)
	}
	if status := h.call("POST", "/api/v1/approvals/"+asked.Data.Approval.ID, `{"decision":"deny"}`,
		nil); status != http.StatusOK {
		t.Errorf("the decision is answered with %d", status)
	}
	if end := <-receiver.got; end.Type != "run.finished" || end.Data.Run.ID != run.ID {
		t.Errorf("it was told of %+v", end)
	}
}
