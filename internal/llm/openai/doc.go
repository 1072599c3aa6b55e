// Package openai talks to every endpoint that speaks the OpenAI chat protocol:
// OpenAI, DeepSeek, GLM, Qwen, Kimi, Gemini, OpenRouter, vLLM, LM Studio, Ollama.
//
// langchaingo's llms/openai is the client: it composes the request and reads the
// response. It loses or corrupts what servers stream, so it never sees a stream:
// it makes a plain request, and the http.Doer beneath it (exchange) rewrites that
// for the provider, streams the answer, hands the pieces to the consumer as they
// come, and gives langchaingo one well-formed response at the end. All of it runs
// in the consumer's goroutine, so nothing is left behind when the consumer leaves.
//
// Files: dialect.go is the table of what providers want differently, quirk.go what
// is learned from their refusals, classify.go what their errors mean, retry.go
// when to try again; wire/ reads and repairs the stream.
package openai
