package api

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
)

// askingGuard asks about texts that begin with "ask".
type askingGuard struct{}

func (askingGuard) Check(_ context.Context, c guard.Call) (guard.Decision, error) {
	if text := fmt.Sprint(c.Args["text"]); strings.HasPrefix(text, "ask") && c.Granted == nil {
		return guard.Decision{Verdict: guard.NeedsApproval, Coverages: []guard.Coverage{{Covers: guard.CoversCall},
			{Covers: guard.CoversTool}}, Findings: []guard.Finding{{ID: "test.ask",
			Severity: guard.Low, Message: "it asks"}}}, nil
	}
	return guard.Decision{Verdict: guard.Allow}, nil
}

func sayEcho(text string) llmtest.Call {
	return llmtest.Call{Name: "echo", Arguments: `{"text":"` + text + `"}`}
}

// asks starts a run whose calls of echo wait, and returns the conversation, the run
// and what waits, the longest first.
func (h *house) asks(texts ...string) (conversation string, run Run, waiting []*Approval) {
	h.t.Helper()
	conversation = h.newConversation(m{}).ID
	run, waiting = h.asksIn(conversation, texts...)
	return conversation, run, waiting
}

func (h *house) asksIn(conversation string, texts ...string) (run Run, waiting []*Approval) {
	h.t.Helper()
	var calls []llmtest.Call
	for _, text := range texts {
		calls = append(calls, sayEcho(text))
	}
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(calls...), llmtest.Text("done"))
	run = into[Run](h.do("POST", "/api/v1/conversations/"+conversation+"/runs", m{"text": "go"}).is(202))
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for len(waiting) < len(texts) {
		list := into[List[*Approval]](h.do("GET", "/api/v1/approvals?status=pending&conversation_id="+conversation,
			nil).is(200))
		waiting = list.Items
		select {
		case <-tick.C:
		case <-h.t.Context().Done():
			h.t.Fatal("they never wait")
		}
	}
	for i, j := 0, len(waiting)-1; i < j; i, j = i+1, j-1 {
		waiting[i], waiting[j] = waiting[j], waiting[i]
	}
	return run, waiting
}

// TG4, TG5: a call that waits is shown with all that a person needs, decided once,
// and told to everybody.
func TestACallIsApprovedOverTheAPI(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conversation, run, waiting := h.asks("ask 1")
	id := waiting[0].ID
	h.do("GET", "/api/v1/approvals/"+id, nil).is(200, `"status":"pending"`, `"decided_by":null`, `"name":"echo"`,
		`"message":"it asks"`,
		`"agent_path":"main"`, `"run_id":"`+run.ID, `"conversation_id":"`+conversation)
	h.do("POST", "/api/v1/approvals/"+id, m{"decision": "maybe"}).is(422, "decision")
	h.do("POST", "/api/v1/approvals/"+id, m{"decision": "deny", "scope": "always"}).is(422, "scope")
	h.do("POST", "/api/v1/approvals/"+id, m{"decision": "deny", "arguments": m{"text": "x"}}).is(422, "arguments")
	h.do("POST", "/api/v1/approvals/"+id, m{"decision": "approve", "arguments": m{"txt": "x"}}).is(422,
		`"code":"invalid_arguments"`, "text")
	h.do("POST", "/api/v1/approvals/nothing", m{"decision": "approve"}).is(404)
	h.do("POST", "/api/v1/approvals/"+id, m{"decision": "approve", "arguments": m{"text": "mended"}}).is(200,
		`"status":"approved"`, `"edited_arguments":"{\"text\":\"mended\"}"`, `"scope":"once"`)
	h.do("POST", "/api/v1/approvals/"+id, m{"decision": "deny"}).is(409, `"code":"already_decided"`,
		`"state":"approved"`)
	events := h.do("GET", "/api/v1/runs/"+run.ID+"/events", nil).is(200, "event: approval.requested",
		"event: approval.resolved", "event: run.finished")
	if !strings.Contains(events.body, `\"data\":\"mended\"`) {
		t.Errorf("the edited call did not run: %s", events.body)
	}
	h.do("GET", "/api/v1/audit?outcome=approved", nil).is(200, `"kind":"decision"`, `"tool":"echo"`, "mended")
}

// TG4: the API shows what an approval can cover and takes one of that, and nothing wider.
func TestACoverageIsChosenOverTheAPI(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, waiting := h.asks("ask 1")
	path := "/api/v1/approvals/" + waiting[0].ID
	h.do("GET", path, nil).is(200, `"coverages":[{"covers":"call"},{"covers":"tool"}]`)
	h.do("POST", path, m{"decision": "approve", "scope": "always", "covers": "everything"}).is(422, "covers")
	h.do("POST", path, m{"decision": "approve", "scope": "always", "covers": "prefix"}).is(422,
		`"code":"invalid_coverage"`, "only: call, tool", `"location":"body.covers"`)
	h.do("POST", path, m{"decision": "approve", "scope": "always", "covers": "tool", "pattern": "*"}).is(422, "pattern")
	h.do("POST", path, m{"decision": "approve", "covers": "tool"}).is(422, `"code":"invalid_coverage"`)
	h.do("POST", path, m{"decision": "deny", "covers": "tool"}).is(422, `"code":"invalid_coverage"`)
	h.do("POST", path, m{"decision": "approve", "scope": "always", "covers": "tool"}).is(200,
		`"coverage":{"covers":"tool"}`)
	h.do("GET", "/api/v1/approvals/rules", nil).is(200, `"coverage":{"covers":"tool"}`, `"arguments":""`)
}

