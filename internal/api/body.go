package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/config"
)

// bodySilence is how long a sender may pause within a body.
const bodySilence = 30 * time.Second

// limitBody bounds the size of a body and the time between its parts, and refuses
// queries with bytes that no text has.
func (s *server) limitBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if query, err := url.QueryUnescape(r.URL.RawQuery); err != nil || strings.ContainsRune(query, 0) || !utf8.ValidString(query) {
			return invalidField("query", "it holds a NUL byte, or is no valid UTF-8 or percent-encoding")
		}
		if r.Body == nil || r.Body == http.NoBody {
			return next(c)
		}
		limit := s.bodyLimit(c)
		if r.ContentLength > limit {
			return tooLarge(limit)
		}
		r.Body = &patientBody{
			ReadCloser: http.MaxBytesReader(c.Response(), r.Body, limit),
			conn:       http.NewResponseController(c.Response()),
		}
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
		fmt.Sprintf("the request's body is larger than %s: send less, or raise http.max_body or http.max_upload in config.yml", config.Size(limit)))
}

// patientBody is a body whose sender must not fall silent. The time limit ends
// with the body: an answer may take longer.
type patientBody struct {
	io.ReadCloser
	conn *http.ResponseController
	err  error
}

func (b *patientBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	// Not every connection (a test's recorder) has deadlines.
	limited := b.conn.SetReadDeadline(time.Now().Add(bodySilence)) == nil
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.err = err
		if limited && errors.Is(err, io.EOF) {
			_ = b.conn.SetReadDeadline(time.Time{})
		}
	}
	return n, err
}
