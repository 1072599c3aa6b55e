package openai

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/openai/wire"
	"nanoclaw/internal/llm/retry"
)

// signs are tried in order on the lower-case code, type and text of an error; a
// sign with statuses counts only there. Each text is that of a real provider.
var errorTexts = []struct {
	class    retry.Classification
	statuses []int
	texts    []string
}{
	{retry.Overflow, nil, []string{"context_length_exceeded", "exceed_context_size",
		"model_max_prompt_tokens_exceeded"}},
	{retry.NoCredit, nil, []string{"insufficient_quota", "insufficient balance", "insufficient_balance",
		"exceeded your current quota",
		"arrearage", "余额不足", "欠费", "credit balance", "insufficient credits", "billing_not_active",
		"exceeded_current_quota"}},
	{retry.TooMany, []int{429}, []string{""}},
	{retry.Overflow, nil, []string{
		"maximum context length", "context length exceeded", "exceeds the context", "exceeds maximum context",
		"exceeded max context",
		"context window", "available context size", "context length of only", "maximum model length",
		"maximum prompt length",
		"prompt is too long", "prompt too long", "input is too long", "input length should be", "input length exceeds",
		"range of input length",
		"input token length too long", "exceeded model token limit", "exceeds the maximum number of tokens",
		"prompt 超长", "上下文长度", "tokens in request more than max tokens",
		"reduce the length of the messages", "reduce your message size", "too large for model with",
		"must have less than",
	}},
	{retry.Filtered, nil, []string{"content_filter", "content filter", "content_policy", "content management policy",
		"data_inspection_failed", "datainspectionfailed",
		"content exists risk", "inappropriate content", "considered high risk", "不安全或敏感", "input was flagged",
		"safety system", "prohibited_content"}},
	{retry.Auth, nil, []string{"invalid_api_key", "invalid api key", "incorrect api key", "api key not valid",
		"api key is invalid", "invalidapikey", "authentication_error", "authenticationerror", "no auth credentials"}},
	{retry.NotFound, nil, []string{"model_not_found", "model not exist", "model not found", "no such model",
		"unknown model", "invalid model name", "not a valid model id", "resource_not_found_error"}},
	{retry.TooMany, nil, []string{"rate_limit", "rate limit", "too many requests", "ratelimit"}},
	{retry.Overloaded, nil, []string{"overloaded", "server_error", "internal_error", "service unavailable",
		"temporarily unavailable", "upstream error", "internal server error", "loading model"}},
	{retry.BadRequest, nil, []string{"invalid_request_error", "invalid_parameter", "invalidparameter",
		"badrequesterror"}},
}

// classify turns an error answer, or an error event in a stream (status 0), into a typed error.
func (m *Model) classify(status int, header http.Header, body []byte) *llm.Error {
	said := readErrorBody(body)
	if status == 0 {
		status = said.status
	}
	return retry.Refusal(m.endpoint.Hostname(), status, header, said.text, m.classification(status, said))
}

func (m *Model) classification(status int, said errorBody) retry.Classification {
	text := strings.ToLower(said.code + "\n" + said.kind + "\n" + said.text)
	for _, sign := range errorTexts {
		if sign.statuses != nil && sign.statuses[0] != status {
			continue
		}
		if containsAny(text, sign.texts...) {
			return sign.class
		}
	}
	if status >= 400 && status < 500 && strings.Contains(text, "not found") && strings.Contains(text, "model") &&
		retry.ClassifyStatus(status) == retry.BadRequest {
		return retry.NotFound
	}
	return retry.ClassifyStatus(status)
}

// unreachable is the error of a request that got no answer.
func (m *Model) unreachable(err error, idle bool) error {
	if idle {
		return m.silent(false)
	}
	return retry.Unreachable(m.endpoint.Host, err)
}

// silent is the error of a provider that sent nothing for the idle time.
func (m *Model) silent(begun bool) error {
	return retry.Silent(m.endpoint.Host, m.opts.IdleTimeout, begun)
}

// interrupted is the error of an answer that could not be read to its end.
func (m *Model) interrupted(err error) error {
	switch {
	case errors.Is(err, wire.ErrHTML):
		return &llm.Error{Code: llm.CodeUnavailable, Err: err, Message: fmt.Sprintf(
			"%s answered with a web page instead of a model's answer. Check base_url", m.endpoint.Host)}
	case errors.Is(err, wire.ErrTooLong):
		return &llm.Error{Code: llm.CodeProtocol, Err: err,
			Message: fmt.Sprintf("a part of the answer is longer than %d MiB", maxLine>>20)}
	case errors.Is(err, wire.ErrSyntax):
		return retry.Unreadable(m.endpoint.Host, err)
	}
	return retry.BrokeOff(m.endpoint.Host, err)
}
