package retry

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfterIsReadInEveryForm(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "1.5": 1500 * time.Millisecond, "Fri, 20 Nov 2026 12:00:09 GMT": 9 * time.Second,
		"Fri, 20 Nov 2026 11:00:00 GMT": 0, "-3": 0, "soon": 0, "": 0, "1e300": 24 * time.Hour, "NaN": 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
	if got := RetryAfter(http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"1"}},
		now); got != 250*time.Millisecond {
		t.Errorf("milliseconds: %s", got)
	}
}

func TestBackoffGrowsToItsLimit(t *testing.T) {
	t.Parallel()
	for tries := range 70 {
		limit := longestOwn
		if tries < 4 {
			limit = firstWait << tries
		}
		if wait := backoff(tries); wait < limit/2 || wait > limit {
			t.Errorf("try %d: %s", tries, wait)
		}
	}
}
