package eventlog

import (
	"strconv"
	"strings"
)

// A cursor is "<epoch>-<sequence>": the place of an event in one EVENTS stream.
// A stream that was made anew has another epoch, so that an old cursor is known
// as such.

func (b *backend) cursor(seq uint64) string { return b.epoch + "-" + strconv.FormatUint(seq, 10) }

// parseCursor returns the sequence number of a cursor of this stream.
func (b *backend) parseCursor(cursor string) (seq uint64, ok bool) {
	epoch, number, found := strings.Cut(cursor, "-")
	if !found || epoch != b.epoch {
		return 0, false
	}
	seq, err := strconv.ParseUint(number, 10, 64)
	return seq, err == nil
}
