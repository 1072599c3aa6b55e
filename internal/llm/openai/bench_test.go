package openai

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
)

// canned answers every request with the same bytes, without a network.
type canned []byte

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(c)), Request: req}, nil
}

func stream500() canned {
	var out bytes.Buffer
	for i := range 500 {
		fmt.Fprintf(&out,
			`data: {"id":"chatcmpl-9Xk2","object":"chat.completion.chunk","created":1795193151,"model":"gpt-4o-2024-08-06","service_tier":"default","system_fingerprint":"fp_7f6be3efb0","choices":[{"index":0,"delta":{"content":" word%d"},"logprobs":null,"finish_reason":null}],"usage":null}`+"\n\n", i)
	}
	out.WriteString(`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n")
	out.WriteString(`data: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":500,"total_tokens":510}}` +
		"\n\ndata: [DONE]\n\n")
	return out.Bytes()
}

// What a stream of 500 chunks costs in CPU and allocations, network aside.
func BenchmarkStreamOf500Chunks(b *testing.B) {
	m := newModel(config.Model{ID: "m", APIKey: "k"}, llm.Info{},
		llm.Options{HTTPClient: &http.Client{Transport: stream500()}})
	b.ReportAllocs()
	for b.Loop() {
		events := 0
		for _, err := range m.Stream(b.Context(), ask("x")) {
			if err != nil {
				b.Fatal(err)
			}
			events++
		}
		if events != 501 {
			b.Fatalf("%d events", events)
		}
	}
}

// What a long context costs on its way out: 200 messages of 2 KiB.
func BenchmarkRequestOf400KiB(b *testing.B) {
	m := newModel(config.Model{ID: "m", APIKey: "k"}, llm.Info{},
		llm.Options{HTTPClient: &http.Client{Transport: canned(oneChunk + endChunk + doneLine)}})
	req := ask("x")
	for range 100 {
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.RoleUser, Text: strings.Repeat("question and ", 160)},
			llm.Message{Role: llm.RoleAssistant, Text: strings.Repeat("answer and so ", 150)})
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range m.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
