package crontab

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// year lists the moments of an expression in 2026.
func year(t *testing.T, expression, zone string) []time.Time {
	t.Helper()
	times, err := Parse(expression, zone)
	if err != nil {
		t.Fatal(err)
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	end := time.Date(2027, 1, 1, 0, 0, 0, 0, location)
	var all []time.Time
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, location).Add(-time.Second)
	for at := times.Next(begin); at.Before(end); at = times.Next(at) {
		all = append(all, at)
	}
	return all
}

// IF7: a simulated year has exactly the right moments, where the clock is changed too: in
// Berlin on 29 March and 25 October, in Santiago on 5 April and 6 September at midnight,
// on Lord Howe Island by half an hour on 5 April and 4 October.
func TestAYearHasEveryMomentOnce(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "UTC", "Asia/Kolkata"} {
		for hour := range 24 {
			days := map[string]bool{}
			for _, at := range year(t, fmt.Sprintf("30 %d * * *", hour), zone) {
				day := at.Format(time.DateOnly)
				if days[day] {
					t.Errorf("%s: %d:30 is there twice on %s", zone, hour, day)
				}
				days[day] = true
				if (at.Hour() != hour || at.Minute() != 30) && offsetOf(at) == offsetOf(at.Add(-time.Second)) {
					t.Errorf("%s: %d:30 became %s", zone, hour, at)
				}
			}
			if len(days) != 365 {
				t.Errorf("%s: %d:30 is there on %d days", zone, hour, len(days))
			}
		}
	}
}

// IF7: what is due every so many minutes keeps its pace while the clock is changed.
func TestShortIntervalsKeepTheirPace(t *testing.T) {
	t.Parallel()
	for expression, every := range map[string]time.Duration{"*/15 * * * *": 15 * time.Minute, "0 * * * *": time.Hour} {
		all := year(t, expression, "Europe/Berlin")
		if want := int(365 * 24 * time.Hour / every); len(all) != want {
			t.Errorf("%s has %d moments in a year, not %d", expression, len(all), want)
		}
		for i := 1; i < len(all); i++ {
			if all[i].Sub(all[i-1]) != every {
				t.Errorf("%s: %s follows %s", expression, all[i], all[i-1])
			}
		}
	}
}

// IF7: the named moments of the two nights in Berlin.
func TestTheNightsOfTheClockChange(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		"30 2 29 3 *":  "2026-03-29T03:00:00+02:00",
		"30 2 25 10 *": "2026-10-25T02:30:00+02:00",
		"0,30 1-3 25 10 *": "2026-10-25T01:00:00+02:00 2026-10-25T01:30:00+02:00 2026-10-25T02:00:00+02:00 " +
			"2026-10-25T02:30:00+02:00 2026-10-25T03:00:00+01:00 2026-10-25T03:30:00+01:00",
		"15 */8 25 10 *": "2026-10-25T00:15:00+02:00 2026-10-25T08:15:00+01:00 2026-10-25T16:15:00+01:00",
		"30 7 1 1-3 *":   "2026-01-01T07:30:00+01:00 2026-02-01T07:30:00+01:00 2026-03-01T07:30:00+01:00",
		"0 0 24 12 *":    "2026-12-24T00:00:00+01:00",
	} {
		var got []string
		for _, at := range year(t, expression, "Europe/Berlin") {
			got = append(got, at.Format(time.RFC3339))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s:\n got %v\nwant %s", expression, got, want)
		}
	}
}

// IF7: nonsense is refused with what to write instead.
func TestNonsenseIsRefused(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{"", "x", "* * * *", "60 * * * *", "0 0 31 2 *", "@every 1s", "TZ=UTC 0 0 * * *",
		"0 0 * * * * *", strings.Repeat("1,", 10000) + "1 * * * *"} {
		if _, err := Parse(expression, "UTC"); err == nil {
			t.Errorf("%.40q is taken", expression)
		}
	}
	for _, zone := range []string{"Nowhere/Land", "Local", "../etc/passwd"} {
		if _, err := Parse("0 0 * * *", zone); err == nil {
			t.Errorf("the zone %q is taken", zone)
		}
	}
}

// IF7: the last of many missed moments is found without counting them all.
func TestTheLastMissedMomentIsFound(t *testing.T) {
	t.Parallel()
	times, err := Parse("* * * * *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 23, 5, 0, 30, 0, time.UTC)
	if last := times.Last(now.AddDate(-5, 0, 0), now); !last.Equal(now.Truncate(time.Minute)) {
		t.Errorf("the last is %s", last)
	}
	yearly, err := Parse("0 0 1 1 *", "UTC")
	if err != nil {
		t.Fatal(err)
	}
	if last := yearly.Last(now.AddDate(-5, 0, 0), now); last.Format(time.DateOnly) != "2026-01-01" {
		t.Errorf("the last is %s", last)
	}
}
