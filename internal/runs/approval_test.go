package runs

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

func note(line string) llmtest.Call {
	return llmtest.Call{Name: "note", Arguments: `{"line":"` + line + `"}`}
}

// TG4, EX5: a guarded call waits in the database, holds no worker and no lease, and
// goes on from there when it is approved.
func TestAGuardedCallWaitsUntilItIsApproved(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask 1")), llmtest.Text("done"))
	run := h.send(h.conversation(), "go")
	approval := h.waiting(run.ID, 1)["ask 1"]
	h.rests(run.ID)
	stored, err := h.store.Run(t.Context(), "", run.ID)
	if err != nil || stored.LeaseUntil != 0 || h.runs.ActiveRuns() != 0 || len(h.noted()) != 0 {
		t.Fatalf("run %+v, %d at work, notes %v, %v", stored, h.runs.ActiveRuns(), h.noted(), err)
	}
	if approval.Tool != "note" || approval.AgentPath != "main" || approval.ArgumentsHash == "" ||
		strings.Contains(string(approval.Findings), "the-secret-key") {
		t.Errorf("approval %+v", approval)
	}
	view := h.decide(approval, nil)
	if view.Status != models.ApprovalApproved || view.Scope != models.ScopeOnce ||
		*view.DecidedBy != models.LocalUserID {
		t.Errorf("decided: %+v", view)
	}
	events := h.events(run.ID)
	ended, message := h.answer(run.ID)
	if ended.Status != models.RunCompleted || message.Text != "done" || !slices.Equal(h.noted(), []string{"ask 1"}) {
		t.Errorf("run %+v, message %q, notes %v", ended, message.Text, h.noted())
	}
	got := types(events)
	asked, resolved, finished := slices.Index(got, EventApprovalAsked), slices.Index(got, EventApprovalResolved),
		slices.Index(got, EventCallFinished)
	if asked < 0 || resolved < asked || finished < resolved {
		t.Errorf("events %v", got)
	}
	if _, err := h.tryDecide(approval, nil); !store.IsDecided(err) {
		t.Errorf("deciding again: %v", err)
	}
}

// TG4: the model sees the reason of a denial, and the call does not run.
func TestADenialTellsTheModelWhy(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask 1")), llmtest.Text("saw {{last}}"))
	run := h.send(h.conversation(), "go")
	h.decide(h.waiting(run.ID, 1)["ask 1"], func(r *DecideRequest) { r.Approve, r.Reason = false, "use another name" })
	h.events(run.ID)
	_, message := h.answer(run.ID)
	if !strings.Contains(message.Text, "use another name") || !strings.Contains(message.Text, `"code":"denied"`) ||
		len(h.noted()) != 0 {
		t.Errorf("message %q, notes %v", message.Text, h.noted())
	}
}

// TG4: an approval with other arguments runs those, shows those, and covers those
// alone; ones that the tool does not take are refused at once and it waits on.
func TestACallIsApprovedWithOtherArguments(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask 1")), llmtest.Calls(note("ask 2")),
		llmtest.Calls(note("ask 1")), llmtest.Text("done"))
	run := h.send(h.conversation(), "go")
	approval := h.waiting(run.ID, 1)["ask 1"]
	for _, wrong := range []map[string]any{{"line": 7}, {}, {"line": "x", "colour": "red"}} {
		_, err := h.tryDecide(approval, func(r *DecideRequest) { r.Arguments = wrong })
		if tools.CodeOf(err) != tools.CodeInvalidArguments || !strings.Contains(err.Error(), "line") &&
			!strings.Contains(err.Error(), "colour") {
			t.Errorf("arguments %v: %v", wrong, err)
		}
	}
	view := h.decide(approval, func(r *DecideRequest) {
		r.Arguments, r.Scope = map[string]any{"line": "ask 2"}, models.ScopeConversation
	})
	if view.EditedArguments != `{"line":"ask 2"}` || view.ToolCall.Function.Arguments != `{"line":"ask 1"}` {
		t.Errorf("decided: %+v", view)
	}
	// The second call is the one that was approved for the conversation; the third is not.
	h.decide(h.waiting(run.ID, 1)["ask 1"], func(r *DecideRequest) { r.Approve = false })
	h.events(run.ID)
	_, message := h.answer(run.ID)
	if !slices.Equal(h.noted(), []string{"ask 2", "ask 2"}) ||
		message.ToolCalls[0].Function.Arguments != `{"line":"ask 2"}` || message.ToolCalls[2].Success {
		t.Errorf("notes %v, calls %+v", h.noted(), message.ToolCalls)
	}
}

