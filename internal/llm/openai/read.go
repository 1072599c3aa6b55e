package openai

import (
	"errors"
	"io"
	"net/http"
	"time"

	"nanoclaw/internal/llm/openai/wire"
	"nanoclaw/internal/llm/retry"
)

// maxLine is the longest payload that is read, in bytes.
const maxLine = 16 << 20

// drainTime is how long the end of a body is waited for after the answer's, so
// that its connection can be used again.
const drainTime = 250 * time.Millisecond

// read takes the answer chunk by chunk.
func (x *exchange) read(watch *retry.Watch, body io.Reader) error {
	decoder := wire.NewDecoder(body, maxLine)
	for {
		chunk, err := decoder.Next()
		if err != nil {
			return x.end(decoder, watch, body, err)
		}
		if chunk.Error != nil {
			return x.model.classify(0, http.Header{}, chunk.Error)
		}
		if err := x.answer.take(chunk); err != nil {
			return err
		}
		if x.answer.complete {
			watch.Limit(x.model.grace)
		} else {
			watch.Limit(x.model.opts.IdleTimeout)
		}
	}
}

// end decides what the end of the bytes, for whatever reason, means.
func (x *exchange) end(decoder *wire.Decoder, watch *retry.Watch, body io.Reader, err error) error {
	a := &x.answer
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, wire.ErrSyntax) && a.complete:
		watch.Limit(drainTime)
		_, _ = io.CopyN(io.Discard, body, 4<<10) // only for the connection's sake
	case a.complete && !errors.Is(err, wire.ErrTooLong):
		// The answer is whole; the server only did not say goodbye.
	case watch.Fired():
		return x.model.silent(x.begun)
	default:
		return x.model.interrupted(err)
	}
	if a.finish == "" && !a.whole && (!decoder.Done() || a.empty()) {
		return retry.Unfinished(x.model.endpoint.Host, "finish_reason")
	}
	return a.close()
}
