package store

import (
	"bytes"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nanoclaw/internal/models"
)

func TestAnIdempotencyKeyRepeatsItsAnswer(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		ctx := t.Context()
		begin := func(user, key, hash string) (*models.IdempotencyKey, error) {
			return s.BeginIdempotent(ctx, user, key, hash, time.Hour)
		}
		stored, err := begin("u", "k", "h")
		if err != nil || stored != nil {
			t.Fatalf("a new key gave %v, %v", stored, err)
		}
		_, err = begin("u", "k", "h")
		wantCode(t, err, CodeConflict)
		_, err = begin("u", "k", "other")
		wantCode(t, err, CodeIdempotencyMismatch)
		if stored, err = begin("v", "k", "other"); err != nil || stored != nil {
			t.Errorf("another user's key gave %v, %v", stored, err)
		}

		answer := Answer{Status: 201, ContentType: "application/json", Location: "/x", Body: []byte{0, 1}}
		must(t, s.FinishIdempotent(ctx, "u", "k", answer))
		wantCode(t, s.FinishIdempotent(ctx, "u", "k", answer), CodeNotFound)
		stored, err = begin("u", "k", "h")
		must(t, err)
		if stored == nil || stored.Status != 201 || stored.ContentType != answer.ContentType ||
			stored.Location != "/x" || !bytes.Equal(stored.Body, answer.Body) {
			t.Errorf("the repeated request got %+v", stored)
		}
		must(t, s.AbandonIdempotent(ctx, "u", "k")) // finished: stays
		_, err = begin("u", "k", "other")
		wantCode(t, err, CodeIdempotencyMismatch)

		clock.advance(time.Hour)
		if stored, err = begin("u", "k", "other"); err != nil || stored != nil {
			t.Errorf("an expired key gave %v, %v", stored, err)
		}
		must(t, s.AbandonIdempotent(ctx, "u", "k"))
		if stored, err = begin("u", "k", "third"); err != nil || stored != nil {
			t.Errorf("a key that was given back gave %v, %v", stored, err)
		}
		must(t, s.AbandonUnfinishedIdempotent(ctx))
		if stored, err = begin("u", "k", "fourth"); err != nil || stored != nil {
			t.Errorf("after a restart the key gave %v, %v", stored, err)
		}

		clock.advance(2 * time.Hour)
		n, err := s.PurgeIdempotency(ctx, models.TimeOf(clock.now()))
		must(t, err)
		if n != 1 {
			t.Errorf("%d expired keys were deleted, want 1", n)
		}
	})
}

func TestOneOfManyEqualRequestsAtOnceIsTheFirst(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		var first atomic.Int32
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				stored, err := s.BeginIdempotent(t.Context(), "u", "k", "h", time.Hour)
				switch {
				case err == nil && stored == nil:
					first.Add(1)
				case !IsCode(err, CodeConflict):
					t.Errorf("a request got %v, %v", stored, err)
				}
			})
		}
		wg.Wait()
		if first.Load() != 1 {
			t.Errorf("%d requests were the first", first.Load())
		}
	})
}
