package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"nanoclaw/internal/runs"
)

// eventWriter writes server-sent events. It holds no buffer of its own: thousands
// of streams are open at once.
type eventWriter struct {
	out       io.Writer
	conn      *http.ResponseController
	unflushed bool
}

var (
	lineEnd   = []byte("\n")
	eventEnd  = []byte("\n\n")
	heartbeat = []byte(": \n\n")
)

func (w *eventWriter) event(e runs.Event) error {
	if err := w.begin(); err != nil {
		return err
	}
	if _, err := io.WriteString(w.out, "id: "+e.Cursor+"\nevent: "+e.Type+"\ndata: "); err != nil {
		return fmt.Errorf("send an event: %w", err)
	}
	// JSON may only break lines between its tokens.
	data := e.Data
	if bytes.ContainsAny(data, "\n\r") {
		data = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r"), []byte(" ")), lineEnd, []byte(" "))
	}
	_, err := w.out.Write(data)
	if err == nil {
		_, err = w.out.Write(eventEnd)
	}
	if err != nil {
		return fmt.Errorf("send an event: %w", err)
	}
	return nil
}

// beat ends a batch, or tells a silent connection that it is alive.
func (w *eventWriter) beat() error {
	if !w.unflushed {
		if err := w.begin(); err != nil {
			return err
		}
		if _, err := w.out.Write(heartbeat); err != nil {
			return fmt.Errorf("send a heartbeat: %w", err)
		}
	}
	return w.flush()
}

// begin gives a batch its time, so that a client that takes nothing cannot hold
// the stream for ever.
func (w *eventWriter) begin() error {
	if w.unflushed {
		return nil
	}
	w.unflushed = true
	err := w.conn.SetWriteDeadline(time.Now().Add(sendTimeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("limit the time of an event: %w", err)
	}
	return nil
}

func (w *eventWriter) flush() error {
	w.unflushed = false
	if err := w.conn.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("send events: %w", err)
	}
	return nil
}
