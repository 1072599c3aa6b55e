package notify

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// receiver answers with the statuses of a list, then with 204, and keeps what it got.
type receiver struct {
	mu       sync.Mutex
	statuses []int
	got      []*http.Request
	bodies   []string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got, r.bodies = append(r.got, request), append(r.bodies, string(body))
	if len(r.statuses) > 0 {
		status := r.statuses[0]
		r.statuses = r.statuses[1:]
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Location", "http://127.0.0.1:1/")
		w.WriteHeader(status)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func deliver(t *testing.T, r *receiver, attempts int) (waits []time.Duration, err error) {
	t.Helper()
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	sender := Sender{Pause: func(_ context.Context, wait time.Duration) error {
		waits = append(waits, wait)
		return nil
	}}
	target := func() Target {
		return Target{URL: server.URL + "/hook?key=verysecret", Secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
			Timeout: 5 * time.Second, MaxAttempts: attempts}
	}
	return waits, sender.Deliver(t.Context(), target, Message{ID: "msg_1", Type: "run.finished",
		Body: []byte(`{"test": 2432232314}`)})
}

// The example of the specification's reference implementations.
func TestMessagesAreSignedAsStandardWebhooksSay(t *testing.T) {
	t.Parallel()
	got := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
		[]byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; got != want {
		t.Errorf("the signature is %s, want %s", got, want)
	}
	if string(key("plain text")) != "plain text" || string(key("whsec_no base64!")) != "whsec_no base64!" {
		t.Error("a text is not its own key")
	}
}

// CH13: a receiver that fails is tried again with the same id, and growing pauses
// of at least what it asks for.
func TestADeliveryIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := &receiver{statuses: []int{500, 429, 302, 503}}
	waits, err := deliver(t, r, 8)
	if err != nil || len(r.got) != 5 || len(waits) != 4 {
		t.Fatalf("%d attempts, %v, %v", len(r.got), waits, err)
	}
	for i, request := range r.got {
		seconds, err := strconv.ParseInt(request.Header.Get("webhook-timestamp"), 10, 64)
		if err != nil || request.Method != "POST" || request.Header.Get("webhook-id") != "msg_1" ||
			request.Header.Get("Content-Type") != "application/json" {
			t.Errorf("attempt %d has %v", i, request.Header)
		}
		if want := sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_1", seconds,
			[]byte(r.bodies[i])); request.Header.Get("webhook-signature") != want {
			t.Errorf("attempt %d is signed with %s, want %s", i, request.Header.Get("webhook-signature"), want)
		}
	}
	for _, wait := range waits {
		if wait < 7*time.Second || wait > longestWait {
			t.Errorf("a pause is %s", wait)
		}
	}
}

func TestADeliveryIsGivenUp(t *testing.T) {
	t.Parallel()
	r := &receiver{statuses: []int{500, 500, 500, 500}}
	if _, err := deliver(t, r, 3); err == nil || len(r.got) != 3 || !strings.Contains(err.Error(), "status 500") {
		t.Errorf("%d attempts, %v", len(r.got), err)
	}
	r = &receiver{statuses: []int{410}}
	if _, err := deliver(t, r, 3); !errors.Is(err, errRejected) || len(r.got) != 1 {
		t.Errorf("%d attempts, %v", len(r.got), err)
	}
	sender := Sender{Pause: func(context.Context, time.Duration) error { return nil }}
	target := Target{URL: "http://127.0.0.1:1/hook?key=verysecret", Timeout: time.Second, MaxAttempts: 2}
	err := sender.Deliver(t.Context(), func() Target { return target }, Message{ID: "m", Type: "alert"})
	if err == nil || strings.Contains(err.Error(), "verysecret") {
		t.Errorf("the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (&Sender{}).Deliver(ctx, func() Target { return target }, Message{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// A receiver that never answers costs the time of one attempt.
func TestASlowReceiverIsLeft(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	target := Target{URL: server.URL, Timeout: 20 * time.Millisecond, MaxAttempts: 1}
	if err := (&Sender{}).Deliver(t.Context(), func() Target { return target }, Message{ID: "m"}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}
