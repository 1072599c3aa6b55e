package retry

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRetryAfterIsReadInEveryForm(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "1.5": 1500 * time.Millisecond, "Fri, 20 Nov 2026 12:00:09 GMT": 9 * time.Second,
		"Fri, 20 Nov 2026 11:00:00 GMT": 0, "-3": 0, "soon": 0, "": 0, "1e300": 24 * time.Hour, "NaN": 0,
	} {
		if got := RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
	if got := RetryAfter(http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"1"}},
		now); got != 250*time.Millisecond {
		t.Errorf("milliseconds: %s", got)
	}
}

func TestBackoffGrowsToItsLimit(t *testing.T) {
	t.Parallel()
	for tries := range 70 {
		limit := longestOwn
		if tries < 4 {
			limit = firstWait << tries
		}
		if wait := backoff(tries); wait < limit/2 || wait > limit {
			t.Errorf("try %d: %s", tries, wait)
		}
	}
}

// CH5: whoever reads why a model did not answer need not know what a socket says.
func TestAnUnreachableProviderIsToldInPlainWords(t *testing.T) {
	for want, err := range map[string]error{
		"there is no machine of this name":                 &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true},
		"its certificate is not trusted":                   &tls.CertificateVerificationError{Err: errors.New("expired")},
		"nothing answers at this address":                  &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
		"it closed the connection without an answer":       &url.Error{Op: "Post", URL: "https://key@x", Err: io.ErrUnexpectedEOF},
		"it did not answer in time":                        &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded},
		"the address 10.0.0.1 is not allowed to be called": errors.New("the address 10.0.0.1 is not allowed to be called"),
	} {
		failed := Unreachable("x", err)
		if failed.Message != "cannot reach x: "+want+". Check base_url and the network" {
			t.Errorf("%v: %s", err, failed.Message)
		}
	}
	reset := errors.New("stream error: stream ID 3; INTERNAL_ERROR; received from peer")
	if said := Unreachable("x", reset).Message; !strings.Contains(said, "closed the connection") {
		t.Error(said)
	}
}
