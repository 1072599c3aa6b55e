package openai

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
)

// The bodies are those of real providers, shortened.
func TestErrorsOfKnownProvidersAreUnderstood(t *testing.T) {
	t.Parallel()
	m := newModel(config.Model{ID: "m"}, llm.Info{}, llm.Options{})
	for _, tt := range []struct {
		name   string
		status int
		body   string
		code   string
		again  bool
		says   string
	}{
		{"OpenAI overflow", 400,
			`{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, llm.CodeContextOverflow, false, "8192"},
		{"DeepSeek overflow", 400,
			`{"error":{"message":"This model's maximum context length is 65536 tokens. However, you requested 70000 tokens","type":"invalid_request_error"}}`, llm.CodeContextOverflow, false, "65536"},
		{"vLLM overflow", 400,
			`{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens","type":"BadRequestError","param":null,"code":400}`, llm.CodeContextOverflow, false, "4096"},
		{"vLLM overflow, newer", 400,
			`{"error":{"message":"The decoder prompt (length 5000) is longer than the maximum model length of 4096.","type":"BadRequestError","code":400}}`, llm.CodeContextOverflow, false, "5000"},
		{"Ollama overflow", 400,
			`{"error":{"message":"input length exceeds the context length","type":"invalid_request_error"}}`,
			llm.CodeContextOverflow, false, "exceeds"},
		{"Qwen overflow", 400,
			`{"error":{"code":"invalid_parameter_error","message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]","type":"invalid_request_error"}}`, llm.CodeContextOverflow, false, "129024"},
		{"llama.cpp overflow", 400,
			`{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size","type":"exceed_context_size_error"}}`, llm.CodeContextOverflow, false, "available"},
		{"LM Studio overflow", 400,
			`{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`, llm.CodeContextOverflow, false, "4096"},
		{"Gemini overflow", 400,
			`[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, llm.CodeContextOverflow, false, "1048576"},
		{"Moonshot overflow", 400,
			`{"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}`, llm.CodeContextOverflow, false, "8192"},
		{"Zhipu overflow", 400, `{"error":{"code":"1261","message":"Prompt 超长"}}`, llm.CodeContextOverflow, false,
			"超长"},
		{"nginx, too large", 413, "<html><head><title>413 Request Entity Too Large</title></head></html>",
			llm.CodeContextOverflow, false, "413 Request"},
		{"OpenAI key", 401, `{"error":{"message":"Incorrect API key provided: sk-***","code":"invalid_api_key"}}`,
			llm.CodeAuth, false, "api_key"},
		{"DeepSeek key", 401,
			`{"error":{"message":"Authentication Fails (no such user)","type":"authentication_error"}}`, llm.CodeAuth,
			false, "Authentication"},
		{"Gemini key", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key."}}]`,
			llm.CodeAuth, false, "not valid"},
		{"region", 403, `{"error":{"message":"Country, region, or territory not supported"}}`, llm.CodeAuth, false,
			"Country"},
		{"OpenAI model", 404, `{"error":{"message":"The model gpt-9 does not exist","code":"model_not_found"}}`,
			llm.CodeNotFound, false, "gpt-9"},
		{"DeepSeek model", 400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error"}}`,
			llm.CodeNotFound, false, "Not Exist"},
		{"Ollama model", 404, `{"error":{"message":"model \"x\" not found, try pulling it first"}}`, llm.CodeNotFound,
			false, "pulling"},
		{"a wrong path", 404, `404 page not found`, llm.CodeNotFound, false, "base_url"},
		{"FastAPI", 404, `{"detail":"Not Found"}`, llm.CodeNotFound, false, "Not Found"},
		{"rate", 429, `{"error":{"message":"Rate limit reached for requests","code":"rate_limit_exceeded"}}`,
			llm.CodeRateLimited, true, "Rate limit"},
		{"tokens a minute", 429,
			`{"error":{"message":"Limit 30000 TPM, requested 40000. Reduce the length of the messages"}}`,
			llm.CodeRateLimited, true, "TPM"},
		{"OpenAI quota", 429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`,
			llm.CodeRateLimited, false, "quota"},
		{"DeepSeek balance", 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error"}}`,
			llm.CodeRateLimited, false, "Top up"},
		{"Zhipu balance", 429, `{"error":{"code":"1113","message":"余额不足或无可用资源包"}}`, llm.CodeRateLimited, false, "余额"},
		{"payment required", 402, ``, llm.CodeRateLimited, false, "Payment Required"},
		{"Azure filter", 400,
			`{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter"}}`, llm.CodeFiltered, false, "filtered"},
		{"DeepSeek filter", 400, `{"error":{"message":"Content Exists Risk","type":"invalid_request_error"}}`,
			llm.CodeFiltered, false, "Risk"},
		{"Zhipu filter", 400, `{"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容"}}`, llm.CodeFiltered, false,
			"不安全"},
		{"bad", 400, `{"error":{"message":"messages: at least one is needed","type":"invalid_request_error"}}`,
			llm.CodeInvalidRequest, false, "at least one"},
		{"FastAPI list", 422, `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`, llm.CodeInvalidRequest,
			false, "messages: field required"},
		{"no tools", 400, `{"error":{"message":"registry.ollama.ai/library/gemma does not support tools"}}`,
			llm.CodeInvalidRequest, false, "does not support tools"},
		{"web page", 502, "<html><head><title>502 Bad Gateway</title></head><body><h1>x</h1></body></html>",
			llm.CodeUnavailable, true, "a web page: 502 Bad Gateway"},
		{"web page without a title", 503, "<html><body><h1>No server</h1> is available</body></html>",
			llm.CodeUnavailable, true, "a web page: No server is available"},
		{"nothing", 500, ``, llm.CodeUnavailable, true, "Internal Server Error"},
		{"OpenRouter upstream", 502,
			`{"error":{"code":502,"message":"Provider returned error","metadata":{"raw":"upstream is down"}}}`,
			llm.CodeUnavailable, true, "upstream is down"},
		{"event without a status", 0, `{"message":"something odd"}`, llm.CodeUnavailable, true, "something odd"},
		{"event of a bad request", 0, `{"message":"bad schema","type":"invalid_request_error"}`, llm.CodeInvalidRequest,
			false, "bad schema"},
		{"event with a status", 0, `{"message":"slow","code":429}`, llm.CodeRateLimited, true, "slow"},
		{"event of a text", 0, `"it broke"`, llm.CodeUnavailable, true, "it broke"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := m.classify(tt.status, http.Header{}, []byte(tt.body))
			if got.Code != tt.code || got.Retryable != tt.again || !strings.Contains(got.Message, tt.says) {
				t.Errorf("%s, retryable %v: %s", got.Code, got.Retryable, got.Message)
			}
		})
	}
}

func FuzzErrorBodiesGiveABoundedText(f *testing.F) {
	f.Add([]byte(`{"error":{"message":{"detail":[{"loc":["a"],"msg":"b"}]},"code":5}}`))
	f.Add([]byte("<title>\xff"))
	f.Add([]byte(`[[{"error":null}]]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		said := readErrorBody(body)
		if len(said.text) > maxErrorText+len("…") || !utf8.ValidString(said.text) {
			t.Errorf("%d bytes: %q", len(said.text), said.text)
		}
	})
}
