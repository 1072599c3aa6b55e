package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// sendTimeout is how long a client may take to receive what is ready.
const sendTimeout = 30 * time.Second

// Events writes server-sent events. The answer begins with the first one: what fails
// before is answered with its status.
type Events struct {
	out   http.ResponseWriter
	conn  *http.ResponseController
	begun bool
}

// NewEvents makes an answer of events.
func NewEvents(w http.ResponseWriter) *Events {
	return &Events{out: w, conn: http.NewResponseController(w)}
}

// Begun says whether something was sent.
func (w *Events) Begun() bool { return w.begun }

// Send writes one event; the empty name is left out.
func (w *Events) Send(name string, data any) error {
	body, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode an event: %w", err)
	}
	text := "data: " + string(body) + "\n\n"
	if name != "" {
		text = "event: " + name + "\n" + text
	}
	return w.write(text)
}

// Idle shows a silent connection that the server is there.
func (w *Events) Idle() error { return w.write(": \n\n") }

// Done sends the end mark of OpenAI's and the AI SDK's streams.
func (w *Events) Done() error { return w.write("data: [DONE]\n\n") }

func (w *Events) write(text string) error {
	if !w.begun {
		w.begun = true
		header := w.out.Header()
		header.Set("Content-Type", "text/event-stream")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Accel-Buffering", "no")
		w.out.WriteHeader(http.StatusOK)
	}
	err := w.conn.SetWriteDeadline(time.Now().Add(sendTimeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("limit the time of an event: %w", err)
	}
	if _, err := w.out.Write([]byte(text)); err != nil {
		return fmt.Errorf("send an event: %w", err)
	}
	if err := w.conn.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("send events: %w", err)
	}
	return nil
}