// FS5: a decision's row in the audit has long arguments cut, as every row has.
func TestTheAuditOfADecisionCutsLongArguments(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.AuditText = 100 })
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask 1"+strings.Repeat("x", 500))), llmtest.Text("done"))
	run := h.send(h.conversation(), "go")
	for _, approval := range h.waiting(run.ID, 1) {
		h.decide(approval, func(r *DecideRequest) { r.Arguments = map[string]any{"line": strings.Repeat("y", 600)} })
	}
	h.events(run.ID)
	list, err := h.store.ListAudit(t.Context(), store.AuditQuery{Kind: models.AuditDecision,
		Outcome: models.ApprovalApproved})
	if err != nil || len(list.Items) != 1 || !strings.Contains(list.Items[0].Arguments, "sha256") ||
		strings.Contains(list.Items[0].Arguments, strings.Repeat("y", 101)) {
		t.Errorf("the audit has %+v, %v", list.Items, err)
	}
}

// TG4: the guard judges edited arguments again, and what it denies nobody can approve.
func TestEditedArgumentsAreJudgedAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask 1")), llmtest.Text("saw {{last}}"))
	run := h.send(h.conversation(), "go")
	h.decide(h.waiting(run.ID, 1)["ask 1"],
		func(r *DecideRequest) { r.Arguments = map[string]any{"line": "forbidden"} })
	h.events(run.ID)
	if _, message := h.answer(run.ID); !strings.Contains(message.Text, `"code":"blocked"`) || len(h.noted()) != 0 {
		t.Errorf("message %q, notes %v", message.Text, h.noted())
	}
}

// TG4: "always" and "for this conversation" cover the same call alone, where they
// were given; a revoked one covers nothing.
func TestAStandingApprovalCoversTheSameCallAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("foo")).Steps(llmtest.Calls(note("ask foo")), llmtest.Text("done"))
	h.model.On(llmtest.User("bar")).Steps(llmtest.Calls(note("ask bar")), llmtest.Text("done"))
	here, elsewhere := h.conversation(), h.conversation()
	run := h.send(here, "foo")
	h.decide(h.waiting(run.ID, 1)["ask foo"], func(r *DecideRequest) { r.Scope = models.ScopeConversation })
	h.events(run.ID)
	h.events(h.send(here, "foo").ID) // does not ask
	again := h.send(elsewhere, "foo")
	h.decide(h.waiting(again.ID, 1)["ask foo"], func(r *DecideRequest) { r.Scope = models.ScopeAlways })
	h.events(again.ID)
	h.events(h.send(h.conversation(), "foo").ID) // does not ask
	other := h.send(here, "bar")
	h.decide(h.waiting(other.ID, 1)["ask bar"], func(r *DecideRequest) { r.Approve = false })
	h.events(other.ID)
	rules, err := h.store.ListApprovalRules(t.Context(), models.LocalUserID, store.Page{})
	if err != nil || len(rules.Items) != 2 || rules.Items[0].ConversationID != nil ||
		*rules.Items[1].ConversationID != here.ID || rules.Items[0].Arguments != `{"line":"ask foo"}` {
		t.Fatalf("rules %+v, %v", rules.Items, err)
	}
	if _, err := h.store.RevokeApprovalRule(t.Context(), store.NewID(), rules.Items[0].ID, "x"); !store.IsCode(err,
		store.CodeNotFound) {
		t.Errorf("a foreign user revokes: %v", err)
	}
	if _, err := h.store.RevokeApprovalRule(t.Context(), models.LocalUserID, rules.Items[0].ID,
		models.LocalUserID); err != nil {
		t.Fatal(err)
	}
	last := h.send(h.conversation(), "foo")
	h.decide(h.waiting(last.ID, 1)["ask foo"], nil)
	h.events(last.ID)
	if got := len(h.noted()); got != 5 {
		t.Errorf("%d notes, want 5", got)
	}
}

