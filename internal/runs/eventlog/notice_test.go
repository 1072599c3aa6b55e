package eventlog

import (
	"testing"
	"time"
)

// CH3, GR3: a notice reaches all processes, also behind a change of the backend.
func TestANoticeReachesEveryProcess(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, newPlace func() venue) {
		place := newPlace()
		heard := make(chan string, 16)
		logs := []*Log{place.open(t, 0)}
		if place.servers != nil {
			logs = append(logs, place.open(t, 0))
		}
		for _, l := range logs {
			l.OnNotice(func(run string) { heard <- run })
		}
		hear := func(want string) {
			t.Helper()
			for range logs {
				select {
				case got := <-heard:
					if got != want {
						t.Errorf("heard of %q, want %q", got, want)
					}
				case <-time.After(10 * time.Second):
					t.Fatalf("not all of %d processes heard of %s", len(logs), want)
				}
			}
		}
		logs[0].Notify("one")
		hear("one")
		if place.servers == nil {
			logs[0].replace(t.Context(), errDamaged)
			logs[0].Notify("two")
			hear("two")
		}
	})
}
