package demo

import (
	"context"
	"iter"
	"strings"
	"time"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/tokens"
)

// Option changes how the model behaves.
type Option func(*model)

// WithDelay makes the model wait before every piece of its answer, for a look at a
// stream as slow as a real one. Without it the model answers at once.
func WithDelay(pause time.Duration) Option {
	return func(m *model) { m.delay = pause }
}

// New makes the demo model. It never fails, and keeps nothing between calls.
func New(info llm.Info, options ...Option) llm.Model {
	m := &model{info: info}
	for _, option := range options {
		option(m)
	}
	return m
}

type model struct {
	info  llm.Info
	delay time.Duration
}

var _ llm.Model = (*model)(nil)

func (m *model) Info() llm.Info { return m.info }

// Stream plans the next turn from the messages and yields it: thinking unless it
// is switched off, then the calls that can go now, or the answer.
func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		if asksForSummary(req) {
			yield(llm.Event{}, &llm.Error{
				Code: llm.CodeInvalidRequest, Model: m.info.ID,
				Message: "the demo model works by rules and cannot summarise a conversation",
			})
			return
		}
		out := &emitter{ctx: ctx, yield: yield, delay: m.delay}
		resp := respond(req)
		if out.pieces(llm.EventThinking, resp.Reasoning) && out.pieces(llm.EventText, resp.Text) &&
			out.calls(resp.ToolCalls) {
			resp.Usage = tokens.Usage(req, resp)
			out.send(llm.Event{Kind: llm.EventDone, Response: &resp})
		}
	}
}

// asksForSummary reports a request for a summary of old turns. The caller has a
// fallback; the requests in such a text must not be carried out again.
func asksForSummary(req llm.Request) bool {
	if len(req.Tools) > 0 {
		return false
	}
	for _, message := range req.Messages {
		if message.Role == llm.RoleSystem {
			text := strings.ToLower(strings.TrimSpace(message.Text))
			return strings.HasPrefix(text, "summarise") || strings.HasPrefix(text, "summarize")
		}
	}
	return false
}

// respond is the whole answer to a request.
func respond(req llm.Request) llm.Response {
	p := makePlan(req)
	resp := llm.Response{FinishReason: llm.FinishStop}
	if req.Thinking != llm.ThinkingOff {
		resp.Reasoning = p.thoughts()
	}
	if resp.ToolCalls = p.calls(len(req.Messages)); len(resp.ToolCalls) > 0 {
		resp.FinishReason = llm.FinishToolCalls
		return resp
	}
	var user llm.Message
	if last := lastUser(req.Messages, len(req.Messages)); last >= 0 {
		user = req.Messages[last]
	}
	resp.Text = p.answer(user)
	if short, cut := limit(resp.Text, req.MaxTokens); cut {
		resp.Text, resp.FinishReason = short, llm.FinishLength
	}
	return resp
}

// limit cuts a text to a number of tokens; 0 is no limit.
func limit(text string, maxTokens int) (string, bool) {
	if maxTokens <= 0 || tokens.Count(text) <= maxTokens {
		return text, false
	}
	end, used := 0, 0
	for _, piece := range chunks(text) {
		if used += tokens.Count(piece); used > maxTokens {
			break
		}
		end += len(piece)
	}
	return text[:end], true
}
