package retry

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"nanoclaw/internal/llm"
)

// Waiting between tries.
const (
	firstWait  = 500 * time.Millisecond
	longestOwn = 8 * time.Second  // of our own backoff
	longestAsk = 60 * time.Second // of what a provider asks for; who asks for more gets no other try
)

// Retrier decides about other tries of one model's calls.
type Retrier struct {
	Model  string // its id, for the log
	Max    int    // tries after the first
	Logger *slog.Logger
	Pause  func(ctx context.Context, d time.Duration) error // nil: Pause
	// Notify is called before each wait; false: nobody waits for the answer. nil: nothing is.
	Notify func(llm.Retry) bool
}

// Again decides whether a call that failed with err after tries other tries is
// made once more, and waits for it. Whoever has an event of the answer already
// must not ask.
func (r Retrier) Again(ctx context.Context, err error, tries int) bool {
	var failed *llm.Error
	if ctx.Err() != nil || tries >= r.Max || !errors.As(err, &failed) || !failed.Retryable {
		return false
	}
	wait := backoff(tries)
	if failed.RetryAfter > 0 {
		wait = failed.RetryAfter
	}
	if wait > longestAsk {
		return false
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
		return false // the error says more than the deadline's
	}
	r.Logger.Warn("a model call failed and is tried again",
		"model", r.Model, "code", failed.Code, "status", failed.Status, "try", tries+1, "wait", wait)
	if r.Notify != nil && !r.Notify(llm.Retry{Reason: failed, Wait: wait, Try: tries + 1, Max: r.Max}) {
		return false
	}
	pause := r.Pause
	if pause == nil {
		pause = Pause
	}
	return pause(ctx, wait) == nil
}

// backoff doubles with each try; the second half of it is chance, so that many
// calls that failed together do not come back together.
func backoff(tries int) time.Duration {
	wait := longestOwn
	if tries < 5 {
		wait = min(firstWait<<tries, longestOwn)
	}
	return wait/2 + rand.N(wait/2)
}

// Pause waits for d or the end of ctx, whose error it returns.
func Pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// RetryAfter reads what a provider asks for in the headers Retry-After-Ms and
// Retry-After: milliseconds, seconds or a date. Zero: nothing.
func RetryAfter(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return seconds(ms / 1000)
	}
	value := header.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return seconds(s)
	}
	if date, err := http.ParseTime(value); err == nil && date.After(now) {
		return date.Sub(now)
	}
	return 0
}

// seconds is a duration of at most a day.
func seconds(s float64) time.Duration { return time.Duration(min(s, 86400) * float64(time.Second)) }
