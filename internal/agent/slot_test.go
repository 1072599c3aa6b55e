package agent

import (
	"context"
	"testing"
	"testing/synctest"
)

// MA2: one that waits for its own sub-agents gives its place back, and gets one
// again before it goes on; there is never more than the cap at work.
func TestAWaitingSubAgentGivesItsPlaceBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSemaphores()
		enter := func() *slot {
			leave, err := g.enter(t.Context(), "c", 1)
			if err != nil {
				t.Fatal(err)
			}
			return &slot{semaphores: g, key: "c", limit: 1, leave: leave}
		}
		parent := enter()
		parent.release()
		parent.release() // a second call of it waits too
		child := enter()
		if err := parent.reacquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		back := make(chan error, 1)
		go func() { back <- parent.reacquire(t.Context()) }()
		synctest.Wait()
		select {
		case <-back:
			t.Fatal("two are at work under a cap of one")
		default:
		}
		child.close()
		if err := <-back; err != nil {
			t.Fatal(err)
		}
		parent.close()
		parent.close()
		if len(g.byKey) != 0 {
			t.Errorf("places are still taken: %+v", g.byKey["c"])
		}
	})
}

func TestACancelledSubAgentTakesNoPlaceBack(t *testing.T) {
	t.Parallel()
	g := newSemaphores()
	leave, err := g.enter(t.Context(), "c", 1)
	if err != nil {
		t.Fatal(err)
	}
	own := &slot{semaphores: g, key: "c", limit: 1, leave: leave}
	own.release()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := own.reacquire(ctx); err == nil {
		t.Error("an ended context took a place")
	}
	own.close()
	if len(g.byKey) != 0 {
		t.Errorf("places are still taken: %+v", g.byKey["c"])
	}
}
