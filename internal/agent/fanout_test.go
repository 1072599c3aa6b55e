package agent

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"nanoclaw/internal/tools"
)

// inOrder are children that note when they are run.
type inOrder struct{ ran []int } // one at a time: no lock

func (o *inOrder) Prepare(_ context.Context, _ tools.Call, tasks []tools.SubTask, _ Limits) ([]Child, error) {
	children := make([]Child, len(tasks))
	for i := range tasks {
		children[i] = &orderedChild{all: o, index: i}
	}
	return children, nil
}

type orderedChild struct {
	all   *inOrder
	index int
}

func (c *orderedChild) Ended() (tools.SubResult, bool) { return tools.SubResult{}, c.index%5 == 3 }
func (c *orderedChild) Stopped() <-chan struct{}       { return nil }
func (c *orderedChild) Woken() <-chan struct{}         { return nil }
func (c *orderedChild) Run(context.Context) (tools.SubResult, bool, error) {
	c.all.ran = append(c.all.ran, c.index)
	return tools.SubResult{}, false, nil
}

// MA2, MA4: sub-agents that wait for a place begin in the order of their tasks, and
// those that have ended before take none.
func TestSubAgentsBeginInTheOrderOfTheirTasks(t *testing.T) {
	t.Parallel()
	all := &inOrder{}
	ctx, _, stop := WithClock(t.Context(), 0)
	defer stop()
	fan := NewFanOut(all, func() Limits { return Limits{MaxConcurrency: 1, MaxTasks: 50} },
		slog.New(slog.DiscardHandler))
	call := tools.Call{ID: "call", ConversationID: "c", Pause: func() func() { return func() {} },
		Progress: func(string, float64) {}}
	results, err := fan.FanOut(ctx, call, slices.Repeat([]tools.SubTask{{Name: "n", Instruction: "i"}}, 50))
	if err != nil || len(results) != 50 {
		t.Fatalf("%d results, error %v", len(results), err)
	}
	var want []int
	for i := range 50 {
		if i%5 != 3 {
			want = append(want, i)
		}
	}
	if !slices.Equal(all.ran, want) {
		t.Errorf("ran in the order %v", all.ran)
	}
	if len(fan.semaphores.byKey) != 0 {
		t.Error("places are still taken")
	}
}

// pair is a sub-agent that works until it is stopped, and tells why, and one that fails
// once the first is at work.
type pair struct {
	atWork chan struct{}
	why    chan error
}

func (p *pair) Prepare(context.Context, tools.Call, []tools.SubTask, Limits) ([]Child, error) {
	return []Child{
		childFunc(func(context.Context) error {
			<-p.atWork
			return errNotStored
		}),
		childFunc(func(ctx context.Context) error {
			close(p.atWork)
			<-ctx.Done()
			p.why <- context.Cause(ctx)
			return context.Cause(ctx)
		})}, nil
}

var errNotStored = errors.New("the end of the sub-agent could not be stored")

type childFunc func(context.Context) error

func (c childFunc) Ended() (tools.SubResult, bool) { return tools.SubResult{}, false }
func (c childFunc) Stopped() <-chan struct{}       { return nil }
func (c childFunc) Woken() <-chan struct{}         { return nil }
func (c childFunc) Run(ctx context.Context) (tools.SubResult, bool, error) {
	return tools.SubResult{}, false, c(ctx)
}

// CH5, GR4: where the state of one sub-agent cannot be stored, those beside it stop to go
// on later: what they were at is unfinished, and not cancelled.
func TestSubAgentsThatStopForAnotherOnesTroubleAreUnfinished(t *testing.T) {
	t.Parallel()
	both := &pair{atWork: make(chan struct{}), why: make(chan error, 1)}
	ctx, _, stop := WithClock(t.Context(), 0)
	defer stop()
	fan := NewFanOut(both, func() Limits { return Limits{MaxConcurrency: 2, MaxTasks: 2} }, slog.New(slog.DiscardHandler))
	call := tools.Call{ID: "call", ConversationID: "c", Pause: func() func() { return func() {} },
		Progress: func(string, float64) {}}
	_, err := fan.FanOut(ctx, call, slices.Repeat([]tools.SubTask{{Name: "n", Instruction: "i"}}, 2))
	for _, err := range []error{err, <-both.why} {
		if !errors.Is(err, tools.ErrUnfinished) || !errors.Is(err, errNotStored) {
			t.Errorf("error %v", err)
		}
	}
}
