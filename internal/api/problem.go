package api

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/config"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

// Problem is every answer that is no success (RFC 9457, application/problem+json).
type Problem struct {
	Type      string       `json:"type" doc:"about:blank: the code says more."`
	Title     string       `json:"title" doc:"The status in words."`
	Status    int          `json:"status"`
	Detail    string       `json:"detail" doc:"What is wrong and what to do, for people."`
	Code      string       `json:"code" doc:"What is wrong, for programs." example:"not_found"`
	RequestID string       `json:"request_id" doc:"Names the request in the server's log."`
	Errors    []FieldError `json:"errors" doc:"What is wrong with single fields."`
	RunID     string       `json:"run_id,omitempty" doc:"Of run_active: the run that is at work."`
	State     string       `json:"state,omitempty" doc:"Of already_decided: the approval's status."`

	retryAfter time.Duration // for the header Retry-After; 0: none
	cause      error         // of an internal error: for the log
}

// FieldError is what is wrong with one field.
type FieldError struct {
	Location string `json:"location" doc:"Where it is: body.text, query.limit, path.id, header.If-Match" example:"body.text"`
	Message  string `json:"message"`
}

// Codes that only this package answers with; the others are the rooms' own.
const (
	codeInternal        = "internal"
	codeInvalidArgument = "invalid_arguments"
	codeInvalidJSON     = "invalid_json"
	codeNotFound        = "not_found"
	codeTooLarge        = "too_large"
	codeCancelled       = "cancelled"
	codeHostRefused     = "host_not_allowed"
	codeCrossSite       = "cross_site"
	codePrecondition    = "precondition_failed"
	codeNotReady        = "not_ready"
	codeInvalidConfig   = "invalid_config"
	codeStorageFull     = "storage_full"
	codeNotAPerson      = "not_a_person"
	codeUnauthenticated = "unauthenticated"
	codeForbidden       = "forbidden"
	codeNeedsTLS        = "needs_tls"
	codeSingleMode      = "single_mode"
)

// statusOf is the one place that gives a room's code its status. A code that is
// not here is an internal error.
var statusOf = map[string]int{
	"not_found":              http.StatusNotFound,
	"conflict":               http.StatusConflict,
	store.CodeForbidden:      http.StatusForbidden,
	"run_active":             http.StatusConflict,
	"bad_signature":          http.StatusUnauthorized,
	"trigger_disabled":       http.StatusConflict,
	"unexpected_tool_result": http.StatusUnprocessableEntity,
	"missing_tool_result":    http.StatusUnprocessableEntity,
	"no_pending_approval":    http.StatusConflict,
	"which_approval":         http.StatusConflict,
	"already_exists":         http.StatusConflict,
	"not_a_file":             http.StatusConflict,
	"not_a_directory":        http.StatusConflict,
	"precondition_failed":    http.StatusPreconditionFailed,
	"access_denied":          http.StatusForbidden,
	"too_large":              http.StatusRequestEntityTooLarge,
	store.CodeStorageQuota:   http.StatusInsufficientStorage,
	codeStorageFull:          http.StatusInsufficientStorage,
	"invalid_arguments":      http.StatusUnprocessableEntity,
	"invalid_config":         http.StatusUnprocessableEntity,
	"invalid_coverage":       http.StatusUnprocessableEntity,
	"idempotency_mismatch":   http.StatusUnprocessableEntity,
	"unresolved_placeholder": http.StatusUnprocessableEntity,
	store.CodeQuota:          http.StatusTooManyRequests,
	"model_not_allowed":      http.StatusForbidden,
	"agent_not_allowed":      http.StatusForbidden,
	"unknown_model":          http.StatusUnprocessableEntity,
	"unknown_agent":          http.StatusUnprocessableEntity,
	"model_not_found":        http.StatusUnprocessableEntity,
	"model_auth":             http.StatusUnprocessableEntity,
	"timeout":                http.StatusGatewayTimeout,
	"mcp_error":              http.StatusBadGateway,
	"unavailable":            http.StatusServiceUnavailable,
	store.CodeUnavailable:    http.StatusServiceUnavailable,
}

// codeOfStatus names the refusals of the router and of the request's form.
var codeOfStatus = map[int]string{
	http.StatusBadRequest:            "bad_request",
	http.StatusNotFound:              codeNotFound,
	http.StatusMethodNotAllowed:      "method_not_allowed",
	http.StatusNotAcceptable:         "not_acceptable",
	http.StatusRequestTimeout:        "request_timeout",
	http.StatusRequestEntityTooLarge: codeTooLarge,
	http.StatusUnsupportedMediaType:  "unsupported_media_type",
	http.StatusUnprocessableEntity:   codeInvalidArgument,
	http.StatusTooManyRequests:       "too_many_streams",
}

func newProblem(status int, code, detail string) *Problem {
	return &Problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: code,
		Errors: []FieldError{},
	}
}

// invalidField is a 422 about one field.
func invalidField(location, message string) *Problem {
	p := newProblem(http.StatusUnprocessableEntity, codeInvalidArgument, location+": "+message)
	p.Errors = []FieldError{{Location: location, Message: message}}
	return p
}

