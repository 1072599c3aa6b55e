package agent

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// MA2: the cap holds for a conversation as a whole, waiters are served in order,
// and a changed cap holds for those that come after it.
func TestAGateHoldsItsCapInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSemaphores()
		var mu sync.Mutex
		var order []int
		var active, most atomic.Int32
		for i := range 6 {
			limit := 2
			if i >= 4 {
				limit = 4
			}
			go func() {
				leave, err := g.enter(t.Context(), "c", limit)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				most.Store(max(most.Load(), active.Add(1)))
				time.Sleep(time.Minute)
				active.Add(-1)
				leave()
				leave()
			}()
			synctest.Wait()
		}
		if active.Load() != 2 {
			t.Errorf("%d are in, want 2", active.Load())
		}
		other, err := g.enter(t.Context(), "another", 1)
		if err != nil {
			t.Fatal(err)
		}
		other()
		time.Sleep(time.Hour)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if slices.Max(order[:2]) != 1 {
			t.Errorf("served in the order %v", order)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if len(order) != 6 || most.Load() != 4 || len(g.byKey) != 0 {
			t.Errorf("served %v, at most %d at once, %d gates left", order, most.Load(), len(g.byKey))
		}
	})
}

func TestAWaiterThatGivesUpLeavesItsPlaceToTheNext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newSemaphores()
		leave, err := g.enter(t.Context(), "c", 1)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		gaveUp, served := make(chan error, 1), make(chan struct{})
		go func() {
			_, err := g.enter(ctx, "c", 1)
			gaveUp <- err
		}()
		synctest.Wait()
		go func() {
			leave, err := g.enter(t.Context(), "c", 1)
			if err == nil {
				leave()
			}
			close(served)
		}()
		synctest.Wait()
		cancel(ErrCancelled)
		if err := <-gaveUp; err != ErrCancelled {
			t.Errorf("gave up with %v", err)
		}
		leave()
		<-served
		synctest.Wait()
		g.mu.Lock()
		defer g.mu.Unlock()
		if len(g.byKey) != 0 {
			t.Error("a gate is left")
		}
	})
}
