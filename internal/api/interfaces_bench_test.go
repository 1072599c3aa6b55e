package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nanoclaw/internal/llm/llmtest"
)

// BenchmarkInterfaces reports what one streamed turn costs over each interface: CPU of
// the process (server, client and model server) and the median time to the first token.
func BenchmarkInterfaces(b *testing.B) {
	h := newHouse(b)
	h.model.On(llmtest.User("hello")).Steps(llmtest.Text(strings.Repeat("word ", 100)))
	message := m{"messageId": "1", "role": "ROLE_USER", "parts": []m{{"text": "hello"}}}
	for _, p := range []struct {
		name, path string
		body       func() any
	}{
		{"native", "/api/v1/conversations/{}/runs", func() any { return m{"text": "hello"} }},
		{"openai", "/v1/chat/completions", func() any {
			return m{"model": "default/m", "stream": true, "messages": []m{{"role": "user", "content": "hello"}}}
		}},
		{"ai-sdk", protocols[0].path, func() any { return protocols[0].ask(time.Now().String(), "hello") }},
		{"ag-ui", protocols[1].path, func() any { return protocols[1].ask(time.Now().String(), "hello") }},
		{"a2a", "/a2a", func() any {
			return m{"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage",
				"params": m{"metadata": m{"model": "m"}, "message": message}}
		}},
		{"mcp", "/mcp", func() any { // its answer comes as a whole
			return m{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
				"params": m{"name": "ask_agent", "arguments": m{"message": "hello", "model": "m"}}}
		}},
	} {
		b.Run(p.name, func(b *testing.B) {
			var first []time.Duration
			begun := cpuTime(b)
			for b.Loop() {
				path := p.path
				asked := time.Now()
				if before, after, found := strings.Cut(path, "{}"); found {
					path = before + h.newConversation(m{"model": "m"}).ID + after
				}
				first = append(first, firstToken(b, h.web.URL+path, p.body(), asked))
			}
			slices.Sort(first)
			b.ReportMetric(float64((cpuTime(b)-begun).Microseconds())/1000/float64(b.N), "cpu-ms/run")
			b.ReportMetric(float64(first[len(first)/2].Microseconds())/1000, "first-token-ms")
		})
	}
}

func cpuTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// firstToken reads a streamed answer to its end, and returns when the text began.
func firstToken(b *testing.B, url string, body any, asked time.Time) (first time.Duration) {
	text, err := json.Marshal(body)
	if err != nil {
		b.Fatal(err)
	}
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream, application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if first == 0 && strings.Contains(lines.Text(), "word ") {
			first = time.Since(asked)
		}
	}
	if first == 0 {
		b.Fatalf("%s answered %d without a word", url, answer.StatusCode)
	}
	return first
}
