package openai

import (
	"net/http/httptrace"
	"testing"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmsuite"
	"nanoclaw/internal/llm/llmtest"
)

// A new connection costs a TLS handshake; it must be the exception.
func TestAConnectionIsUsedAgainAfterAnAnswer(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]llmtest.Reply{
		"a stream":   llmtest.Text("one two three"),
		"a document": llmtest.Text("one two three").With(llmtest.JSONAnswer),
		"no [DONE]":  llmtest.Text("one two three").With(llmtest.NoDone),
		"an error":   llmtest.Failure(400, "no"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServer(t)
			srv.On().Reply(reply)
			m := testModel(srv)
			m.opts.HTTPClient = llm.NewHTTPClient()
			connections := 0
			ctx := httptrace.WithClientTrace(t.Context(),
				&httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
					if !info.Reused {
						connections++
					}
				}})
			for range 5 {
				llmsuite.Collect(t, ctx, m, ask("x"))
			}
			if connections != 1 {
				t.Errorf("%d connections for 5 calls", connections)
			}
		})
	}
}
