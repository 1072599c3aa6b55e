package eventlog

import (
	"math"
	"strconv"
	"strings"
)

// A cursor is "<epoch>-<sequence>": the place behind a message of one EVENTS stream. Within
// a message of several events it is "<epoch>-<sequence>.<events>": behind so many of them.
// A stream that was made anew has another epoch, so that an old cursor is known as such.

// place is where a subscriber goes on: at a message, behind some of its events.
type place struct {
	seq  uint64
	skip int
}

// behind is the place after an event.
func behind(e Event) place {
	if e.last {
		return place{seq: e.Seq + 1}
	}
	return place{e.Seq, e.index + 1}
}

func (p place) after(e Event) bool { return e.Seq < p.seq || e.Seq == p.seq && e.index < p.skip }

// cursor names a place by what is before it.
func (b *backend) cursor(p place) string {
	if p.skip > 0 {
		return b.epoch + "-" + strconv.FormatUint(p.seq, 10) + "." + strconv.Itoa(p.skip)
	}
	return b.epoch + "-" + strconv.FormatUint(p.seq-1, 10)
}

// parseCursor returns the place behind a cursor of this stream.
func (b *backend) parseCursor(cursor string) (place, bool) {
	epoch, number, found := strings.Cut(cursor, "-")
	if !found || epoch != b.epoch {
		return place{}, false
	}
	number, events, within := strings.Cut(number, ".")
	seq, err := strconv.ParseUint(number, 10, 64)
	if err != nil || seq == math.MaxUint64 {
		return place{}, false
	}
	if !within {
		return place{seq: seq + 1}, true
	}
	skip, err := strconv.Atoi(events)
	return place{seq, skip}, err == nil && skip > 0 && seq > 0
}
