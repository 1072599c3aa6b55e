package store

import (
	"context"
	"log/slog"
	"testing"
	"time"
)

// GR5
func TestALeaseHasOneOwnerUntilItExpiresOrIsDropped(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		take := func(owner string, want bool) {
			t.Helper()
			taken, err := s.TakeLease(t.Context(), "sweep", owner, 10*time.Second)
			must(t, err)
			if taken != want {
				t.Errorf("taken by %s: %v, want %v", owner, taken, want)
			}
		}
		take("a", true)
		take("b", false)
		clock.advance(9 * time.Second)
		take("a", true) // extended
		clock.advance(9 * time.Second)
		take("b", false)
		clock.advance(time.Second)
		take("b", true) // expired
		take("a", false)
		must(t, s.DropLease(t.Context(), "sweep", "a")) // not its own
		take("a", false)
		must(t, s.DropLease(t.Context(), "sweep", "b"))
		take("a", true)
		must(t, s.SetLeaseNote(t.Context(), "sweep", "b", "not its own"))
		must(t, s.SetLeaseNote(t.Context(), "sweep", "a", "at 7"))
		must(t, s.DropLease(t.Context(), "sweep", "a"))
		take("b", true)
		if note, err := s.LeaseNote(t.Context(), "sweep"); err != nil || note != "at 7" {
			t.Errorf("the note is %q, %v", note, err)
		}
		if taken, err := s.TakeLease(t.Context(), "another", "b", time.Second); err != nil || !taken {
			t.Errorf("a lease of other work: %v, %v", taken, err)
		}
	})
}

// GR5: work is done by one process at a time, and by the next one when that ends.
func TestWorkBehindALeaseIsHandedOver(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		if !s.Shared() {
			t.Skip("one process owns the database")
		}
		type worker struct {
			stop           context.CancelFunc
			working, ended chan struct{}
		}
		start := func(owner string) worker {
			ctx, cancel := context.WithCancel(t.Context())
			w := worker{cancel, make(chan struct{}), make(chan struct{})}
			go func() {
				defer close(w.ended)
				lease := Lease{Store: s, Name: "sweep", Owner: owner, TTL: time.Hour, Logger: slog.Default(),
					every: time.Millisecond}
				lease.Run(ctx, func(ctx context.Context) {
					close(w.working)
					<-ctx.Done()
				})
			}()
			return w
		}
		a := start("a")
		<-a.working
		if taken, err := s.TakeLease(t.Context(), "sweep", "b", time.Hour); err != nil || taken {
			t.Errorf("the lease of work under way was taken: %v, %v", taken, err)
		}
		b := start("b")
		a.stop()
		<-a.ended
		<-b.working
		b.stop()
		<-b.ended
	})
}
