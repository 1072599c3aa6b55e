package store

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"nanoclaw/internal/models"
)

// IF7: of replicas that take the same moment of a schedule at once, on either engine one has
// it, and the others leave nothing behind.
func TestOneReplicaHasAMomentOfASchedule(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		due := models.TimeOf(clock.now())
		schedule := &models.Schedule{ID: NewID(), UserID: models.LocalUserID, Name: "s", Cron: "* * * * *",
			Timezone: "UTC", Enabled: true, NextAt: due}
		if err := SaveTrigger(t.Context(), s, schedule); err != nil {
			t.Fatal(err)
		}
		lost := errors.New("another has it")
		var won atomic.Int32
		var replicas sync.WaitGroup
		for range 8 {
			replicas.Go(func() {
				err := s.InTx(t.Context(), func(tx *Tx) error {
					firing := &models.Firing{ID: NewID(), TriggerID: schedule.ID, Key: "due:" + NewID(), DueAt: due,
						CreatedAt: due}
					if _, err := tx.AddFiring(firing); err != nil {
						return err
					}
					ours, err := tx.AdvanceSchedule(schedule.ID, due, due+1, "run")
					if err == nil && !ours {
						return lost
					}
					return err
				})
				switch {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, lost):
					t.Error(err)
				}
			})
		}
		replicas.Wait()
		list, err := s.Firings(t.Context(), schedule.ID, Page{Limit: 10})
		if err != nil || won.Load() != 1 || len(list.Items) != 1 {
			t.Errorf("%d replicas have the moment, %d firings, %v", won.Load(), len(list.Items), err)
		}
	})
}

// IF7: a request to a hook that is sent to several replicas at once is taken by one, on
// either engine.
func TestOneReplicaTakesTheRequestOfAHook(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		var taken atomic.Int32
		var replicas sync.WaitGroup
		for range 8 {
			replicas.Go(func() {
				err := s.InTx(t.Context(), func(tx *Tx) error {
					ours, err := tx.AddFiring(&models.Firing{ID: NewID(), TriggerID: "hook", Key: "key:1"})
					if ours {
						taken.Add(1)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		replicas.Wait()
		if taken.Load() != 1 {
			t.Errorf("%d replicas have taken the request", taken.Load())
		}
	})
}
