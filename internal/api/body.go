package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/config"
)

// bodyProgress is what has to arrive of a body within http.body_timeout.
const bodyProgress = 16 << 10

// limitBody bounds the size of a body and the time between its parts, and refuses
// queries with bytes that no text has.
func (s *server) limitBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if query, err := url.QueryUnescape(r.URL.RawQuery); err != nil || strings.ContainsRune(query, 0) ||
			!utf8.ValidString(query) {
			return invalidField("query", "it holds a NUL byte, or is not valid UTF-8 or percent-encoding")
		}
		if r.Body == nil || r.Body == http.NoBody {
			return next(c)
		}
		limit := s.bodyLimit(c)
		if r.ContentLength > limit {
			return tooLarge(limit)
		}
		body := &timedBody{
			ReadCloser: http.MaxBytesReader(c.Response(), r.Body, limit),
			conn:       http.NewResponseController(c.Response()), timeout: s.Live.Current().HTTP.BodyTimeout.Std(),
		}
		body.extend() // also for a body that nobody reads: the server reads on behind the answer
		r.Body = body
		return next(c)
	}
}

// bodyLimit is http.max_upload for routes that take files, else http.max_body.
func (s *server) bodyLimit(c echo.Context) int64 {
	limits := s.Live.Current().HTTP
	if s.takesFiles[c.Request().Method+" "+c.Path()] {
		return limits.MaxUpload.Bytes()
	}
	return limits.MaxBody.Bytes()
}

func tooLarge(limit int64) *Problem {
	return newProblem(http.StatusRequestEntityTooLarge, codeTooLarge,
		fmt.Sprintf(
			"the request's body is larger than %s: send less, or raise http.max_body or http.max_upload in config.yml",
			config.Size(limit)))
}

// timedBody is a body that has to go on arriving: bodyProgress in every timeout. The
// time limit ends with the body: an answer may take longer.
type timedBody struct {
	io.ReadCloser
	conn    *http.ResponseController
	timeout time.Duration
	begun   bool
	arrived int // since the time limit was set
	err     error
}

func (b *timedBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if !b.begun { // huma takes the connection's time limit away before it reads
		b.begun = true
		b.extend()
	}
	n, err := b.ReadCloser.Read(p)
	switch b.arrived += n; {
	case errors.Is(err, io.EOF):
		b.setDeadline(time.Time{})
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = newProblem(http.StatusRequestTimeout, codeOfStatus[http.StatusRequestTimeout], fmt.Sprintf(
			"the request's body arrives too slowly: less than %s in %s (http.body_timeout in config.yml)",
			config.Size(bodyProgress), b.timeout))
	case err == nil && b.arrived >= bodyProgress:
		b.extend()
	}
	b.err = err
	return n, err
}

// extend gives the next part its time.
func (b *timedBody) extend() {
	b.arrived = 0
	b.setDeadline(time.Now().Add(b.timeout))
}

// setDeadline ignores connections without deadlines: a test's recorder.
func (b *timedBody) setDeadline(at time.Time) { _ = b.conn.SetReadDeadline(at) }
