package sandbox

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// Capture keeps the head and the tail of an output.
type Capture struct {
	limit int
	head  []byte
	tail  []byte // a ring, once it is full
	next  int    // where the ring goes on
	total int64

	wholeLimit int64 // greatest size of whole
	wholeSize  int64
	whole      *os.File // everything, once something was dropped; nil: not kept
}

// NewCapture keeps at most that many bytes, half of them of the head.
func NewCapture(limit int) *Capture { return &Capture{limit: max(limit, 2)} }

// KeepWhole keeps the output as a whole too, up to that many bytes, in a
// temporary file that is made when something would be dropped.
func (c *Capture) KeepWhole(limit int64) { c.wholeLimit = limit }

// Whole is the file with the whole output, or its beginning, where something was
// dropped and KeepWhole was asked for; else nil. Its name is gone already: the
// caller reads it from its start and closes it.
func (c *Capture) Whole() *os.File {
	if c.whole != nil {
		if _, err := c.whole.Seek(0, io.SeekStart); err != nil {
			c.discardWhole()
		}
	}
	return c.whole
}

// keep adds to the whole output. Where the disk is full there is none.
func (c *Capture) keep(data []byte) {
	if c.whole == nil {
		if c.total+int64(len(data)) <= int64(c.limit) {
			return
		}
		file, err := os.CreateTemp("", "nanoclaw-output-")
		if err != nil {
			c.wholeLimit = 0
			return
		}
		_ = os.Remove(file.Name()) // it lives as long as it is open
		c.whole = file
		data = slices.Concat(c.head, c.tail, data) // nothing was dropped so far
	}
	if room := c.wholeLimit - c.wholeSize; int64(len(data)) > room {
		data = data[:room]
	}
	c.wholeSize += int64(len(data))
	if _, err := c.whole.Write(data); err != nil {
		c.discardWhole()
		c.wholeLimit = 0
	}
}

// Discard closes the file that Whole would return.
func (c *Capture) Discard() {
	if c.whole != nil {
		c.discardWhole()
	}
}

func (c *Capture) discardWhole() {
	_ = c.whole.Close() // it is given up
	c.whole = nil
}

// Write takes more output. It never fails.
func (c *Capture) Write(data []byte) (int, error) {
	n := len(data)
	if c.wholeLimit > 0 {
		c.keep(data)
	}
	c.total += int64(n)
	if room := c.limit/2 - len(c.head); room > 0 {
		part := data[:min(room, len(data))]
		c.head = append(c.head, part...)
		data = data[len(part):]
	}
	size := c.limit - c.limit/2
	if skip := len(data) - size; skip > 0 {
		data = data[skip:]
	}
	if room := size - len(c.tail); room > 0 {
		part := data[:min(room, len(data))]
		c.tail = append(c.tail, part...)
		data = data[len(part):]
	}
	for len(data) > 0 {
		copied := copy(c.tail[c.next:], data)
		c.next = (c.next + copied) % size
		data = data[copied:]
	}
	return n, nil
}

// Dropped is how many bytes are in neither head nor tail.
func (c *Capture) Dropped() int64 { return c.total - int64(len(c.head)) - int64(len(c.tail)) }

// String is the output as valid UTF-8. Where bytes were dropped, head and tail
// are cut between characters and a line says how many are missing.
func (c *Capture) String() string {
	tail := string(c.tail[c.next:]) + string(c.tail[:c.next])
	head := string(c.head)
	dropped := c.Dropped()
	if dropped == 0 {
		return strings.ToValidUTF8(head+tail, "\uFFFD")
	}
	for cut := 1; cut <= utf8.UTFMax && cut <= len(head); cut++ {
		if start := head[len(head)-cut:]; utf8.RuneStart(start[0]) {
			if !utf8.FullRuneInString(start) {
				head = head[:len(head)-cut]
			}
			break
		}
	}
	for cut := 0; cut < utf8.UTFMax && len(tail) > 0 && !utf8.RuneStart(tail[0]); cut++ {
		tail = tail[1:]
	}
	middle := fmt.Sprintf("\n[… %d bytes left out …]\n", c.total-int64(len(head))-int64(len(tail)))
	return strings.ToValidUTF8(head+middle+tail, "\uFFFD")
}
