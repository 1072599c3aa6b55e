// Package crontab finds the moments of a cron expression in a time zone, right also where
// the clock is changed to summer time and back.
package crontab

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// Times are the moments of a schedule.
type Times struct {
	spec     cron.Schedule
	location *time.Location
	fixed    bool // its hours are named: a repeated hour counts once
}

var parser = cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Descriptor)

// Parse reads a cron expression (five fields, or @daily and the like) in a time
// zone; the empty zone is UTC.
func Parse(expression, timezone string) (*Times, error) {
	expression = strings.TrimSpace(expression)
	if strings.Contains(expression, "TZ=") {
		return nil, errors.New("the time zone is a field of its own: take it out of the cron expression")
	}
	location, err := time.LoadLocation(timezone)
	if err != nil || timezone == "Local" {
		return nil, fmt.Errorf("there is no time zone %q: use an IANA name such as Europe/Berlin", timezone)
	}
	spec, err := parser.Parse(expression)
	if err != nil {
		return nil, fmt.Errorf("the cron expression %q is not valid: %w (minute hour day month weekday, for example "+
			"\"30 7 * * 1-5\")", expression, err)
	}
	fields := strings.Fields(expression)
	t := &Times{spec: spec, location: location, fixed: len(fields) == 5 && !strings.HasPrefix(fields[1], "*") ||
		expression[0] == '@' && expression != "@hourly" && fields[0] != "@every"}
	if every, is := spec.(cron.ConstantDelaySchedule); is && every.Delay < time.Minute {
		return nil, errors.New("a schedule fires at most once a minute")
	}
	if t.Next(time.Unix(0, 0)).IsZero() {
		return nil, fmt.Errorf("the cron expression %q has no moment at all", expression)
	}
	return t, nil
}

// Next is the first moment behind after; the zero time where there is none. A wall clock
// time that is left out in spring counts at the end of the gap; one that is there twice
// in autumn counts once, unless the schedule is for every hour, which keeps its pace.
func (t *Times) Next(after time.Time) time.Time {
	after = after.In(t.location)
	if t.fixed {
		return t.nextFixed(after)
	}
	for {
		offset := offsetOf(after)
		next := t.spec.Next(wall(after, offset))
		if next.IsZero() {
			return next
		}
		real := next.Add(-offset).In(t.location)
		if offsetOf(real) == offset {
			return real
		}
		_, change := after.ZoneBounds() // the clock is changed before: on from there
		change = change.In(t.location)
		if at := wall(change, offsetOf(change)); t.spec.Next(at.Add(-time.Second)).Equal(at) {
			return change
		}
		after = change
	}
}

// dayBefore is more than any change of a clock, and less than the time between two.
const dayBefore = 24 * time.Hour

func (t *Times) nextFixed(after time.Time) time.Time {
	from := wall(after, offsetOf(after)).Add(-dayBefore / 6)
	for next := t.spec.Next(from); ; next = t.spec.Next(next) {
		if next.IsZero() {
			return next
		}
		if real := t.first(next); real.After(after) {
			return real
		}
	}
}

// first is the moment at which a wall clock shows a time first, or the end of the gap
// in which it does not.
func (t *Times) first(wall time.Time) time.Time {
	before := offsetOf(wall.Add(-dayBefore).In(t.location))
	behind := offsetOf(wall.Add(dayBefore).In(t.location))
	early, late := wall.Add(-before).In(t.location), wall.Add(-behind).In(t.location)
	switch {
	case offsetOf(early) == before:
		return early
	case offsetOf(late) == behind:
		return late
	}
	change, _ := early.ZoneBounds()
	return change.In(t.location)
}

// wall is what the clock shows, as a time in UTC.
func wall(at time.Time, offset time.Duration) time.Time { return at.UTC().Add(offset) }

func offsetOf(at time.Time) time.Duration {
	_, seconds := at.Zone()
	return time.Duration(seconds) * time.Second
}

// Last is the last moment up to now that is behind from, or from itself.
func (t *Times) Last(from, now time.Time) time.Time {
	// The moments may be very many: look back from now in growing steps.
	for window := time.Hour; ; window *= 8 {
		begin := now.Add(-window)
		if !begin.After(from) {
			begin = from
		}
		last := time.Time{}
		for next := t.Next(begin); !next.IsZero() && !next.After(now); next = t.Next(next) {
			last = next
		}
		if !last.IsZero() {
			return last
		}
		if begin.Equal(from) {
			return from
		}
	}
}