// TG4: an approval of a tool covers its other calls, also those that wait already.
func TestAnApprovalOfAToolCoversItsOtherCalls(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("foo")).Steps(llmtest.Calls(note("ask foo"), note("ask bar")), llmtest.Text("done"))
	h.model.On(llmtest.User("more")).Steps(llmtest.Calls(note("ask more")), llmtest.Text("done"))
	here := h.conversation()
	run := h.send(here, "foo")
	foo := h.waiting(run.ID, 2)["ask foo"]
	h.rests(run.ID)
	for name, change := range map[string]func(*DecideRequest){
		"without a scope": func(r *DecideRequest) { r.Covers = "tool" },
		"once":            func(r *DecideRequest) { r.Scope, r.Covers = models.ScopeOnce, "tool" },
		"not offered":     func(r *DecideRequest) { r.Scope, r.Covers = models.ScopeAlways, "prefix" },
		"unknown":         func(r *DecideRequest) { r.Scope, r.Covers = models.ScopeAlways, "*" },
		"of a denial":     func(r *DecideRequest) { r.Approve, r.Covers = false, "tool" },
		"of other arguments": func(r *DecideRequest) {
			r.Scope, r.Covers, r.Arguments = models.ScopeAlways, "tool", map[string]any{"line": "x"}
		},
	} {
		var invalid *InvalidError
		if _, err := h.tryDecide(foo, change); !errors.As(err, &invalid) || invalid.Code != CodeInvalidCoverage {
			t.Errorf("%s: %v", name, err)
		}
	}
	view := h.decide(foo, func(r *DecideRequest) { r.Scope, r.Covers = models.ScopeConversation, "tool" })
	if view.Coverage == nil || view.Coverage.Covers != "tool" {
		t.Errorf("the decision is %+v", view)
	}
	h.events(run.ID)
	h.events(h.send(here, "more").ID) // does not ask
	elsewhere := h.send(h.conversation(), "more")
	h.waiting(elsewhere.ID, 1)
	if got := h.noted(); !slices.Equal(got, []string{"ask foo", "ask bar", "ask more"}) {
		t.Errorf("notes %v", got)
	}
	// The run may be at work again before the decision reaches the other call: then the call finds itself
	// covered, and nothing was decided of it.
	audit, err := h.store.ListAudit(t.Context(), store.AuditQuery{Kind: models.AuditDecision})
	var details []string
	for _, row := range audit.Items {
		details = append(details, row.Detail)
	}
	if err != nil || !slices.Equal(details, []string{"once", "conversation tool"}) &&
		!slices.Equal(details, []string{"conversation tool"}) {
		t.Errorf("the audit has %q, %v", details, err)
	}
	if waits, err := h.store.PendingApprovals(t.Context(), run.ID); err != nil || len(waits) > 0 {
		t.Errorf("still waiting: %+v, %v", waits, err)
	}
}

// TG4: what waits for the very same decision goes on with it.
func TestAnApprovalForMoreThanOneCallEndsTheWaitOfItsLike(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("foo")).Steps(llmtest.Calls(note("ask foo")), llmtest.Text("done"))
	first, second := h.send(h.conversation(), "foo"), h.send(h.conversation(), "foo")
	h.waiting(second.ID, 1)
	h.decide(h.waiting(first.ID, 1)["ask foo"], func(r *DecideRequest) { r.Scope = models.ScopeAlways })
	h.events(first.ID)
	h.events(second.ID)
	if got := len(h.noted()); got != 2 {
		t.Errorf("%d notes, want 2", got)
	}
}

// TG4: a question that nobody answers counts as denied, and cannot be answered any more.
func TestAnApprovalExpires(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.ApprovalTimeout = time.Millisecond })
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask 1")), llmtest.Text("saw {{last}}"))
	run := h.send(h.conversation(), "go")
	var asked *ApprovalView
	for _, event := range h.events(run.ID) {
		if event.Type == EventApprovalAsked || event.Type == EventApprovalResolved {
			asked = decode[approvalPayload](t, event.Data).Approval
		}
	}
	if asked == nil || asked.Status != models.ApprovalExpired || asked.DecidedBy != nil {
		t.Fatalf("the last word on it: %+v", asked)
	}
	_, err := h.runs.Decide(t.Context(), DecideRequest{ApprovalID: asked.ID, UserID: models.LocalUserID, Approve: true})
	var decided *store.DecidedError
	if !errors.As(err, &decided) || decided.Approval.Status != models.ApprovalExpired {
		t.Errorf("decided after its time: %v", err)
	}
	if _, message := h.answer(run.ID); !strings.Contains(message.Text, "not approved in time") ||
		len(h.noted()) != 0 {
		t.Errorf("message %q, notes %v", message.Text, h.noted())
	}
}

