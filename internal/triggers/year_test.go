package triggers_test

import (
	"slices"
	"testing"
	"time"

	"nanoclaw/internal/models"
)

// daily is a schedule of one local time each day, and where its clock is changed: in 2026
// Berlin skips and repeats 02:00 to 03:00, New York skips 02:00 to 03:00 and repeats 01:00 to
// 02:00, Lord Howe Island skips 02:00 to 02:30 and repeats 01:30 to 02:00, Kolkata has no
// summer time.
type daily struct {
	zone, cron   string
	hour, minute int
}

var dailies = []daily{
	{"Europe/Berlin", "30 2 * * *", 2, 30},
	{"America/New_York", "30 2 * * *", 2, 30},
	{"America/New_York", "30 1 * * *", 1, 30},
	{"Australia/Lord_Howe", "15 2 * * *", 2, 15},
	{"Australia/Lord_Howe", "45 1 * * *", 1, 45},
	{"Asia/Kolkata", "30 2 * * *", 2, 30},
}

// moments looks at every minute between two moments: each local day is due at its first
// minute that is not before the local time.
func (d daily) moments(t *testing.T, from, to time.Time) (want []string) {
	t.Helper()
	zone, err := time.LoadLocation(d.zone)
	if err != nil {
		t.Fatal(err)
	}
	done := ""
	for at := from.AddDate(0, 0, -2); at.Before(to); at = at.Add(time.Minute) {
		local := at.In(zone)
		if day := local.Format(time.DateOnly); day != done && local.Hour()*60+local.Minute() >= d.hour*60+d.minute {
			done = day
			if at.After(from) {
				want = append(want, "started "+at.Format(time.RFC3339))
			}
		}
	}
	return want
}

// IF7: in a simulated year the service fires exactly the right moments of each zone, once
// each, though the clock of the machine is set back after every one of them.
func TestAYearOfTheServiceFiresExactlyTheRightMoments(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	end := begin.AddDate(1, 0, 0)
	h := newHouse(t, begin)
	var made []*models.Schedule
	due := map[time.Time]bool{}
	for _, d := range dailies {
		made = append(made, h.schedule(func(s *models.Schedule) { s.Cron, s.Timezone = d.cron, d.zone }))
		for _, moment := range d.moments(t, begin, end) {
			at, err := time.Parse("started "+time.RFC3339, moment)
			if err != nil {
				t.Fatal(err)
			}
			due[at] = true
		}
	}
	all := make([]time.Time, 0, len(due))
	for at := range due {
		all = append(all, at)
	}
	slices.SortFunc(all, time.Time.Compare)
	for _, at := range all {
		h.at(at.Add(-time.Second))
		h.at(at.Add(time.Second))
		for _, one := range made {
			h.end(one.ID)
		}
		h.at(at.Add(-time.Hour)) // the clock is set back
		h.at(at.Add(2 * time.Second))
	}
	for i, d := range dailies {
		want, got := d.moments(t, begin, end), h.firings(made[i].ID)
		if len(want) < 365 || !slices.Equal(got, want) {
			t.Errorf("%s in %s: %d firings, want %d; they differ in %v", d.cron, d.zone, len(got), len(want),
				difference(got, want))
		}
	}
}

// difference is what only one of two lists has.
func difference(a, b []string) (only []string) {
	for _, pair := range [][2][]string{{a, b}, {b, a}} {
		for _, one := range pair[0] {
			if !slices.Contains(pair[1], one) {
				only = append(only, one)
			}
		}
	}
	return only
}
