package process

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Bounds of a program's error output.
const (
	maxLine        = 2000 // bytes; the rest of a line is dropped
	linesPerWindow = 100
	window         = 10 * time.Second
	lastLines      = 5 // are kept for errors
)

// stderrReader hands lines on, within bounds.
type stderrReader struct {
	hand func(string)

	opened  time.Time // when the present window began
	lines   int       // handed on in it
	skipped int

	mu   sync.Mutex
	tail []string
}

func newStderrReader(hand func(string)) *stderrReader {
	if hand == nil {
		hand = func(string) {}
	}
	return &stderrReader{hand: hand}
}

// read goes through the output to its end. It never stops reading early: a
// program that cannot write its errors stands still.
func (r *stderrReader) read(source io.Reader) {
	buffered := bufio.NewReaderSize(source, 4096)
	var line []byte
	for {
		piece, err := buffered.ReadSlice('\n')
		if room := maxLine - len(line); room > 0 {
			line = append(line, piece[:min(len(piece), room)]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if text := strings.TrimSpace(strings.ToValidUTF8(string(line), "\uFFFD")); text != "" {
			r.line(text)
		}
		line = line[:0]
		if err != nil {
			if r.skipped > 0 {
				r.hand(fmt.Sprintf("[%d more lines]", r.skipped))
			}
			return
		}
	}
}

func (r *stderrReader) line(text string) {
	r.mu.Lock()
	r.tail = append(r.tail, text)
	if len(r.tail) > lastLines {
		r.tail = r.tail[1:]
	}
	r.mu.Unlock()
	if now := time.Now(); now.Sub(r.opened) > window {
		if r.skipped > 0 {
			r.hand(fmt.Sprintf("[%d more lines]", r.skipped))
		}
		r.opened, r.lines, r.skipped = now, 0, 0
	}
	if r.lines++; r.lines > linesPerWindow {
		r.skipped++
		return
	}
	r.hand(text)
}

// last is the end of what was read so far, on one line.
func (r *stderrReader) last() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.tail, " | ")
}