// Error makes a Problem an error that handlers return.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is what huma answers with.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders are headers that go with the problem.
func (p *Problem) GetHeaders() http.Header {
	headers := http.Header{}
	if p.retryAfter > 0 {
		headers.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
	return headers
}

// ContentType is RFC 9457's.
func (p *Problem) ContentType(string) string { return "application/problem+json" }

// problemOf shows an error to the client.
func problemOf(err error) *Problem {
	var (
		own     *Problem
		busy    *store.BusyError
		decided *store.DecidedError
		field   *runs.InvalidError
		account *accounts.Error
		large   *http.MaxBytesError
		routed  *echo.HTTPError
		wrong   config.Problems
		coded   interface{ ErrorCode() string }
		problem *Problem
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.As(err, &busy):
		problem = newProblem(http.StatusConflict, busy.ErrorCode(), busy.Error())
		problem.RunID = busy.RunID
	case errors.As(err, &decided):
		problem = decidedProblem(decided)
	case errors.As(err, &field):
		problem = newProblem(statusOf[field.Code], field.Code, field.Message)
		problem.Errors = []FieldError{{Location: "body." + field.Field, Message: field.Message}}
	case errors.As(err, &account):
		problem = accountProblem(account)
	case errors.As(err, &large):
		problem = tooLarge(large.Limit)
	case errors.As(err, &routed):
		problem = routedProblem(routed)
	case errors.As(err, &wrong):
		problem = configProblem(wrong)
	case errors.Is(err, context.Canceled):
		problem = newProblem(499, codeCancelled, "the client left")
		problem.Title = "Client Closed Request"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		problem = newProblem(http.StatusInsufficientStorage, codeStorageFull,
			"the disk is full, so nothing can be stored: make room on it, then work continues by itself")
	case errors.As(err, &coded) && statusOf[coded.ErrorCode()] != 0:
		problem = newProblem(statusOf[coded.ErrorCode()], coded.ErrorCode(), shownText(err))
	}
	if problem == nil || problem.Status == 0 {
		problem = newProblem(http.StatusInternalServerError, codeInternal,
			"internal error: the server's log has it under this request_id")
		problem.cause = err
	}
	return problem
}

// shownText is the room's message; one that came from the database stays inside.
func shownText(err error) string {
	var stored *store.Error
	if errors.As(err, &stored) && stored.Code == store.CodeConflict && stored.Unwrap() != nil {
		return "something that exists already is in its way"
	}
	var coded interface {
		error
		ErrorCode() string
	}
	errors.As(err, &coded)
	return coded.Error()
}

func routedProblem(err *echo.HTTPError) *Problem {
	code, known := codeOfStatus[err.Code]
	if !known {
		return nil
	}
	detail := http.StatusText(err.Code)
	switch err.Code {
	case http.StatusNotFound:
		detail = "there is no such route: /api/v1/openapi.json lists them"
	case http.StatusMethodNotAllowed:
		detail = "this route does not take this method: the header Allow names those that it takes"
	}
	return newProblem(err.Code, code, detail)
}

func configProblem(wrong config.Problems) *Problem {
	p := newProblem(http.StatusUnprocessableEntity, codeInvalidConfig, "the configuration would not be valid: "+
		wrong.Error())
	for _, one := range wrong {
		location := "body.changes"
		if one.Key != "" {
			location += "." + one.Key
		}
		p.Errors = append(p.Errors, FieldError{Location: location, Message: one.Message})
	}
	return p
}

func init() {
	// huma has one error factory per process; this package is its only user.
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return humaProblem(status, msg, errs)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		p := humaProblem(status, msg, errs)
		finishProblem(ctx.Context(), p)
		return p
	}
	huma.DefaultArrayNullable = false
}

// maxErrors is how many errors one answer lists.
const maxErrors = 10

// humaProblem turns what huma found into a Problem: a handler's error, or what is
// wrong with the request's form.
func humaProblem(status int, msg string, errs []error) *Problem {
	if status == http.StatusInternalServerError && len(errs) > 0 {
		return problemOf(errs[0])
	}
	code := codeOfStatus[status]
	if code == "" {
		code = codeInternal
	}
	p := newProblem(status, code, msg)
	for _, err := range errs[:min(len(errs), maxErrors)] {
		var own *Problem
		if errors.As(err, &own) {
			return own
		}
		var located huma.ErrorDetailer
		var detail *huma.ErrorDetail
		if errors.As(err, &located) {
			detail = located.ErrorDetail()
		} else {
			detail = &huma.ErrorDetail{Message: err.Error()} // an ErrorDetail's text would hold the whole value
		}
		if status == http.StatusBadRequest && detail.Location == "body" {
			p.Code = codeInvalidJSON
		}
		p.Errors = append(p.Errors, FieldError{Location: detail.Location, Message: detail.Message})
	}
	if len(p.Errors) > 0 {
		p.Detail = p.Errors[0].Location + ": " + p.Errors[0].Message
	}
	return p
}
