package openai

import (
	"context"
	"net/http"
	"strings"
	"time"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

// chatAnswer is a completion, or a chunk of one.
type chatAnswer struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Created int64        `json:"created"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
	// Metadata says where the answer is to be found here.
	Metadata map[string]string `json:"metadata,omitempty"`
}

type chatChoice struct {
	Index        int       `json:"index"`
	Message      *chatText `json:"message,omitempty"`
	Delta        *chatText `json:"delta,omitempty"`
	FinishReason *string   `json:"finish_reason"`
	Logprobs     *struct{} `json:"logprobs"`
}

type chatText struct {
	Role             string     `json:"role,omitempty"`
	Content          *string    `json:"content,omitempty"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	Refusal          *string    `json:"refusal,omitempty"`
	ToolCalls        []chatCall `json:"tool_calls,omitempty"`
}

type chatUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// completion is one answer of /v1/chat/completions as it comes.
type completion struct {
	head      chatAnswer
	events    *wire.Events // nil: the answer comes as a whole
	text      strings.Builder
	reasoning strings.Builder
	steps     map[string]string // of the last text, and of the last thought
	begun     bool
}

func (h *handler) complete(w http.ResponseWriter, r *http.Request) error {
	var body chatRequest
	if err := wire.ReadJSON(r, &body); err != nil {
		return err
	}
	req, err := body.asked(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if body.Stream {
		done, err := h.OpenStream(ctx)
		if err != nil {
			return err
		}
		defer done()
	}
	x, err := h.begin(ctx, req)
	if err != nil {
		return err
	}
	c := &completion{steps: map[string]string{}, head: chatAnswer{ID: "chatcmpl-" + x.run.ID,
		Object: "chat.completion", Created: time.Now().Unix(), Model: body.Model}}
	idle := func() error { return nil }
	if body.Stream {
		c.events, c.head.Object = wire.NewEvents(w), "chat.completion.chunk"
		idle = c.events.Idle
	}
	w.Header().Set("X-Conversation-Id", x.run.ConversationID)
	w.Header().Set("X-Run-Id", x.run.ID)
	end, err := h.follow(ctx, x, c.add, idle)
	if err != nil {
		if ctx.Err() != nil || c.events != nil && c.events.Begun() {
			h.abandon(ctx, x)
		}
		return c.broken(ctx, h, err)
	}
	return c.finish(w, r, end, body.StreamOptions.IncludeUsage)
}

// add takes an event: the root run's text and reasoning.
func (c *completion) add(event turn.Event) error {
	if !event.Root {
		return nil
	}
	switch event.Type {
	case runs.EventThinkingDelta:
		text := c.separate(event)
		c.reasoning.WriteString(text)
		return c.delta(chatText{ReasoningContent: text})
	case runs.EventTextDelta:
		return c.say(c.separate(event))
	}
	return nil
}

// separate puts an empty line between the texts of two steps.
func (c *completion) separate(event turn.Event) string {
	before := c.steps[event.Type]
	c.steps[event.Type] = event.StepID
	if before != "" && before != event.StepID {
		return "\n\n" + event.Text
	}
	return event.Text
}

func (c *completion) say(text string) error {
	c.text.WriteString(text)
	return c.delta(chatText{Content: &text})
}

func (c *completion) delta(delta chatText) error {
	if c.events == nil {
		return nil
	}
	if !c.begun {
		c.begun = true
		delta.Role = "assistant"
	}
	chunk := c.head
	chunk.Choices = []chatChoice{{Delta: &delta}}
	return c.events.Send("", chunk)
}

func (c *completion) finish(w http.ResponseWriter, r *http.Request, end *outcome, withUsage bool) error {
	c.head.Metadata = map[string]string{"conversation_id": end.run.ConversationID, "run_id": end.run.ID}
	reason, refused := end.end, (*string)(nil)
	switch end.end {
	case endFailed:
		return c.failed(w, end.failure)
	case endApproval:
		text := refusal(r, end.approval)
		reason, refused = endStop, &text
		c.head.Metadata["approval_id"] = end.approval.ID
		if c.text.Len() > 0 {
			text = "\n\n" + text
		}
		if err := c.say(text); err != nil {
			return err
		}
	}
	usage := &chatUsage{end.usage.PromptTokens, end.usage.CompletionTokens, end.usage.TotalTokens}
	if c.events == nil {
		text := c.text.String()
		c.head.Usage = usage
		c.head.Choices = []chatChoice{{FinishReason: &reason, Message: &chatText{Role: "assistant", Content: &text,
			ReasoningContent: c.reasoning.String(), Refusal: refused, ToolCalls: chatCalls(end.calls, false)}}}
		wire.WriteJSON(w, http.StatusOK, c.head)
		return nil
	}
	if len(end.calls) > 0 || refused != nil {
		if err := c.delta(chatText{Refusal: refused, ToolCalls: chatCalls(end.calls, true)}); err != nil {
			return err
		}
	}
	last := c.head
	last.Choices = []chatChoice{{Delta: &chatText{}, FinishReason: &reason}}
	err := c.events.Send("", last)
	if err == nil && withUsage {
		last.Choices, last.Usage = []chatChoice{}, usage
		err = c.events.Send("", last)
	}
	if err == nil {
		err = c.events.Done()
	}
	return err
}

func chatCalls(calls []tools.Invocation, streamed bool) []chatCall {
	var list []chatCall
	for i, call := range calls {
		made := chatCall{ID: idPrefix + call.ID, Type: "function"}
		made.Function.Name, made.Function.Arguments = call.Name, call.Arguments
		if streamed {
			made.Index = &i
		}
		list = append(list, made)
	}
	return list
}

// failed tells why there is no answer: with a status where nothing was sent yet.
func (c *completion) failed(w http.ResponseWriter, failure *runs.Failure) error {
	status := statusOf(failure)
	if c.events == nil || !c.events.Begun() {
		WriteError(w, status, failure.Code, failure.Message)
		return nil
	}
	return c.events.Send("", errorBody{makeError(status, "", failure.Code, failure.Message)})
}

// broken ends an answer that cannot be followed any more.
func (c *completion) broken(ctx context.Context, h *handler, err error) error {
	if ctx.Err() != nil || c.events == nil || !c.events.Begun() {
		return err
	}
	status, code, message := h.Problem(ctx, err)
	return c.events.Send("", errorBody{makeError(status, "", code, message)})
}
