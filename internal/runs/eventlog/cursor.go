package eventlog

import (
	"strconv"
	"strings"
)

// A cursor is "<epoch>-<sequence>": the place of an event in one EVENTS stream.
// A stream that was made anew has another epoch, so that an old cursor is known
// as such.

func (l *Log) cursor(seq uint64) string { return l.epoch + "-" + strconv.FormatUint(seq, 10) }

// parseCursor returns the sequence number of a cursor of this stream.
func (l *Log) parseCursor(cursor string) (seq uint64, ok bool) {
	epoch, number, found := strings.Cut(cursor, "-")
	if !found || epoch != l.epoch {
		return 0, false
	}
	seq, err := strconv.ParseUint(number, 10, 64)
	return seq, err == nil
}

// Cursor is the place of the newest event that was published or seen here.
func (l *Log) Cursor() string { return l.cursor(l.last.Load()) }
