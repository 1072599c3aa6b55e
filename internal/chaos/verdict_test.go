package chaos

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// check fails where something was lost, done twice or late.
func (l *load) check(limit time.Duration) {
	l.t.Helper()
	unknown := 0
	for _, t := range l.turns {
		if t.run.ID == "" {
			continue // reported
		}
		unknown += l.checkTurn(t)
	}
	took := l.takeovers(limit)
	l.t.Logf("%d turns, %d requests sent again, %d streams, %d calls with an unknown outcome", len(l.turns), l.retries,
		l.resumes, unknown)
	if len(took) > 0 {
		l.t.Logf("%d runs lost their owner; continued after %s (median), %s (longest)", len(took),
			took[len(took)/2].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond))
	}
}

// checkTurn fails unless a turn's run ended well, its calls had their effect once and its
// client saw all events. It returns how many calls have an unknown outcome.
func (l *load) checkTurn(t *turn) (unknown int) {
	l.t.Helper()
	ctx := l.t.Context()
	var now run
	if err := l.send(ctx, "GET", "/runs/"+t.run.ID, nil, &now); err != nil {
		l.t.Error(err)
		return 0
	}
	if now.Status != "completed" || len(now.Children) > 2 {
		l.t.Errorf("turn %s, run %s is %s with %d sub-agents: %v", t.word, t.run.ID, now.Status, len(now.Children),
			now.Error)
	}
	calls := l.callsOf(t, now)
	_, text, err := l.try(ctx, "GET", "/projects/"+t.project+"/files/log.txt", "", "")
	if err != nil {
		l.t.Error(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, c := range calls {
		var arguments struct{ Content, Word string }
		if err := json.Unmarshal([]byte(c.Function.Arguments), &arguments); err != nil {
			l.t.Errorf("the arguments of a call: %v", err)
		}
		times := 0
		switch c.Function.Name {
		case "file_append":
			for _, line := range lines {
				if line == strings.TrimSpace(arguments.Content) {
					times++
				}
			}
		case "mcp__outside__count":
			times = l.outside.times(arguments.Word)
		default:
			if !c.Success {
				l.t.Errorf("turn %s: %s may be repeated, yet it failed: %s", t.word, c.Function.Name, c.Result)
			}
			continue
		}
		if strings.Contains(c.Result, `"code":"outcome_unknown"`) {
			if unknown++; times > 1 {
				l.t.Errorf("turn %s: a call with an unknown outcome had its effect %d times", t.word, times)
			}
		} else if !c.Success || times != 1 {
			l.t.Errorf("turn %s: a call of %s that says %s had its effect %d times", t.word, c.Function.Name, c.Result,
				times)
		}
	}
	l.checkEvents(t)
	return unknown
}

// callsOf are all calls of a run, which its message names, and of its sub-agents.
func (l *load) callsOf(t *turn, r run) (calls []call) {
	l.t.Helper()
	for _, e := range t.events {
		if e.kind != "message.completed" {
			continue
		}
		var completed struct{ Message message }
		if err := json.Unmarshal([]byte(e.data), &completed); err != nil {
			l.t.Error(err)
		}
		calls = append(calls, completed.Message.ToolCalls...)
	}
	if len(calls) != 6 {
		l.t.Errorf("turn %s: the message has %d calls, want 6", t.word, len(calls))
	}
	for _, child := range r.Children {
		var whole run
		if err := l.send(l.t.Context(), "GET", "/runs/"+child.ID, nil, &whole); err != nil {
			l.t.Error(err)
		}
		calls = append(calls, whole.ToolCalls...)
	}
	return calls
}

// checkEvents compares what a client saw that was cut again and again with an uncut replay.
func (l *load) checkEvents(t *turn) {
	l.t.Helper()
	status, answer, err := l.try(l.t.Context(), "GET", "/runs/"+t.run.ID+"/events", "", "")
	if err != nil || status != http.StatusOK {
		l.t.Errorf("replay run %s: %d, %v", t.run.ID, status, err)
		return
	}
	var uncut []sseEvent
	readEvents(bytes.NewReader(answer), func(e sseEvent) { uncut = append(uncut, e) })
	if slices.Equal(uncut, t.events) {
		return
	}
	at := 0
	for at < len(uncut) && at < len(t.events) && uncut[at] == t.events[at] {
		at++
	}
	l.t.Errorf("the client of run %s saw %d events, there are %d; the first difference is number %d:\nsaw %v\nuncut %v",
		t.run.ID, len(t.events), len(uncut), at, excerpt(t.events, at), excerpt(uncut, at))
}

func excerpt(events []sseEvent, at int) []sseEvent {
	return events[min(at, len(events)):min(at+2, len(events))]
}

// outage is a time in which PostgreSQL was away.
type outage struct{ from, to time.Time }

// within is how much of it lies between two times.
func (o outage) within(from, to time.Time) time.Duration {
	if o.from.After(from) {
		from = o.from
	}
	if o.to.Before(to) {
		to = o.to
	}
	return max(to.Sub(from), 0)
}

// takeovers are how long each run that lost its owner waited for the next one, or for its
// end, while there was a database, shortest first.
func (l *load) takeovers(limit time.Duration) (took []time.Duration) {
	l.t.Helper()
	for _, d := range l.deaths {
		i := slices.IndexFunc(l.turns, func(t *turn) bool { return t.run.ID == d.run })
		if i < 0 {
			l.t.Errorf("run %s is no client's", d.run)
			continue
		}
		waited, ok := l.turns[i].continued(d)
		continued := d.at.Add(waited)
		for _, o := range l.outages { // nobody can take a run over meanwhile
			waited -= o.within(d.at, continued)
		}
		if !ok {
			l.t.Errorf("run %s was not continued after %s", d.run, d.how)
			continue
		}
		if waited > limit {
			l.t.Errorf("run %s was continued %s after %s of its owner, want at most %s", d.run, waited, d.how, limit)
		}
		took = append(took, waited)
	}
	slices.Sort(took)
	return took
}

// continued is how long after the death of its owner a run was begun by another one, or
// ended.
func (t *turn) continued(d death) (time.Duration, bool) {
	for _, e := range t.events {
		var head struct {
			RunID   string    `json:"run_id"`
			Attempt int       `json:"attempt"`
			Time    time.Time `json:"time"`
		}
		if json.Unmarshal([]byte(e.data), &head) != nil || head.RunID != d.run {
			continue
		}
		if e.kind == "run.finished" || e.kind == "run.started" && head.Attempt > d.attempt {
			return max(head.Time.Sub(d.at), 0), true
		}
	}
	return 0, false
}
