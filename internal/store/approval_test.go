package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/models"
)

// guardedRun is a run that somebody works on, with a step of these calls.
func guardedRun(t *testing.T, s *Store, calls ...string) (*models.Run, Fence) {
	t.Helper()
	_, err := s.EnsureLocalUser(t.Context())
	must(t, err)
	conv := &models.Conversation{ID: NewID(), UserID: models.LocalUserID}
	must(t, s.CreateConversation(t.Context(), conv))
	run := &models.Run{ID: NewID(), ConversationID: conv.ID, UserID: models.LocalUserID, AgentPath: "main",
		CreatedAt: models.Now()}
	run.RootRunID = run.ID
	message := &models.Message{ID: NewID(), ConversationID: conv.ID, RunID: run.ID, Role: models.RoleUser, Text: "x"}
	must(t, s.InTx(t.Context(), func(tx *Tx) (err error) {
		if err := tx.StartRun(StartRun{Run: run, Message: message}); err != nil {
			return err
		}
		run, err = tx.Claim(run.ID, 1, "me", time.Minute)
		return err
	}))
	f := Fence{RootRunID: run.ID, Attempt: run.Attempt}
	step := &models.Step{ID: NewID(), RunID: run.ID, RootRunID: run.ID, CreatedAt: models.Now()}
	var rows []*models.ToolCall
	for i, id := range calls {
		rows = append(rows, &models.ToolCall{ID: id, RunID: run.ID, RootRunID: run.ID, StepID: step.ID, CallIndex: i,
			State: models.CallPending, Name: "rm", Arguments: "{}"})
	}
	must(t, s.InFence(t.Context(), f, "step", func(tx *Tx) error {
		return tx.AddStep(step, rows, &models.TokenUsage{ID: NewID(), StepID: step.ID, RunID: run.ID})
	}))
	return run, f
}

func await(t *testing.T, s *Store, f Fence, seen map[string]models.Time) (waits bool, err error) {
	t.Helper()
	err = s.InFence(t.Context(), f, "waiting", func(tx *Tx) (err error) {
		waits, err = tx.AwaitApproval(time.Second, seen)
		return err
	})
	return waits, err
}

func askFor(run *models.Run, callID, hash string) *models.Approval {
	return &models.Approval{ID: NewID(), CallID: callID, RunID: run.ID, RootRunID: run.ID,
		ConversationID: run.ConversationID,
		UserID:         run.UserID, Tool: "rm", ArgumentsHash: hash, Arguments: `{"path":"` + hash + `"}`,
		CreatedAt: models.Now()}
}

func noEvents(*models.Approval) []*models.Outbox { return nil }

func oneEvent(a *models.Approval) []*models.Outbox {
	return []*models.Outbox{{Subject: "s", MessageID: a.ID}}
}

func decided(id string, change func(*Decision)) Decision {
	d := Decision{ApprovalID: id, Status: models.ApprovalApproved, Scope: models.ScopeOnce, By: models.LocalUserID,
		Outbox: func(*models.Approval, *models.Run, bool) []*models.Outbox { return nil }}
	if change != nil {
		change(&d)
	}
	return d
}

// TG4: a call is asked about once, however often it suspends; other arguments, and
// a decision that does not fit any more, ask anew.
func TestACallIsAskedAboutOnce(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		run, f := guardedRun(t, s, "c1")
		first := askFor(run, "c1", "h1")
		rows, err := s.AskApproval(t.Context(), f, first, false, oneEvent)
		must(t, err)
		again, err := s.AskApproval(t.Context(), f, askFor(run, "c1", "h1"), false, oneEvent)
		must(t, err)
		if len(rows) != 1 || len(again) != 0 {
			t.Errorf("%d events, then %d", len(rows), len(again))
		}
		_, _, err = s.Decide(t.Context(), decided(first.ID, nil))
		must(t, err)
		again, err = s.AskApproval(t.Context(), f, askFor(run, "c1", "h1"), false, oneEvent)
		must(t, err)
		if stored, err := s.GetApproval(t.Context(), "", first.ID); err != nil || len(again) != 0 ||
			stored.Status != models.ApprovalApproved {
			t.Errorf("a decision that came in between is lost: %+v, %v", stored, err)
		}
		before, was := first, models.ApprovalApproved
		for i, ask := range []struct {
			hash   string
			stale  bool
			events int
		}{{"h2", false, 1}, {"h2", true, 2}, {"h3", false, 2}} {
			next := askFor(run, "c1", ask.hash)
			rows, err = s.AskApproval(t.Context(), f, next, ask.stale, oneEvent)
			must(t, err)
			if stored, err := s.GetApproval(t.Context(), "", next.ID); err != nil || len(rows) != ask.events ||
				stored.Status != models.ApprovalPending || stored.ArgumentsHash != ask.hash || stored.DecidedAt != 0 {
				t.Errorf("%d: it is not asked anew: %d events, %+v, %v", i, len(rows), stored, err)
			}
			// A decision on what was asked before is not one on what is asked now.
			_, _, err = s.Decide(t.Context(), decided(before.ID, nil))
			var late *DecidedError
			if !errors.As(err, &late) || late.Approval.Status != was {
				t.Errorf("%d: the approval before can be decided on: %v", i, err)
			}
			before, was = next, models.ApprovalCanceled
		}
		if waiting, err := s.PendingApprovals(t.Context(), run.ID); err != nil || len(waiting) != 1 ||
			waiting[0].ID != before.ID {
			t.Errorf("waiting are %+v, %v", waiting, err)
		}
	})
}

