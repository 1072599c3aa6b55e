package anthropic

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/retry"
)

// byType are the API's types of errors, which count more than the status: in the
// middle of a stream that is 200.
var byType = map[string]retry.Classification{
	"authentication_error": retry.Auth,
	"permission_error":     retry.Auth,
	"billing_error":        retry.NoCredit,
	"rate_limit_error":     retry.TooMany,
	"not_found_error":      retry.NotFound,
	"request_too_large":    retry.Overflow,
	"overloaded_error":     retry.Overloaded,
	"api_error":            retry.Overloaded,
	"timeout_error":        retry.Overloaded,
}

// byText are texts of invalid_request_error, and of endpoints without types.
var byText = []struct {
	text  string
	class retry.Classification
}{
	{"prompt is too long", retry.Overflow},
	{"exceed context limit", retry.Overflow},
	{"exceeds the context", retry.Overflow},
	{"context window", retry.Overflow},
	{"maximum context length", retry.Overflow},
	{"exceeds the maximum size", retry.Overflow},
	{"credit balance is too low", retry.NoCredit},
	{"content filtering policy", retry.Filtered},
	{"invalid x-api-key", retry.Auth},
	{"overloaded", retry.Overloaded},
}

// classify turns an error of the SDK into a typed one; begun: a part of the answer was there.
func (m *Model) classify(err error, begun bool) error {
	var refused *sdk.Error
	if errors.As(err, &refused) {
		return m.refusal(refused)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || strings.Contains(err.Error(), "unexpected end of JSON") ||
		strings.Contains(err.Error(), "error converting") {
		return retry.Unreadable(m.endpoint.Host, err)
	}
	if begun {
		return retry.BrokeOff(m.endpoint.Host, err)
	}
	return retry.Unreachable(m.endpoint.Host, err)
}

// refusal reads an error answer, or an error event of a stream.
func (m *Model) refusal(refused *sdk.Error) *llm.Error {
	kind, message := errorBody(refused.RawJSON())
	status := refused.StatusCode
	header := http.Header{}
	if refused.Response != nil && status != http.StatusOK {
		header = refused.Response.Header
	}
	found := classification(status, kind, message)
	if status == http.StatusOK {
		status = 0
	}
	return retry.Refusal(m.endpoint.Hostname(), status, header, message, found)
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

func classification(status int, kind, message string) retry.Classification {
	if found, ok := byType[kind]; ok {
		return found
	}
	text := strings.ToLower(message)
	for _, sign := range byText {
		if strings.Contains(text, sign.text) {
			return sign.class
		}
	}
	if kind == "invalid_request_error" && status < http.StatusBadRequest {
		return retry.BadRequest
	}
	return retry.ClassifyStatus(status)
}
