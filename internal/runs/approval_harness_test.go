package runs

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// askingGuard asks about notes whose line begins with "ask", as long as no standing
// approval covers them, and denies those with the word "forbidden".
type askingGuard struct {
	store *store.Store

	mu  sync.Mutex
	off bool // it has nothing against anything
}

func (g *askingGuard) Check(ctx context.Context, c guard.Call) (guard.Decision, error) {
	g.mu.Lock()
	off := g.off
	g.mu.Unlock()
	line := fmt.Sprint(c.Args["line"])
	switch {
	case off:
		return guard.Decision{Verdict: guard.Allow}, nil
	case strings.Contains(line, "forbidden"):
		return guard.Decision{Verdict: guard.Deny, Reason: "it is forbidden"}, nil
	case c.Granted != nil, !strings.HasPrefix(line, "ask"):
		return guard.Decision{Verdict: guard.Allow}, nil
	}
	coverages := []guard.Coverage{{Covers: guard.CoversCall}, {Covers: guard.CoversTool}}
	hash := guard.ArgumentsHash(c.Tool.Name, c.Canonical)
	rules, err := g.store.StandingApprovals(ctx, c.Call.UserID, c.Call.ConversationID, c.Tool.Name, hash)
	for _, rule := range rules {
		if StoredCoverage(rule.Coverage).IncludesOneOf(coverages) {
			return guard.Decision{Verdict: guard.Preapproved}, nil
		}
	}
	if err != nil {
		return guard.Decision{}, err
	}
	return guard.Decision{Verdict: guard.NeedsApproval, Coverages: coverages, Findings: []guard.Finding{
		{ID: "test.ask", Guardian: "test", Severity: guard.High, Message: "it asks",
			Evidence: line + " the-secret-key-123"},
	}}, nil
}

// change changes the settings, as a reload does.
func (h *house) change(set func(*Settings)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	set(&h.settings)
}

// until looks again and again until done says so.
func (h *house) until(what string, done func() bool) {
	h.t.Helper()
	ctx := h.timeout()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			h.t.Fatalf("in vain: %s", what)
		}
	}
}

// waiting waits until n calls of a root run wait for a person, and returns them in
// the order of their lines.
func (h *house) waiting(runID string, n int) map[string]*models.Approval {
	h.t.Helper()
	byLine := map[string]*models.Approval{}
	h.until(fmt.Sprintf("%d calls wait", n), func() bool {
		pending, err := h.store.PendingApprovals(h.t.Context(), runID)
		if err != nil {
			h.t.Fatal(err)
		}
		clear(byLine)
		for _, approval := range pending {
			byLine[decode[noteArgs](h.t, []byte(approval.Arguments)).Line] = approval
		}
		return len(pending) == n
	})
	return byLine
}

// rests waits until nobody works on a run any more.
func (h *house) rests(runID string) {
	h.t.Helper()
	h.until("the run waits", func() bool {
		run, err := h.store.Run(h.t.Context(), "", runID)
		if err != nil {
			h.t.Fatal(err)
		}
		return run.Status == models.RunWaitingApproval && h.runs.tree(runID) == nil
	})
}

func (h *house) decide(approval *models.Approval, change func(*DecideRequest)) *ApprovalView {
	h.t.Helper()
	view, err := h.tryDecide(approval, change)
	if err != nil {
		h.t.Fatal(err)
	}
	return view
}

func (h *house) tryDecide(approval *models.Approval, change func(*DecideRequest)) (*ApprovalView, error) {
	req := DecideRequest{ApprovalID: approval.ID, UserID: models.LocalUserID, Approve: true}
	if change != nil {
		change(&req)
	}
	return h.runs.Decide(h.t.Context(), req)
}