// TG5: of many decisions at once one wins, and the others learn what it was.
func TestOneDecisionWins(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		run, f := guardedRun(t, s, "c1")
		ask := askFor(run, "c1", "h")
		_, err := s.AskApproval(t.Context(), f, ask, false, noEvents)
		must(t, err)
		var wg sync.WaitGroup
		wins := make(chan string, 16)
		for i := range 16 {
			wg.Go(func() {
				status := []string{models.ApprovalApproved, models.ApprovalDenied}[i%2]
				_, _, err := s.Decide(t.Context(), decided(ask.ID, func(d *Decision) {
					d.Status, d.By = status,
						fmt.Sprint(i)
				}))
				var late *DecidedError
				switch {
				case err == nil:
					wins <- fmt.Sprint(i)
				case !errors.As(err, &late) || late.Approval.Status == models.ApprovalPending:
					t.Errorf("decision %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		stored, err := s.GetApproval(t.Context(), "", ask.ID)
		must(t, err)
		if winner := <-wins; len(wins) != 0 || stored.DecidedBy != winner {
			t.Errorf("%d more winners; %s won, stored is %s", len(wins), winner, stored.DecidedBy)
		}
	})
}

// TG6: a run is not let go when a decision came that its worker has not seen; one
// that it has seen, of a call behind one that still waits, does not keep it.
func TestARunIsNotLetGoWithAnUnseenDecision(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		run, f := guardedRun(t, s, "c1", "c2")
		first, second := askFor(run, "c1", "h1"), askFor(run, "c2", "h2")
		for _, ask := range []*models.Approval{first, second} {
			_, err := s.AskApproval(t.Context(), f, ask, false, noEvents)
			must(t, err)
		}
		stored, _, err := s.Decide(t.Context(), decided(second.ID, nil))
		must(t, err)
		for _, tc := range []struct {
			seen  map[string]models.Time
			waits bool
		}{{nil, false}, {map[string]models.Time{second.ID: stored.DecidedAt - 1}, false},
			{map[string]models.Time{second.ID: stored.DecidedAt}, true}} {
			if waits, err := await(t, s, f, tc.seen); err != nil || waits != tc.waits {
				t.Errorf("seen %v: it waits %v, %v", tc.seen, waits, err)
			}
		}
		queued := false
		_, _, err = s.Decide(t.Context(), decided(first.ID, func(d *Decision) {
			d.Outbox = func(_ *models.Approval, root *models.Run, q bool) []*models.Outbox {
				queued = q && root.Status == models.RunQueued && root.EnqueueNo == 2
				return nil
			}
		}))
		must(t, err)
		if !queued {
			t.Error("the run that waits is not queued by the decision")
		}
		if _, err := await(t, s, f, nil); !IsCode(err, CodeFenced) {
			t.Errorf("the old worker lets it go again: %v", err)
		}
	})
}

// CH3: a run that was told to stop is not let go either.
func TestARunThatWasToldToStopIsNotLetGo(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		run, f := guardedRun(t, s, "c1")
		_, err := s.AskApproval(t.Context(), f, askFor(run, "c1", "h"), false, noEvents)
		must(t, err)
		must(t, s.InTx(t.Context(), func(tx *Tx) error {
			done, err := tx.RequestCancel(run.UserID, run.ID)
			if done.Queued {
				t.Error("it was at work, and is queued")
			}
			return err
		}))
		if waits, err := await(t, s, f, nil); err != nil || waits {
			t.Errorf("it waits %v, %v", waits, err)
		}
	})
}

