package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// serverEvent is one event of a stream.
type serverEvent struct {
	id   string // the cursor behind it; the last one that was given
	data []byte
}

// longestLine bounds what a broken server can make us keep; a snapshot of a long
// run is far below it.
const longestLine = 64 << 20 // bytes

// readEvents reads a text/event-stream (HTML standard, 9.2) to its end and hands
// each event to handle. alive is called whenever something came, comments included.
func readEvents(r io.Reader, alive func(), handle func(serverEvent) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), longestLine)
	lines.Split(splitLines())
	var event serverEvent
	var data []byte
	for lines.Scan() {
		alive()
		line := lines.Bytes()
		if len(line) == 0 {
			if data != nil {
				event.data = bytes.TrimSuffix(data, []byte("\n"))
				if err := handle(event); err != nil {
					return err
				}
			}
			data = nil
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "id":
			if !bytes.ContainsRune(value, 0) {
				event.id = string(value)
			}
		case "data":
			data = append(append(data, value...), '\n')
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return fmt.Errorf("read events: one is longer than %d MiB", longestLine>>20)
		}
		return fmt.Errorf("read events: %w", err)
	}
	return nil // an event that was cut off is not one
}

// splitLines ends lines at CR, LF or both. A CR is a line's end at once, so that
// an event is not held back until more comes.
func splitLines() bufio.SplitFunc {
	afterCR := false
	return func(data []byte, atEOF bool) (advance int, token []byte, err error) {
		skipped := 0
		if afterCR && len(data) > 0 {
			afterCR = false
			if data[0] == '\n' {
				skipped = 1
			}
		}
		rest := data[skipped:]
		if i := bytes.IndexAny(rest, "\r\n"); i >= 0 {
			afterCR = rest[i] == '\r'
			return skipped + i + 1, rest[:i], nil
		}
		if atEOF && len(rest) > 0 {
			return len(data), rest, nil
		}
		return skipped, nil, nil
	}
}
