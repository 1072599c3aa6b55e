package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"nanoclaw/internal/terminal"
)

// decision is the body of POST /approvals/{id}.
type decision struct {
	Decision  string         `json:"decision"` // approve | deny
	Scope     string         `json:"scope,omitempty"`
	Covers    string         `json:"covers,omitempty"`
	Arguments map[string]any `json:"arguments,omitempty"`
	Reason    string         `json:"reason,omitempty"`
}

// approver decides on the calls of a run that need an approval, one after the
// other: by --yes, by asking the person at the terminal, or, where there is
// neither, by saying no.
type approver struct {
	api *client
	v   *view
	yes severityFlag
	ask *asker // nil: nobody can be asked

	mu      sync.Mutex
	queue   []terminal.Approval
	more    chan struct{}            // has one when the queue grew
	waiting map[string]chan struct{} // closed when the approval is resolved
}

func (p *program) newApprover(api *client, v *view, yes severityFlag) *approver {
	a := &approver{api: api, v: v, yes: yes, more: make(chan struct{}, 1), waiting: map[string]chan struct{}{}}
	if !yes.given && v.drawing != nil {
		a.ask = p.newAsker(v)
	}
	return a
}

// see takes note of what an event says of approvals.
func (a *approver) see(e terminal.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range e.Approvals {
		a.add(one)
	}
	switch {
	case e.Approval == nil:
	case e.Approval.Status == "pending":
		a.add(*e.Approval)
	case a.waiting[e.Approval.ID] != nil:
		close(a.waiting[e.Approval.ID])
		a.waiting[e.Approval.ID] = nil
	}
}

func (a *approver) add(one terminal.Approval) {
	if _, known := a.waiting[one.ID]; known {
		return
	}
	a.waiting[one.ID] = make(chan struct{})
	a.queue = append(a.queue, one)
	select {
	case a.more <- struct{}{}:
	default:
	}
}

// run decides until ctx ends.
func (a *approver) run(ctx context.Context) {
	for {
		one, resolved := a.next()
		if resolved == nil {
			select {
			case <-a.more:
				continue
			case <-ctx.Done():
				return
			}
		}
		a.settle(ctx, one, resolved)
		if ctx.Err() != nil {
			return
		}
	}
}

// next takes the first of the queue that still waits.
func (a *approver) next() (terminal.Approval, <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.queue) > 0 {
		one := a.queue[0]
		a.queue = a.queue[1:]
		if resolved := a.waiting[one.ID]; resolved != nil {
			return one, resolved
		}
	}
	return terminal.Approval{}, nil
}

// settle decides on one call. What the server does not take is asked again.
func (a *approver) settle(ctx context.Context, one terminal.Approval, resolved <-chan struct{}) {
	for ctx.Err() == nil {
		d, ok := a.decide(ctx, one, resolved)
		if !ok {
			return // somebody else did
		}
		err := a.api.call(ctx, http.MethodPost, "/approvals/"+one.ID, d, nil)
		var refusal *apiError
		switch {
		case err == nil, ctx.Err() != nil:
			return
		case errors.As(err, &refusal) && refusal.Status == http.StatusConflict:
			return
		case errors.As(err, &refusal) && refusal.Status < 500 && a.ask != nil:
			a.v.note(refusal.Error())
		default:
			a.v.note(fmt.Sprintf("the decision could not be told: %v; %s", err, a.api.howToDecide(one.ID)))
			return
		}
	}
}

func (a *approver) decide(ctx context.Context, one terminal.Approval, resolved <-chan struct{}) (decision, bool) {
	switch {
	case a.yes.given:
		covered, worst := a.yes.covers(one.Findings)
		if covered {
			return decision{Decision: "approve", Scope: "once"}, true
		}
		reason := fmt.Sprintf("it is of severity %s, and only calls up to %s are approved (--yes=%s)", worst,
			a.yes.severity, a.yes.severity)
		a.v.note("denied: " + reason + "; approve it with --yes=" + worst +
			", or leave --yes out and decide at the terminal")
		return decision{Decision: "deny", Reason: reason}, true
	case a.ask == nil:
		a.v.note("denied, because this is not a terminal: approve with --yes or --yes=SEVERITY, or run " +
			"it at a terminal")
		return decision{Decision: "deny",
				Reason: "no person could be asked for an approval; go on without this call, or say what has " +
					"to be approved"},
			true
	}
	return a.ask.about(ctx, one, resolved)
}
