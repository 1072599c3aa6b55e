package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmsuite"
)

// timed is a provider of synthetic time: it writes what the script writes.
type timed func(w io.Writer)

func (script timed) RoundTrip(req *http.Request) (*http.Response, error) {
	r, w := io.Pipe()
	context.AfterFunc(req.Context(), func() { w.CloseWithError(req.Context().Err()) })
	go func() {
		script(w)
		w.Close()
	}()
	return &http.Response{StatusCode: 200, Body: r, Request: req, Header: http.Header{}}, nil
}

func timedModel(script timed) *Model {
	return newModel(config.Model{ID: "timed"}, llm.Info{}, llm.Options{
		HTTPClient: &http.Client{Transport: script}, IdleTimeout: 10 * time.Second, MaxRetries: -1,
	})
}

const (
	oneChunk = `data: {"choices":[{"delta":{"content":"one "}}]}` + "\n\n"
	twoChunk = `data: {"choices":[{"delta":{"content":"two"}}]}` + "\n\n"
	endChunk = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	doneLine = "data: [DONE]\n\n"
)

func TestOnlySilenceCountsAsIdle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		script   timed
		consumer time.Duration // that it takes for each event
		timeout  bool
		took     time.Duration
	}{
		{"a steady stream that is longer than the idle time", func(w io.Writer) {
			for _, part := range []string{oneChunk, twoChunk, endChunk + doneLine} {
				time.Sleep(9 * time.Second)
				io.WriteString(w, part)
			}
		}, 0, false, 27 * time.Second},
		{"comments while the model thinks", func(w io.Writer) {
			for range 5 {
				time.Sleep(9 * time.Second)
				io.WriteString(w, ": keep-alive\n\n")
			}
			io.WriteString(w, oneChunk+twoChunk+endChunk+doneLine)
		}, 0, false, 45 * time.Second},
		{"a consumer that takes longer than the idle time", func(w io.Writer) {
			io.WriteString(w, oneChunk)
			io.WriteString(w, twoChunk)
			io.WriteString(w, endChunk+doneLine)
		}, time.Minute, false, 3 * time.Minute},
		{"silence before the first byte", func(w io.Writer) { time.Sleep(time.Hour) }, 0, true, 10 * time.Second},
		{"silence in mid-stream", func(w io.Writer) {
			time.Sleep(9 * time.Second)
			io.WriteString(w, oneChunk)
			time.Sleep(time.Hour)
		}, 0, true, 19 * time.Second},
		{"no goodbye after the end", func(w io.Writer) {
			io.WriteString(w, oneChunk+twoChunk+endChunk)
			time.Sleep(time.Hour)
		}, 0, false, 2 * time.Second},
		{"an end that is none", func(w io.Writer) {
			io.WriteString(w, `data: {"choices":[{"delta":{"content":"one "},"finish_reason":"stop"}]}`+"\n\n")
			time.Sleep(9 * time.Second)
			io.WriteString(w, `data: {"choices":[{"delta":{"content":"two"},"finish_reason":"stop"}]}`+"\n\n")
		}, 0, false, 9 * time.Second},
		{"a connection that stays open after [DONE]", func(w io.Writer) {
			io.WriteString(w, oneChunk+twoChunk+endChunk+doneLine)
			time.Sleep(time.Hour)
		}, 0, false, drainTime},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				var text string
				var last error
				done := false
				for event, err := range timedModel(tt.script).Stream(t.Context(), ask("x")) {
					time.Sleep(tt.consumer)
					text, last, done = text+event.Text, err, event.Kind == llm.EventDone
				}
				took := time.Since(begun)
				var typed *llm.Error
				if timeout := errors.As(last, &typed) && typed.Code == llm.CodeTimeout; timeout != tt.timeout ||
					done == tt.timeout {
					t.Errorf("error %v, done %v", last, done)
				}
				if !tt.timeout && text != "one two" {
					t.Errorf("text %q", text)
				}
				if took != tt.took {
					t.Errorf("took %s, want %s", took, tt.took)
				}
				time.Sleep(2 * time.Hour) // the script's goroutine ends
			})
		})
	}
}

func TestSilenceIsTriedAgainOnlyBeforeTheFirstByte(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		first timed
		text  string
		code  string
		tries int
	}{
		{"before", func(io.Writer) { time.Sleep(time.Hour) }, "one two", "", 2},
		{"behind it", func(w io.Writer) { io.WriteString(w, oneChunk); time.Sleep(time.Hour) }, "one ", llm.CodeTimeout,
			1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				m := timedModel(nil)
				m.opts.MaxRetries = 3
				m.opts.HTTPClient = &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response,
					error) {
					if tries++; tries == 1 {
						return tt.first.RoundTrip(req)
					}
					return timed(func(w io.Writer) {
						io.WriteString(w,
							oneChunk+twoChunk+endChunk+doneLine)
					}).RoundTrip(req)
				})}
				out := llmsuite.Collect(t, t.Context(), m, ask("x"))
				var typed *llm.Error
				if errors.As(out.Err, &typed) != (tt.code != "") || typed != nil && typed.Code != tt.code {
					t.Errorf("error %v", out.Err)
				}
				if out.Text != tt.text || tries != tt.tries {
					t.Errorf("%q after %d tries", out.Text, tries)
				}
				time.Sleep(2 * time.Hour) // the script's goroutine ends
			})
		})
	}
}

func TestABackoffIsWaitedOutBetweenTries(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		m := newModel(config.Model{ID: "timed"}, llm.Info{},
			llm.Options{HTTPClient: &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response,
				error) {
				if tries++; tries == 1 {
					return &http.Response{StatusCode: 503, Body: http.NoBody,
							Header: http.Header{"Retry-After": {"30"}}},
						nil
				}
				return timed(func(w io.Writer) { io.WriteString(w, oneChunk+endChunk+doneLine) }).RoundTrip(req)
			})}})
		begun := time.Now()
		if out := llmsuite.Collect(t, t.Context(), m, ask("x")); out.Err != nil || out.Text != "one " {
			t.Errorf("%q %v", out.Text, out.Err)
		}
		if took := time.Since(begun); took != 30*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A bubble fails when a goroutine is left in it.
func TestLeavingTheLoopLeavesNoGoroutineBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := timedModel(func(w io.Writer) {
			for { // for ever, as long as somebody reads
				if _, err := io.WriteString(w, oneChunk); err != nil {
					return
				}
			}
		})
		n := 0
		for _, err := range m.Stream(t.Context(), ask("x")) {
			if n++; n == 5 || err != nil {
				break
			}
		}
		if n != 5 {
			t.Errorf("%d events", n)
		}
	})
}
