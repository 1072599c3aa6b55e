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
		var claim KeyClaim // the last one that holds
		begin := func(user, key, hash string) (*models.IdempotencyKey, error) {
			made, stored, err := s.BeginIdempotent(ctx, user, key, hash, time.Hour)
			if err == nil && stored == nil && user == "u" {
				claim = made
			}
			return stored, err
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
		must(t, s.FinishIdempotent(ctx, claim, answer))
		stored, err = begin("u", "k", "h")
		must(t, err)
		if stored == nil || stored.Status != 201 || stored.ContentType != answer.ContentType ||
			stored.Location != "/x" || !bytes.Equal(stored.Body, answer.Body) {
			t.Errorf("the repeated request got %+v", stored)
		}
		must(t, s.AbandonIdempotent(ctx, claim)) // finished: stays
		_, err = begin("u", "k", "other")
		wantCode(t, err, CodeIdempotencyMismatch)

		clock.advance(time.Hour)
		if stored, err = begin("u", "k", "other"); err != nil || stored != nil {
			t.Errorf("an expired key gave %v, %v", stored, err)
		}
		must(t, s.AbandonIdempotent(ctx, claim))
		if stored, err = begin("u", "k", "third"); err != nil || stored != nil {
			t.Errorf("a key that was given back gave %v, %v", stored, err)
		}
		if s.Shared() {
			clock.advance(KeyLease) // beside another process it could be at work until then
		}
		must(t, s.AbandonUnfinishedIdempotent(ctx))
		if stored, err = begin("u", "k", "third"); err != nil || stored != nil {
			t.Errorf("after a restart the key gave %v, %v", stored, err)
		}

		clock.advance(2 * time.Hour)
		n, err := s.PurgeIdempotency(ctx, models.TimeOf(clock.now()))
		must(t, err)
		want := int64(1)
		if s.Shared() {
			want++ // v's was not given back
		}
		if n != want {
			t.Errorf("%d expired keys were deleted, want %d", n, want)
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
				_, stored, err := s.BeginIdempotent(t.Context(), "u", "k", "h", time.Hour)
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

// GR3: a key that its first request gives back in the moment in which another one asks for it is
// free or held, but nothing else.
func TestAKeyMayBeGivenBackWhileAnotherRequestAsks(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 40 {
					claim, stored, err := s.BeginIdempotent(t.Context(), "u", "k", "h", time.Hour)
					switch {
					case err == nil && stored == nil:
						if err := s.AbandonIdempotent(t.Context(), claim); err != nil {
							t.Error(err)
						}
					case !IsCode(err, CodeConflict):
						t.Errorf("a request got %v, %v", stored, err)
					}
				}
			})
		}
		wg.Wait()
	})
}

// GR3: the key of a request whose process died is free again once its claim has run out,
// and what was frozen in the meantime can no longer answer.
func TestAKeyOfADeadRequestIsTakenOver(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		ctx := t.Context()
		begin := func() (KeyClaim, *models.IdempotencyKey, error) {
			return s.BeginIdempotent(ctx, "u", "k", "h", time.Hour)
		}
		first, _, err := begin()
		must(t, err)
		clock.advance(KeyLease / 2)
		if held, err := s.RenewIdempotent(ctx, first); !held || err != nil {
			t.Errorf("the claim was not renewed: %v, %v", held, err)
		}
		clock.advance(KeyLease / 2)
		_, _, err = begin()
		wantCode(t, err, CodeConflict)
		clock.advance(KeyLease / 2)
		second, stored, err := begin()
		if err != nil || stored != nil {
			t.Fatalf("a key whose claim has run out gave %v, %v", stored, err)
		}
		if held, err := s.RenewIdempotent(ctx, first); held || err != nil {
			t.Errorf("a claim that was lost was renewed: %v, %v", held, err)
		}
		must(t, s.AbandonIdempotent(ctx, first)) // gives nothing back
		wantCode(t, s.FinishIdempotent(ctx, first, Answer{Status: 201}), CodeConflict)
		must(t, s.FinishIdempotent(ctx, second, Answer{Status: 202}))
		if _, stored, err = begin(); err != nil || stored == nil || stored.Status != 202 {
			t.Errorf("the repeated request got %+v, %v", stored, err)
		}
	})
}
