package openai

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmsuite"
	"nanoclaw/internal/llm/llmtest"
)

const testKey = "sk-test-0123456789abcdef"

// testModel is a model of the server that never waits between tries.
func testModel(srv *llmtest.Server, change ...func(*config.Model)) *Model {
	cfg := config.Model{ID: "tested", Model: "test-model", BaseURL: srv.URL(), APIKey: testKey}
	for _, c := range change {
		c(&cfg)
	}
	m := newModel(cfg, llm.Info{ID: cfg.ID, Provider: "openai", Model: cfg.Model},
		llm.Options{Logger: slog.New(slog.DiscardHandler)})
	m.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return m
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleSystem, Text: "be brief"}, {Role: llm.RoleUser,
		Text: text}}}
}

func replying(t *testing.T, reply llmtest.Reply) (*llmtest.Server, *Model) {
	t.Helper()
	srv := llmtest.NewServer(t)
	srv.On().Reply(reply)
	return srv, testModel(srv)
}

func failing(reply llmtest.Reply) func(t *testing.T) (llm.Model, llm.Request) {
	return func(t *testing.T) (llm.Model, llm.Request) {
		_, m := replying(t, reply)
		return m, ask("x")
	}
}

func TestTheProviderConforms(t *testing.T) {
	t.Parallel()
	llmsuite.Run(t, llmsuite.Provider{
		Text: func(t *testing.T) (llm.Model, llm.Request) {
			_, m := replying(t, llmtest.Text("Hello there, 你好 friend.").WithThinking("let me see"))
			return m, ask("hi")
		},
		Calls: func(t *testing.T) (llm.Model, llm.Request, []llm.ToolCall) {
			_, m := replying(t, llmtest.Calls(
				llmtest.Call{Name: "file_read", Arguments: `{"path":"a.txt"}`},
				llmtest.Call{Name: "file_read", Arguments: `{"path":"b.txt"}`},
			).WithText("I look."))
			return m, ask("read"), []llm.ToolCall{
				{Name: "file_read", Arguments: `{"path":"a.txt"}`}, {Name: "file_read", Arguments: `{"path":"b.txt"}`},
			}
		},
		Stuck: func(t *testing.T) (llm.Model, llm.Request, func(*testing.T)) {
			reply := llmtest.Text("one two three four").With(llmtest.Stall)
			srv, m := replying(t, reply)
			return m, ask("x"), func(t *testing.T) {
				if err := srv.WaitIdle(t.Context()); err != nil || srv.Abandoned() != 1 {
					t.Errorf("abandoned %d, %v", srv.Abandoned(), err)
				}
			}
		},
		Failures: map[string]func(t *testing.T) (llm.Model, llm.Request){
			llm.CodeAuth:            failing(llmtest.Failure(401, "no")),
			llm.CodeRateLimited:     failing(llmtest.Failure(429, "slow down")),
			llm.CodeContextOverflow: failing(llmtest.Failure(400, "too long").WithCode("context_length_exceeded")),
			llm.CodeInvalidRequest:  failing(llmtest.Failure(400, "bad")),
			llm.CodeNotFound:        failing(llmtest.Failure(404, "no such model")),
			llm.CodeUnavailable:     failing(llmtest.Failure(503, "down")),
			llm.CodeProtocol:        failing(llmtest.Text("half an answer").With(llmtest.NoFinish)),
			llm.CodeFiltered:        failing(llmtest.Failure(400, "no").WithCode("content_filter")),
			llm.CodeTimeout: func(t *testing.T) (llm.Model, llm.Request) {
				_, m := replying(t, llmtest.Text("x").With(llmtest.Hang))
				m.opts.IdleTimeout, m.opts.MaxRetries = 20*time.Millisecond, 0
				return m, ask("x")
			},
		},
	})
}
