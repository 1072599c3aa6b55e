package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"nanoclaw/internal/netsafe"
)

// Target is where messages go.
type Target struct {
	URL         string
	Secret      string        // signs messages; empty: they are not signed
	Timeout     time.Duration // of one attempt
	MaxAttempts int
}

// Message is one message. Body is JSON.
type Message struct {
	ID   string // the same at every attempt
	Type string
	Body []byte
}

const (
	firstPause  = time.Second
	longestWait = 5 * time.Minute
	answerRead  = 64 << 10 // bytes of an answer that are read, so that the connection ends well
)

// errRejected is an answer after which trying again makes no sense.
var errRejected = errors.New("the receiver does not want it")

// Sender delivers messages. The zero value is ready for use.
type Sender struct {
	// Pause, for tests, waits between attempts; nil: time passes.
	Pause func(ctx context.Context, wait time.Duration) error
}

// Deliver sends a message until the receiver takes it (any status 2xx), refuses it
// for good (410), the attempts are used up or ctx ends.
func (s *Sender) Deliver(ctx context.Context, target func() Target, m Message) error {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		to := target()
		if to.URL == "" {
			return errors.New("the webhook was switched off")
		}
		wait, err := s.attempt(ctx, to, m)
		if err == nil {
			return nil
		}
		if errors.Is(err, errRejected) || attempt >= to.MaxAttempts || ctx.Err() != nil {
			return fmt.Errorf("deliver %s %s (%d attempts): %w", m.Type, m.ID, attempt, err)
		}
		// A part of the pause is chance, so that many senders do not come at once.
		wait = max(wait, pause/2+rand.N(pause/2+1))
		if err := s.wait(ctx, min(wait, longestWait)); err != nil {
			return fmt.Errorf("deliver %s %s (%d attempts): %w", m.Type, m.ID, attempt, err)
		}
		pause = min(2*pause, longestWait)
	}
}

func (s *Sender) wait(ctx context.Context, wait time.Duration) error {
	if s.Pause != nil {
		return s.Pause(ctx, wait)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// attempt sends the message once. wait is how long the receiver asks to wait.
func (s *Sender) attempt(ctx context.Context, to Target, m Message) (wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, to.Timeout)
	defer cancel()
	address, err := url.Parse(to.URL)
	if err != nil {
		return 0, fmt.Errorf("%w: its address is no URL", errRejected)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(m.Body))
	if err != nil {
		return 0, fmt.Errorf("%w: its address is no URL", errRejected)
	}
	now := time.Now().Unix()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "NanoClaw")
	request.Header.Set("webhook-id", m.ID)
	request.Header.Set("webhook-timestamp", strconv.FormatInt(now, 10))
	if to.Secret != "" {
		request.Header.Set("webhook-signature", sign(to.Secret, m.ID, now, m.Body))
	}
	answer, err := netsafe.NewClient(netsafe.Policy{AllowedHosts: []string{address.Host}}).Do(request)
	if err != nil {
		var failed *url.Error // whose text holds the URL, and in it perhaps a key
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return 0, err
	}
	defer answer.Body.Close()
	// What it says does not matter.
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, answerRead))
	switch {
	case answer.StatusCode/100 == 2:
		return 0, nil
	case answer.StatusCode == http.StatusGone:
		return 0, fmt.Errorf("%w: status 410", errRejected)
	}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds > 0 {
		wait = time.Duration(min(seconds, int(longestWait/time.Second))) * time.Second
	}
	return wait, fmt.Errorf("the receiver answered with status %d", answer.StatusCode)
}