// TG4: the time goes on while the server is down.
func TestAnApprovalExpiresWhileTheServerIsDown(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.change(func(s *Settings) { s.ApprovalTimeout = overdueEvery }) // its time is over after the next look
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask 1")), llmtest.Text("saw {{last}}"))
	run := h.send(h.conversation(), "go")
	approval := h.waiting(run.ID, 1)["ask 1"]
	h.rests(run.ID)
	h.close(t.Context())
	h.until("its time is over", func() bool { return models.Now() > approval.ExpiresAt })
	h.open()
	h.events(run.ID)
	if _, message := h.answer(run.ID); !strings.Contains(message.Text, "not approved in time") {
		t.Errorf("message %q", message.Text)
	}
}

// TG5: two decide at once; one wins, the other learns what was decided. A foreign
// user finds nothing; an administrator may.
func TestOneOfTwoDecisionsWins(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask 1")), llmtest.Text("done"))
	run := h.send(h.conversation(), "go")
	approval := h.waiting(run.ID, 1)["ask 1"]
	if _, err := h.tryDecide(approval, func(r *DecideRequest) { r.UserID = store.NewID() }); !store.IsCode(err,
		store.CodeNotFound) {
		t.Errorf("a foreign user: %v", err)
	}
	admin := store.NewID()
	outcomes := make(chan error, 2)
	for i := range 2 {
		go func() {
			_, err := h.tryDecide(approval, func(r *DecideRequest) {
				r.UserID, r.Admin, r.Approve = admin, true,
					i == 0
			})
			outcomes <- err
		}()
	}
	first, second := await(t, outcomes), await(t, outcomes)
	if (first == nil) == (second == nil) || first != nil && !store.IsDecided(first) || second != nil &&
		!store.IsDecided(second) {
		t.Errorf("outcomes: %v and %v, want one winner", first, second)
	}
	h.events(run.ID)
	stored, err := h.store.GetApproval(t.Context(), "", approval.ID)
	if err != nil || stored.DecidedBy != admin || len(h.noted()) == 1 != (stored.Status == models.ApprovalApproved) {
		t.Errorf("approval %+v, notes %v, %v", stored, h.noted(), err)
	}
}

// CH3, TG4: a run that waits is cancelled at once, and its approvals with it.
func TestARunThatWaitsIsCancelled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask 1")), llmtest.Text("done"))
	run := h.send(h.conversation(), "go")
	approval := h.waiting(run.ID, 1)["ask 1"]
	h.rests(run.ID)
	if _, err := h.runs.Cancel(t.Context(), models.LocalUserID, run.ID); err != nil {
		t.Fatal(err)
	}
	events := types(h.events(run.ID))
	if ended, _ := h.answer(run.ID); ended.Status != models.RunCancelled {
		t.Errorf("run %+v", ended)
	}
	if resolved := slices.Index(events, EventApprovalResolved); resolved < 0 || resolved > slices.Index(events,
		EventRunFinished) {
		t.Errorf("events %v", events)
	}
	_, err := h.tryDecide(approval, nil)
	var decided *store.DecidedError
	if !errors.As(err, &decided) || decided.Approval.Status != models.ApprovalCanceled {
		t.Errorf("deciding afterwards: %v", err)
	}
}

// TG1, TG4: a call that the rules allow by now runs without the decision, which
// nobody can make any more.
func TestACallThatIsAllowedByNowDoesNotWaitOn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.model.On(llmtest.User("go")).Steps(llmtest.Calls(note("ask 1"), note("ask 2")), llmtest.Text("done"))
	run := h.send(h.conversation(), "go")
	waiting := h.waiting(run.ID, 2)
	h.rests(run.ID)
	h.guard.mu.Lock()
	h.guard.off = true
	h.guard.mu.Unlock()
	h.decide(waiting["ask 1"], func(r *DecideRequest) { r.Approve = false })
	h.events(run.ID)
	if stored, err := h.store.GetApproval(t.Context(), "", waiting["ask 2"].ID); err != nil ||
		stored.Status != models.ApprovalCanceled || !slices.Equal(h.noted(), []string{"ask 2"}) {
		t.Errorf("approval %+v, notes %v, %v", stored, h.noted(), err)
	}
}
