package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// messageLines passes on the lines of a program's standard output that are messages
// of the protocol. What else a program prints there (a greeting, a log) is handed to
// skipped instead of ending the session.
type messageLines struct {
	io.Closer
	from    *bufio.Reader
	skipped func(line string)
	rest    []byte // of a line that is being read
}

func newMessageLines(from io.ReadCloser, skipped func(line string)) *messageLines {
	return &messageLines{Closer: from, from: bufio.NewReaderSize(from, 64<<10), skipped: skipped}
}

func (m *messageLines) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.line()
		switch {
		case isMessage(line):
			m.rest = append(line, '\n')
		case len(bytes.TrimSpace(line)) > 0:
			m.skipped(cutRunes(string(bytes.TrimSpace(line)), maxSkipped))
		}
		if err != nil && len(m.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// maxSkipped is how many bytes of a skipped line are shown.
const maxSkipped = 500

// line is the next line without its end. At the end of the output it stands beside
// the error.
func (m *messageLines) line() ([]byte, error) {
	var line []byte
	for {
		piece, err := m.from.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > maxMessage:
			return nil, fmt.Errorf("it sent a line of more than %d bytes", maxMessage)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		}
		return bytes.TrimRight(line, "\r\n"), err
	}
}

// isMessage knows a message of JSON-RPC, or a batch of them.
func isMessage(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return len(line) > 0 && line[0] == '[' && json.Valid(line)
	}
	var message struct{ JSONRPC string }
	return json.Unmarshal(line, &message) == nil && message.JSONRPC != ""
}