// TG4: what an approval covers: its user, its conversation or all, the tool and just
// those arguments; edited ones instead of the model's.
func TestAStandingApprovalCoversJustWhatWasApproved(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		run, f := guardedRun(t, s, "c1", "c2", "c3")
		for i, change := range []func(*Decision){
			func(d *Decision) { d.Scope = models.ScopeConversation },
			func(d *Decision) {
				d.Scope, d.EditedArguments, d.EditedHash, d.EditedShown = models.ScopeAlways, `{"e":1}`, "edited",
					`{"e":1}`
			},
			nil,
		} {
			ask := askFor(run, fmt.Sprintf("c%d", i+1), fmt.Sprintf("h%d", i+1))
			_, err := s.AskApproval(t.Context(), f, ask, false, noEvents)
			must(t, err)
			_, _, err = s.Decide(t.Context(), decided(ask.ID, change))
			must(t, err)
		}
		for _, tc := range []struct {
			user, conversation, tool, hash string
			want                           bool
		}{
			{run.UserID, run.ConversationID, "rm", "h1", true},
			{run.UserID, "other", "rm", "h1", false},
			{"other", run.ConversationID, "rm", "h1", false},
			{run.UserID, run.ConversationID, "mv", "h1", false},
			{run.UserID, run.ConversationID, "rm", "h2", false},
			{run.UserID, run.ConversationID, "rm", "h3", false},
			{run.UserID, "other", "rm", "edited", true},
		} {
			rules, err := s.StandingApprovals(t.Context(), tc.user, tc.conversation, tc.tool, tc.hash)
			if err != nil || (len(rules) == 1) != tc.want || tc.want && rules[0].ApprovalID == "" {
				t.Errorf("%+v: %+v, %v", tc, rules, err)
			}
		}
		_, calls, err := s.Steps(t.Context(), run.ID)
		must(t, err)
		if calls[1].Arguments != `{"e":1}` || calls[0].Arguments != "{}" {
			t.Errorf("the calls have %s and %s", calls[0].Arguments, calls[1].Arguments)
		}
		must(t, s.DeleteConversation(context.WithoutCancel(t.Context()), run.UserID, run.ConversationID, 0))
		rules, err := s.ListApprovalRules(t.Context(), run.UserID, Page{})
		if err != nil || len(rules.Items) != 1 || rules.Items[0].ArgumentsHash != "edited" {
			t.Errorf("with the conversation its rule goes: %+v, %v", rules.Items, err)
		}
	})
}

// TG4: a standing approval of one call keeps its arguments, and where the call was to run.
func TestAStandingApprovalOfACallKeepsItsPlace(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		run, f := guardedRun(t, s, "c1")
		ask := askFor(run, "c1", "h1")
		_, err := s.AskApproval(t.Context(), f, ask, false, noEvents)
		must(t, err)
		const inSandbox = `{"covers":"call","within":"sandbox"}`
		_, _, err = s.Decide(t.Context(), decided(ask.ID, func(d *Decision) {
			d.Scope, d.Coverage = models.ScopeConversation, models.RawJSON(inSandbox)
		}))
		must(t, err)
		for hash, want := range map[string]int{"h1": 1, "h2": 0} {
			rules, err := s.StandingApprovals(t.Context(), run.UserID, run.ConversationID, "rm", hash)
			if err != nil || len(rules) != want || want > 0 && string(rules[0].Coverage) != inSandbox {
				t.Errorf("%s: %+v, %v", hash, rules, err)
			}
		}
	})
}

// TG4: a standing approval that covers more than one call is found for every call of its
// tool, and has no arguments; rules from before there were coverages cover their call.
func TestAStandingApprovalWithACoverageIsFoundForEveryCallOfItsTool(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		run, f := guardedRun(t, s, "c1")
		ask := askFor(run, "c1", "h1")
		ask.Coverages = models.RawJSON(`[{"covers":"call"},{"covers":"tool"}]`)
		_, err := s.AskApproval(t.Context(), f, ask, false, noEvents)
		must(t, err)
		_, _, err = s.Decide(t.Context(), decided(ask.ID, func(d *Decision) {
			d.Scope, d.Coverage, d.OtherCalls = models.ScopeConversation, models.RawJSON(`{"covers":"tool"}`), true
		}))
		must(t, err)
		old := &models.ApprovalRule{ID: NewID(), UserID: run.UserID, Tool: "rm", ArgumentsHash: "h9"}
		must(t, s.db.Omit("coverage").Create(old).Error) // as an older version wrote it
		for _, tc := range []struct {
			conversation, tool, hash string
			want                     int
		}{
			{run.ConversationID, "rm", "h1", 1}, {run.ConversationID, "rm", "h2", 1}, {run.ConversationID, "rm",
				"h9", 2},
			{run.ConversationID, "rm", "", 1}, {run.ConversationID, "mv", "h1", 0}, {"other", "rm", "h1", 0},
			{"other", "rm", "h9", 1},
		} {
			rules, err := s.StandingApprovals(t.Context(), run.UserID, tc.conversation, tc.tool, tc.hash)
			if err != nil || len(rules) != tc.want {
				t.Errorf("%+v: %+v, %v", tc, rules, err)
			}
		}
		rules, err := s.StandingApprovals(t.Context(), run.UserID, run.ConversationID, "rm", "h1")
		must(t, err)
		if rule := rules[0]; rule.Arguments != "" || rule.ArgumentsHash != "" ||
			string(rule.Coverage) != `{"covers":"tool"}` {
			t.Errorf("the rule is %+v", rule)
		}
		stored, err := s.GetApproval(t.Context(), "", ask.ID)
		must(t, err)
		if string(stored.Coverage) != `{"covers":"tool"}` || len(stored.Coverages) == 0 {
			t.Errorf("the approval is %+v", stored)
		}
	})
}

