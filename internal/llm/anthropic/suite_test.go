package anthropic

import (
	"context"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	at "nanoclaw/internal/llm/anthropic/anthropictest"
	"nanoclaw/internal/llm/llmsuite"
)

// testModel is a model of the server that never waits between tries.
func testModel(srv *at.Server, change ...func(*config.Model)) *Model {
	cfg := config.Model{ID: "tested", Provider: "anthropic", Model: "claude-sonnet-4-5", BaseURL: srv.URL(),
		APIKey: at.Key}
	for _, c := range change {
		c(&cfg)
	}
	m := newModel(cfg, llm.Info{ID: cfg.ID, Provider: "anthropic", Model: cfg.Model}, llm.Options{})
	m.pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return m
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.RoleSystem, Text: "be brief"}, {Role: llm.RoleUser,
		Text: text}}}
}

func replying(t *testing.T, replies ...at.Reply) (*at.Server, *Model) {
	t.Helper()
	srv := at.NewServer(t)
	srv.Reply(replies...)
	return srv, testModel(srv)
}

func failing(reply at.Reply) func(t *testing.T) (llm.Model, llm.Request) {
	return func(t *testing.T) (llm.Model, llm.Request) {
		_, m := replying(t, reply)
		return m, ask("x")
	}
}

func TestTheProviderConforms(t *testing.T) {
	t.Parallel()
	text := at.Answer(at.Text("Hello there, 你好 friend."))
	llmsuite.Run(t, llmsuite.Provider{
		Text: func(t *testing.T) (llm.Model, llm.Request) {
			_, m := replying(t, at.Answer(at.Thinking("let me see", "sig"), at.Text("Hello there, 你好 friend.")))
			return m, ask("hi")
		},
		Calls: func(t *testing.T) (llm.Model, llm.Request, []llm.ToolCall) {
			_, m := replying(t, at.Answer(at.Text("I look."),
				at.ToolUse("toolu_1", "file_read", `{"path":"a.txt"}`), at.ToolUse("toolu_2", "file_read",
					`{"path":"b.txt"}`)))
			return m, ask("read"), []llm.ToolCall{
				{Name: "file_read", Arguments: `{"path":"a.txt"}`}, {Name: "file_read", Arguments: `{"path":"b.txt"}`},
			}
		},
		Stuck: func(t *testing.T) (llm.Model, llm.Request, func(*testing.T)) {
			srv, m := replying(t, text.Fault(at.Stall))
			return m, ask("x"), func(t *testing.T) {
				select {
				case <-srv.Abandoned():
				case <-t.Context().Done():
					t.Error("the server never saw the caller leave")
				}
			}
		},
		Failures: map[string]func(t *testing.T) (llm.Model, llm.Request){
			llm.CodeAuth:        failing(at.Failure(401, "authentication_error", "invalid x-api-key")),
			llm.CodeRateLimited: failing(at.Failure(429, "rate_limit_error", "slow down")),
			llm.CodeContextOverflow: failing(at.Failure(400, "invalid_request_error",
				"prompt is too long: 212000 tokens > 200000 maximum")),
			llm.CodeInvalidRequest: failing(at.Failure(400, "invalid_request_error", "bad")),
			llm.CodeNotFound:       failing(at.Failure(404, "not_found_error", "model: claude-nothing")),
			llm.CodeUnavailable:    failing(at.Failure(529, "overloaded_error", "Overloaded")),
			llm.CodeProtocol:       failing(text.Fault(at.Cut)),
			llm.CodeFiltered: failing(at.Failure(400, "invalid_request_error",
				"Output blocked by content filtering policy")),
			llm.CodeTimeout: func(t *testing.T) (llm.Model, llm.Request) {
				_, m := replying(t, text.Fault(at.Hang))
				m.opts.IdleTimeout, m.opts.MaxRetries = 20*time.Millisecond, 0
				return m, ask("x")
			},
		},
	})
}
