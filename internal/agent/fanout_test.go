package agent

import (
	"context"
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
