package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Errors of Decoder.Next beside io.EOF, ErrSyntax and the reader's own.
var (
	ErrTooLong = errors.New("a line is longer than the limit")
	ErrHTML    = errors.New("a web page instead of an answer")
)

// Decoder reads the chunks of an answer: server-sent events, or one JSON
// document where a server does not stream.
type Decoder struct {
	r     *bufio.Reader
	limit int
	chunk Chunk

	sniffed  bool
	document bool
	ended    bool // nothing is left to read
	done     bool // [DONE] came

	line    []byte // of a line that is longer than the reader's buffer
	pending []byte // JSON that is not complete yet
	bare    bool   // pending began without "data:"
	isError bool   // the event is named "error"
}

const bufferSize = 4 << 10

// NewDecoder reads from r. No payload may be longer than limit bytes.
func NewDecoder(r io.Reader, limit int) *Decoder {
	return &Decoder{r: bufio.NewReaderSize(r, min(bufferSize, limit)), limit: limit}
}

// Done reports whether the server said [DONE].
func (d *Decoder) Done() bool { return d.done }

// Next returns the next chunk, valid until the call after, and io.EOF after
// [DONE] or the last byte.
func (d *Decoder) Next() (*Chunk, error) {
	if d.ended {
		return nil, io.EOF
	}
	if !d.sniffed {
		if err := d.sniff(); err != nil {
			return nil, err
		}
	}
	if d.document {
		d.ended = true
		return d.readDocument()
	}
	for {
		line, err := d.readLine()
		if err == io.EOF && len(line) == 0 {
			d.ended = true
			if chunk, err := d.flush(); chunk != nil || err != nil {
				return chunk, err
			}
			return nil, io.EOF
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		chunk, err := d.take(line)
		if chunk != nil || err != nil {
			return chunk, err
		}
	}
}

// sniff looks at the first byte: not every answer is a stream, whatever its
// content type says.
func (d *Decoder) sniff() error {
	for {
		b, err := d.r.ReadByte()
		if err != nil {
			return err
		}
		switch b {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF: // white space and the byte order mark
			continue
		case '<':
			return ErrHTML
		case '{', '[':
			d.document = true
		}
		d.sniffed = true
		return d.r.UnreadByte()
	}
}

func (d *Decoder) readDocument() (*Chunk, error) {
	data, err := io.ReadAll(io.LimitReader(d.r, int64(d.limit)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > d.limit {
		return nil, ErrTooLong
	}
	if err := d.chunk.parse(data); err != nil {
		return nil, fmt.Errorf("%w in a document of %d bytes", err, len(data))
	}
	return &d.chunk, nil
}

// readLine returns the next line without its end, valid until the next call. At
// the end it returns what is left together with io.EOF.
func (d *Decoder) readLine() ([]byte, error) {
	line, err := d.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		d.line = append(d.line[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = d.r.ReadSlice('\n')
			if d.line = append(d.line, line...); len(d.line) > d.limit {
				return nil, ErrTooLong
			}
		}
		line = d.line
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), err
}

// take handles one line; it returns neither a chunk nor an error where the line
// completes nothing.
func (d *Decoder) take(line []byte) (*Chunk, error) {
	field, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case len(line) == 0:
		d.isError = false
		return d.flush()
	case string(field) == "data":
		return d.data(bytes.TrimSpace(value))
	case string(field) == "event":
		d.isError = string(bytes.TrimSpace(value)) == "error"
	case line[0] == '{' && len(d.pending) == 0:
		d.bare = true // some servers drop a bare JSON error into the stream
		return d.data(line)
	case d.bare && len(d.pending) > 0:
		return d.data(line)
	}
	return nil, nil
}

func (d *Decoder) data(value []byte) (*Chunk, error) {
	switch {
	case string(value) == "[DONE]":
		d.ended, d.done = true, true
		if chunk, err := d.flush(); chunk != nil || err != nil {
			return chunk, err
		}
		return nil, io.EOF
	case len(value) == 0:
		return nil, nil
	case d.isError:
		d.isError = false
		d.chunk = Chunk{Error: value}
		return &d.chunk, nil
	case len(d.pending) == 0 && d.chunk.parse(value) == nil:
		return &d.chunk, nil
	case len(d.pending) > 0 && value[0] == '{' && d.chunk.parse(value) == nil:
		return nil, fmt.Errorf("%w before an event of %d bytes", ErrSyntax, len(value))
	}
	// Perhaps one event on several lines: its end decides.
	d.pending = append(append(d.pending, value...), '\n')
	if len(d.pending) > d.limit {
		return nil, ErrTooLong
	}
	return nil, nil
}

// flush parses what several lines made, at the end of their event.
func (d *Decoder) flush() (*Chunk, error) {
	if len(d.pending) == 0 {
		return nil, nil
	}
	event := d.pending
	d.pending, d.bare = d.pending[:0], false
	if err := d.chunk.parse(event); err != nil {
		return nil, fmt.Errorf("%w in an event of %d bytes", err, len(event))
	}
	return &d.chunk, nil
}
