package builtin

import (
	"bufio"
	"errors"
	"io"
	"unicode/utf8"
)

// window is the part of a text that file_read answers with: whole lines as far
// as they fit, or a piece of one line that does not fit alone.
type window struct {
	firstLine   int // 1-based
	firstColumn int // 1-based, in characters
	lastLine    int // inclusive; 0: the end
	limit       int // bytes

	content    []byte
	totalLines int
	endLine    int // last line of content
	nextLine   int // where to read on; 0: all that was asked for is there
	nextColumn int

	line     int  // where the scan is
	started  int  // len(content) at the line's start
	skipped  int  // characters of the first line that went by
	reached  bool // the first column
	tooShort bool // the first line ended before the first column
	full     bool
}

// read scans a text to its end: the number of lines is part of the answer.
func (w *window) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	w.startLine(1)
	open := false // the last line has no end yet
	for {
		piece, err := in.ReadSlice('\n')
		if len(piece) > 0 {
			ends := piece[len(piece)-1] == '\n'
			w.take(piece)
			if open = !ends; ends {
				w.endOfLine()
				w.startLine(w.line + 1)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	w.totalLines = w.line
	if open {
		w.endOfLine()
	} else {
		w.totalLines--
	}
	return nil
}

func (w *window) startLine(line int) { w.line, w.started = line, len(w.content) }

func (w *window) endOfLine() {
	if w.line == w.firstLine && !w.reached {
		w.tooShort = true
	}
}

func (w *window) wanted() bool {
	return !w.full && w.line >= w.firstLine && (w.lastLine == 0 || w.line <= w.lastLine)
}

// take is given a piece of the line at hand.
func (w *window) take(piece []byte) {
	if !w.wanted() {
		return
	}
	if w.line == w.firstLine {
		piece = w.skipColumns(piece)
	}
	if len(piece) == 0 {
		return
	}
	w.content = append(w.content, piece...)
	w.endLine = w.line
	if len(w.content) > w.limit {
		w.cut()
	}
}

// skipColumns drops what stands before the first column of the first line.
func (w *window) skipColumns(piece []byte) []byte {
	for len(piece) > 0 && !w.reached {
		if utf8.RuneStart(piece[0]) {
			if w.skipped == w.firstColumn-1 {
				w.reached = true
				break
			}
			w.skipped++
		}
		piece = piece[1:]
	}
	return piece
}

// cut ends the window at the last line that fits, or in the line when it is the
// only one.
func (w *window) cut() {
	w.full = true
	if w.started > 0 {
		w.content = w.content[:w.started]
		w.endLine = w.line - 1
		w.nextLine, w.nextColumn = w.line, 1
		return
	}
	end := w.limit
	for end > 0 && !utf8.RuneStart(w.content[end]) {
		end--
	}
	w.content = w.content[:end]
	first := 1
	if w.line == w.firstLine {
		first = w.firstColumn
	}
	w.nextLine, w.nextColumn = w.line, first+utf8.RuneCount(w.content)
}
