package anthropic

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/attempt"
)

// byType are the API's types of errors, which count more than the status: in the
// middle of a stream that is 200.
var byType = map[string]attempt.Meaning{
	"authentication_error": attempt.Auth,
	"permission_error":     attempt.Auth,
	"billing_error":        attempt.NoCredit,
	"rate_limit_error":     attempt.TooMany,
	"not_found_error":      attempt.NotFound,
	"request_too_large":    attempt.Overflow,
	"overloaded_error":     attempt.Overloaded,
	"api_error":            attempt.Overloaded,
	"timeout_error":        attempt.Overloaded,
}

// byText are texts of invalid_request_error, and of endpoints without types.
var byText = []struct {
	text    string
	meaning attempt.Meaning
}{
	{"prompt is too long", attempt.Overflow},
	{"exceed context limit", attempt.Overflow},
	{"exceeds the context", attempt.Overflow},
	{"context window", attempt.Overflow},
	{"maximum context length", attempt.Overflow},
	{"exceeds the maximum size", attempt.Overflow},
	{"credit balance is too low", attempt.NoCredit},
	{"content filtering policy", attempt.Filtered},
	{"invalid x-api-key", attempt.Auth},
	{"overloaded", attempt.Overloaded},
}

// classify turns an error of the SDK into a typed one.
func (m *Model) classify(err error) error {
	var refused *sdk.Error
	if errors.As(err, &refused) {
		return m.refusal(refused)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || strings.Contains(err.Error(), "unexpected end of JSON") ||
		strings.Contains(err.Error(), "error converting") {
		return &llm.Error{
			Code: llm.CodeProtocol, Retryable: true, Err: err,
			Message: fmt.Sprintf("the stream is broken: %v. Try again", err),
		}
	}
	return attempt.Unreachable("the connection to "+m.endpoint.Host+" failed", err)
}

// refusal reads an error answer, or an error event of a stream.
func (m *Model) refusal(refused *sdk.Error) *llm.Error {
	kind, message := errorBody(refused.RawJSON())
	status := refused.StatusCode
	header := http.Header{}
	if refused.Response != nil && status != http.StatusOK {
		header = refused.Response.Header
	}
	found := meaningOf(status, kind, message)
	if status == http.StatusOK {
		status = 0
	}
	return attempt.Refusal(m.endpoint.Hostname(), status, header, message, found)
}

// errorBody reads {"error":{"type":…,"message":…}}; anything else is a message.
func errorBody(raw string) (kind, message string) {
	var body struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(raw), &body); err != nil {
		const enough = 300
		text := strings.Join(strings.Fields(raw), " ")
		if len(text) > enough {
			text = strings.ToValidUTF8(text[:enough], "") + "…"
		}
		return "", text
	}
	if body.Error.Message == "" {
		return body.Error.Type, body.Message
	}
	return body.Error.Type, body.Error.Message
}

func meaningOf(status int, kind, message string) attempt.Meaning {
	if found, ok := byType[kind]; ok {
		return found
	}
	text := strings.ToLower(message)
	for _, sign := range byText {
		if strings.Contains(text, sign.text) {
			return sign.meaning
		}
	}
	if kind == "invalid_request_error" && status < http.StatusBadRequest {
		return attempt.BadRequest
	}
	return attempt.OfStatus(status)
}
