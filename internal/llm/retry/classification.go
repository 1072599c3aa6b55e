package retry

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"nanoclaw/internal/llm"
)

// Classification is what an error answer of a provider says.
type Classification struct {
	Code      string // of llm.Error
	Retryable bool
	Advice    string // what the user can do
}

// The classifications.
var (
	Overflow = Classification{llm.CodeContextOverflow, false,
		"Shorten the conversation or its files, or choose a model with a larger context window"}
	Auth     = Classification{llm.CodeAuth, false, "Check the model's api_key and base_url in config.yml"}
	NoCredit = Classification{llm.CodeRateLimited, false,
		"Top up the account at the provider, or choose another model"}
	TooMany    = Classification{llm.CodeRateLimited, true, "Wait a moment, or choose another model"}
	NotFound   = Classification{llm.CodeNotFound, false, "Check model and base_url in config.yml"}
	Filtered   = Classification{llm.CodeFiltered, false, "Change the message: the provider's content filter refused it"}
	Overloaded = Classification{llm.CodeUnavailable, true, "Try again later, or choose another model"}
	BadRequest = Classification{llm.CodeInvalidRequest, false, ""}
)

// ClassifyStatus classifies an HTTP status whose body says nothing more; a status
// that is not an error (0, or 200 in the middle of a stream) is Overloaded.
func ClassifyStatus(status int) Classification {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return Auth
	case status == http.StatusPaymentRequired:
		return NoCredit
	case status == http.StatusRequestEntityTooLarge:
		return Overflow
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return NotFound
	case status == http.StatusTooManyRequests:
		return TooMany
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooEarly:
		return Overloaded
	case status >= 400 && status < 500:
		return BadRequest
	}
	return Overloaded
}

// Refusal is the error of an answer that refuses the request. Status 0 stands for
// an error event in the middle of a stream.
func Refusal(host string, status int, header http.Header, message string, found Classification) *llm.Error {
	if message == "" {
		message = http.StatusText(status)
	}
	if message == "" {
		message = "an error without a message"
	}
	says := fmt.Sprintf("%s answered %d: ", host, status)
	if status == 0 {
		says = host + " reported in its answer: "
	}
	return &llm.Error{
		Code: found.Code, Status: status, Retryable: found.Retryable,
		RetryAfter: RetryAfter(header, time.Now()), Message: sentence(says+message, found.Advice),
	}
}

// sentence joins what happened and what to do.
func sentence(what, advice string) string {
	if advice == "" {
		return what
	}
	return strings.TrimRight(what, ". ") + ". " + advice
}

// Unreachable is the error of a request that got no answer from host.
func Unreachable(host string, err error) *llm.Error {
	var addressed *url.Error // without the address, which may hold a secret
	if errors.As(err, &addressed) {
		err = addressed.Err
	}
	return &llm.Error{
		Code: llm.CodeUnavailable, Retryable: !hopeless(err), Err: err,
		Message: fmt.Sprintf("cannot reach %s: %s. Check base_url and the network", host, cause(err)),
	}
}

// BrokeOff is the error of a connection to host that ended in the middle of an answer.
func BrokeOff(host string, err error) *llm.Error {
	return &llm.Error{
		Code: llm.CodeUnavailable, Retryable: !hopeless(err), Err: err,
		Message: "the connection to " + host + " broke in the middle of the answer. Try again, or choose another model",
	}
}

// Unreadable is the error of an answer that is not of the protocol.
func Unreadable(host string, err error) *llm.Error {
	return &llm.Error{
		Code: llm.CodeProtocol, Retryable: true, Err: err,
		Message: fmt.Sprintf("%s sent something that is no model's answer (%v). Try again, or choose another model",
			host, err),
	}
}

// Unfinished is the error of an answer that ended without saying so, with what is missing.
func Unfinished(host, missing string) *llm.Error {
	return &llm.Error{
		Code: llm.CodeProtocol, Retryable: true,
		Message: fmt.Sprintf("%s stopped before its answer was complete (no %s). Try again, or choose another model",
			host, missing),
	}
}

// cause says in plain words why a connection failed; the error's own where there are none.
func cause(err error) string {
	var dns *net.DNSError
	var failed net.Error
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no machine of this name"
	case untrusted(err):
		return "its certificate is not trusted"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing answers at this address"
	case errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH):
		return "no network leads to it"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || strings.Contains(err.Error(), "stream error: ") ||
		strings.Contains(err.Error(), "GOAWAY"): // HTTP/2 errors of net/http have no type that is exported
		return "it closed the connection without an answer"
	case errors.As(err, &failed) && failed.Timeout():
		return "it did not answer in time"
	}
	return err.Error()
}

// hopeless reports whether the same request will fail in the same way again.
func hopeless(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound || untrusted(err) || errors.Is(err, context.Canceled)
}

func untrusted(err error) bool {
	var unknownAuthority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var certificate *tls.CertificateVerificationError
	return errors.As(err, &unknownAuthority) || errors.As(err, &hostname) || errors.As(err, &certificate)
}

// Silent is the error of a provider that sent nothing for the idle time, before
// its answer or, when that has begun, in it.
func Silent(host string, idle time.Duration, begun bool) *llm.Error {
	what := "sent no answer within"
	if begun {
		what = "stopped in the middle of its answer for"
	}
	return &llm.Error{
		Code: llm.CodeTimeout, Retryable: true,
		Message: fmt.Sprintf("%s %s %s. Try again, or choose another model; a slow one needs a longer llm.idle_timeout",
			host, what, idle),
	}
}