// SH10: calls that were made before count, by tool and in all.
func TestCallsBeforeACallAreCounted(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ids := []string{NewID(), NewID(), NewID()}
		run, _ := guardedRun(t, s, ids...)
		for _, tc := range []struct {
			call, tool string
			want       int
		}{{ids[0], "rm", 0}, {ids[2], "rm", 2}, {ids[2], "*", 2}, {ids[2], "mv", 0}} {
			inRun, inConversation, err := s.CallsBefore(t.Context(), tc.call, run.ID, run.ConversationID, tc.tool)
			if err != nil || inRun != tc.want || inConversation != tc.want {
				t.Errorf("%+v: %d and %d, %v", tc, inRun, inConversation, err)
			}
		}
	})
}

// CH1: lists of approvals have cursors and filters.
func TestApprovalsAreListedInParts(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		run, f := guardedRun(t, s, "c1", "c2", "c3")
		for i := range 3 {
			_, err := s.AskApproval(t.Context(), f, askFor(run, fmt.Sprintf("c%d", i+1), "h"), false, noEvents)
			must(t, err)
		}
		first, err := s.ListApprovals(t.Context(), ApprovalQuery{UserID: run.UserID, Status: models.ApprovalPending,
			Page: Page{Limit: 2}})
		must(t, err)
		rest, err := s.ListApprovals(t.Context(), ApprovalQuery{ConversationID: run.ConversationID, Page: Page{Limit: 2,
			Cursor: first.Next}})
		must(t, err)
		if len(first.Items) != 2 || first.Items[0].CallID != "c3" || len(rest.Items) != 1 ||
			rest.Items[0].CallID != "c1" || rest.Next != "" {
			t.Errorf("%+v, then %+v", first, rest)
		}
		if none, err := s.ListApprovals(t.Context(), ApprovalQuery{UserID: NewID()}); err != nil ||
			len(none.Items) != 0 {
			t.Errorf("a stranger's: %+v, %v", none, err)
		}
		_, err = s.ListApprovals(t.Context(), ApprovalQuery{Page: Page{Cursor: "x"}})
		wantCode(t, err, CodeInvalidArgument)
	})
}

// TG4, FS5: a decision and its row in the audit are stored together or not at all,
// also while others append to the chain.
func TestADecisionIsStoredWithItsAuditRow(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		run, f := guardedRun(t, s, "c1", "c2")
		var asked []*models.Approval
		for _, call := range []string{"c1", "c2"} {
			ask := askFor(run, call, call)
			_, err := s.AskApproval(t.Context(), f, ask, false, noEvents)
			must(t, err)
			asked = append(asked, ask)
		}
		row := func(a *models.Approval) *models.Audit {
			return &models.Audit{Kind: models.AuditDecision, CallID: a.CallID, Outcome: a.Status, Detail: "bad \xff"}
		}
		var others sync.WaitGroup
		for range 8 {
			others.Go(func() {
				if err := s.AppendAudit(t.Context(), someAudit(5)); err != nil {
					t.Error(err)
				}
			})
		}
		_, _, err := s.Decide(t.Context(), decided(asked[0].ID, func(d *Decision) { d.Audit = row }))
		must(t, err)
		others.Wait()
		if list, err := s.ListAudit(t.Context(), AuditQuery{Kind: models.AuditDecision}); err != nil ||
			len(list.Items) != 1 || list.Items[0].CallID != "c1" || list.Items[0].Time == 0 {
			t.Errorf("the audit has %+v, %v", list.Items, err)
		}
		if report := verified(t, s); report.Break != nil || report.Checked != 41 {
			t.Errorf("the chain is %+v", report)
		}
		table := "audit"
		if s.Shared() {
			table = "audit_pending"
		}
		must(t, s.db.Exec("ALTER TABLE "+table+" RENAME TO audit_gone").Error)
		if _, _, err := s.Decide(t.Context(), decided(asked[1].ID, func(d *Decision) { d.Audit = row })); err == nil {
			t.Error("a decision that could not be audited was stored")
		}
		must(t, s.db.Exec("ALTER TABLE audit_gone RENAME TO "+table).Error)
		if stored, err := s.GetApproval(t.Context(), "", asked[1].ID); err != nil ||
			stored.Status != models.ApprovalPending {
			t.Errorf("the approval is %+v, %v", stored, err)
		}
	})
}