// TG5: the snapshot of a stream carries what waits.
func TestASnapshotCarriesWhatWaits(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conversation, run, waiting := h.asks("ask 1", "ask 2")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watch, err := h.runs.WatchConversation(ctx, models.LocalUserID, conversation, "")
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	first, err := watch.Next(ctx)
	if err != nil || first.Type != "snapshot" || strings.Count(string(first.Data), waiting[1].ID) < 1 {
		t.Errorf("the first event is %s %s, %v", first.Type, first.Data, err)
	}
	h.do("POST", "/api/v1/runs/"+run.ID+"/cancel", nil).is(200)
}

// TG5: two tabs decide at once: one wins, the other gets 409.
func TestTwoTabsDecideAtOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, _, waiting := h.asks("ask 1")
	answers := make(chan int, 2)
	for _, decision := range []string{"approve", "deny"} {
		go func() { answers <- h.do("POST", "/api/v1/approvals/"+waiting[0].ID, m{"decision": decision}).status }()
	}
	if first, second := <-answers, <-answers; first+second != 200+409 {
		t.Errorf("answered with %d and %d", first, second)
	}
}

// TG5: what is another user's is not there; an administrator sees and decides it.
func TestAForeignApprovalIsNotThere(t *testing.T) {
	t.Parallel()
	h := newHouse(t, multi)
	_, _, waiting := h.asks("ask 1")
	as := func(role string) context.Context {
		user := &models.User{Name: role, Role: role}
		if err := h.store.CreateUser(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		return context.WithValue(t.Context(), requestKey{}, request{user: user.ID, logger: slog.Default(),
			identity: &accounts.Identity{User: user, Session: &models.Session{}}})
	}
	stranger, admin := as("user"), as("admin")
	in := &decideInput{PathID: PathID{waiting[0].ID}}
	in.Body.Decision = "approve"
	if _, err := h.server.decide(stranger, in); err == nil || problemOf(err).Status != 404 {
		t.Errorf("a stranger decides: %v", err)
	}
	if _, err := h.server.getApproval(stranger, &in.PathID); err == nil || problemOf(err).Status != 404 {
		t.Errorf("a stranger looks: %v", err)
	}
	if list, err := h.server.listApprovals(stranger, &listApprovalsInput{}); err != nil || len(list.Body.Items) != 0 {
		t.Errorf("a stranger's list: %+v, %v", list, err)
	}
	in.Body.Scope = "always"
	if out, err := h.server.decide(admin, in); err != nil || out.Body.Status != "approved" {
		t.Errorf("an administrator decides: %+v, %v", out, err)
	}
	rules := into[List[ApprovalRule]](h.do("GET", "/api/v1/approvals/rules", nil).is(200))
	if len(rules.Items) != 1 || rules.Items[0].UserID != models.LocalUserID ||
		rules.Items[0].ApprovalID != waiting[0].ID {
		t.Fatalf("rules %+v", rules)
	}
	if _, err := h.server.revokeApprovalRule(stranger, &PathID{rules.Items[0].ID}); err == nil ||
		problemOf(err).Status != 404 {
		t.Errorf("a stranger revokes: %v", err)
	}
	h.do("DELETE", "/api/v1/approvals/rules/"+rules.Items[0].ID, nil).is(204)
	h.do("DELETE", "/api/v1/approvals/rules/"+rules.Items[0].ID, nil).is(404)
	h.do("GET", "/api/v1/approvals/rules", nil).is(200, `"items":[]`)
}

// TG5: to a run that waits /approve and /deny are commands: 200, no new run, and
// no word of it to the model.
func TestACommandInTheChatDecides(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	conversation, run, waiting := h.asks("ask 1", "ask 2", "ask 3")
	path := "/api/v1/conversations/" + conversation + "/runs"
	h.do("POST", path, m{"text": "/approve"}).is(409, `"code":"which_approval"`, "1) echo", "ask 3", "/approve 1")
	h.do("POST", path, m{"text": "/approve 4"}).is(409, `"code":"which_approval"`, "no number 4")
	h.do("POST", path, m{"text": "/deny 99999999999999999999"}).is(409, `"code":"which_approval"`, "no number 9999")
	h.do("POST", path, m{"text": "/approve 1 forever"}).is(422, "forever")
	h.do("POST", path, m{"text": " /approve 2 conversation"}).is(200, `"command":"approve"`, waiting[1].ID,
		`"scope":"conversation"`)
	h.do("POST", path, m{"text": "/deny " + waiting[2].ID + " not  this one"}, "Accept", "text/event-stream").is(200,
		`"command":"deny"`, `"reason":"not this one"`)
	// One waits: an id that is not its own does not mean it.
	h.do("POST", path, m{"text": "/deny " + waiting[2].ID}).is(409, `"code":"which_approval"`, waiting[2].ID, "1) echo")
	h.do("POST", path, m{"text": "/approve " + waiting[1].ID}).is(409, `"code":"which_approval"`)
	h.do("POST", path, m{"text": "/deny no more"}).is(200, waiting[0].ID, `"reason":"no more"`)
	h.do("GET", "/api/v1/runs/"+run.ID+"/events", nil).is(200, `"status":"completed"`)
	h.do("POST", path, m{"text": "/approve"}).is(409, `"code":"no_pending_approval"`)
	list := into[Messages](h.do("GET", "/api/v1/conversations/"+conversation+"/messages", nil).is(200))
	if len(list.Items) != 2 || h.model.Calls(llmtest.UserContains("/approve")) != 0 ||
		h.model.Calls(llmtest.UserContains("/deny")) != 0 {
		t.Errorf("%d messages", len(list.Items))
	}
	h.model.On(llmtest.User("/approved is a word")).Reply(llmtest.Text("so it is"))
	h.do("POST", path, m{"text": "/approved is a word"}, "Accept", "text/event-stream").is(200, "so it is")
}
