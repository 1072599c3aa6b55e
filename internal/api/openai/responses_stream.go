package openai

import (
	"cmp"
	"net/http"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

// serverLabel names this server among those whose tools an answer has used.
const serverLabel = "nanoclaw"

// responseBuilder makes a response of a run's events: as one object, and as events of
// its own where somebody wants them.
type responseBuilder struct {
	response response
	events   *wire.Events // nil: the response comes as a whole
	number   int          // of the next event
	after    int          // events up to this number were seen

	open     string // kind and step of the item under way
	openText string
}

type object = map[string]any

// send numbers an event and sends it, unless the client has seen it.
func (b *responseBuilder) send(kind string, fields object) error {
	number := b.number
	b.number++
	if b.events == nil || number <= b.after {
		return nil
	}
	fields["type"], fields["sequence_number"] = kind, number
	return b.events.Send(kind, fields)
}

func (b *responseBuilder) begin() error {
	if err := b.send("response.created", object{"response": b.response}); err != nil {
		return err
	}
	return b.send("response.in_progress", object{"response": b.response})
}

// add takes an event of the root run.
func (b *responseBuilder) add(event turn.Event) error {
	if !event.Root {
		return nil
	}
	switch event.Type {
	case runs.EventThinkingDelta:
		return b.text(reasoningItem, event)
	case runs.EventTextDelta:
		return b.text(messageItem, event)
	case runs.EventCallFinished:
		return b.callFinished(event.Call)
	}
	return nil
}

// textItem is a kind of item that comes in pieces.
type textItem struct {
	prefix, partAdded, delta, done, partDone, index string
	item                                            func(id, status, text string) object
	part                                            func(text string) object
}

var reasoningItem = &textItem{
	"rs_", "response.reasoning_summary_part.added", "response.reasoning_summary_text.delta",
	"response.reasoning_summary_text.done", "response.reasoning_summary_part.done", "summary_index",
	func(id, _, text string) object {
		return object{"type": "reasoning", "id": id, "summary": []any{object{"type": "summary_text", "text": text}}}
	},
	func(text string) object { return object{"type": "summary_text", "text": text} },
}

var messageItem = &textItem{
	"msg_", "response.content_part.added", "response.output_text.delta", "response.output_text.done",
	"response.content_part.done", "content_index",
	func(id, status, text string) object {
		content := []any{}
		if status == "completed" {
			content = append(content, object{"type": "output_text", "text": text, "annotations": []any{},
				"logprobs": []any{}})
		}
		return object{"type": "message", "id": id, "status": status, "role": "assistant", "content": content}
	},
	func(text string) object {
		return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
	},
}

func (b *responseBuilder) text(kind *textItem, event turn.Event) error {
	id := kind.prefix + event.StepID
	if b.open != id {
		if err := b.openItem(kind, id); err != nil {
			return err
		}
	}
	b.openText += event.Text
	return b.send(kind.delta, object{"item_id": id, "output_index": len(b.response.Output), kind.index: 0,
		"delta": event.Text, "logprobs": []any{}})
}

func (b *responseBuilder) openItem(kind *textItem, id string) error {
	if err := b.closeItem(); err != nil {
		return err
	}
	b.open, b.openText = id, ""
	at := len(b.response.Output)
	added := kind.item(id, "in_progress", "")
	if kind == reasoningItem {
		added["summary"] = []any{}
	}
	if err := b.send("response.output_item.added", object{"output_index": at, "item": added}); err != nil {
		return err
	}
	return b.send(kind.partAdded, object{"item_id": id, "output_index": at, kind.index: 0, "part": kind.part("")})
}

// closeItem ends the item that comes in pieces.
func (b *responseBuilder) closeItem() error {
	if b.open == "" {
		return nil
	}
	kind, id, at, text := messageItem, b.open, len(b.response.Output), b.openText
	if id[:3] == reasoningItem.prefix {
		kind = reasoningItem
	}
	b.open = ""
	if err := b.send(kind.done, object{"item_id": id, "output_index": at, kind.index: 0, "text": text,
		"logprobs": []any{}}); err != nil {
		return err
	}
	err := b.send(kind.partDone, object{"item_id": id, "output_index": at, kind.index: 0, "part": kind.part(text)})
	if err != nil {
		return err
	}
	return b.itemDone(at, kind.item(id, "completed", text))
}

func (b *responseBuilder) itemDone(at int, item object) error {
	b.response.Output = append(b.response.Output, item)
	return b.send("response.output_item.done", object{"output_index": at, "item": item})
}

// callItem is a call that the server makes.
func callItem(call tools.Record, status string) object {
	item := object{"type": "mcp_call", "id": "mcp_" + call.ID, "server_label": serverLabel, "name": call.Function.Name,
		"arguments": call.Function.Arguments, "status": status, "output": nil, "error": nil,
		"approval_request_id": nil}
	if call.Result != "" {
		item["output"] = call.Result
	}
	if status == "failed" {
		item["error"], item["output"] = call.Result, nil
	}
	return item
}

// callFinished shows a call that the server has made.
func (b *responseBuilder) callFinished(call tools.Record) error {
	if err := b.closeItem(); err != nil {
		return err
	}
	at, status, last := len(b.response.Output), "completed", "response.mcp_call.completed"
	if !call.Success {
		status, last = "failed", "response.mcp_call.failed"
	}
	id := "mcp_" + call.ID
	shown := call
	shown.Result = ""
	for _, step := range []struct {
		kind   string
		fields object
	}{
		{"response.output_item.added", object{"output_index": at, "item": callItem(shown, "in_progress")}},
		{"response.mcp_call.in_progress", object{"output_index": at, "item_id": id}},
		{"response.mcp_call_arguments.done", object{"output_index": at, "item_id": id,
			"arguments": call.Function.Arguments}},
		{last, object{"output_index": at, "item_id": id}},
	} {
		if err := b.send(step.kind, step.fields); err != nil {
			return err
		}
	}
	return b.itemDone(at, callItem(call, status))
}

// finish ends the response.
func (b *responseBuilder) finish(r *http.Request, end *outcome) error {
	if err := b.closeItem(); err != nil {
		return err
	}
	for _, call := range end.calls {
		if err := b.clientCall(call); err != nil {
			return err
		}
	}
	if end.approval != nil {
		if err := b.approvalRequest(r, end.approval); err != nil {
			return err
		}
	}
	b.response.Usage = &responseUsage{end.usage.PromptTokens, map[string]int{"cached_tokens": 0},
		end.usage.CompletionTokens, map[string]int{"reasoning_tokens": 0}, end.usage.TotalTokens}
	b.response.Status = "completed"
	completed := cmp.Or(end.run.FinishedAt, models.Now()).Std().Unix()
	b.response.CompletedAt = &completed
	switch end.end {
	case endLength:
		b.response.Status, b.response.IncompleteDetails = "incomplete", &incompleteDetails{"max_output_tokens"}
	case endFailed:
		b.response.Status = "failed"
		b.response.Error = &responseError{end.failure.Code, end.failure.Message}
	}
	return b.send("response."+b.response.Status, object{"response": b.response})
}

// clientCall shows a call that the client has to make.
func (b *responseBuilder) clientCall(call tools.Invocation) error {
	at, id := len(b.response.Output), "fc_"+call.ID
	item := func(status, arguments string) object {
		return object{"type": "function_call", "id": id, "call_id": idPrefix + call.ID, "name": call.Name,
			"arguments": arguments, "status": status}
	}
	for _, step := range []struct {
		kind   string
		fields object
	}{
		{"response.output_item.added", object{"output_index": at, "item": item("in_progress", "")}},
		{"response.function_call_arguments.delta", object{"output_index": at, "item_id": id, "delta": call.Arguments}},
		{"response.function_call_arguments.done", object{"output_index": at, "item_id": id, "name": call.Name,
			"arguments": call.Arguments}},
	} {
		if err := b.send(step.kind, step.fields); err != nil {
			return err
		}
	}
	return b.itemDone(at, item("completed", call.Arguments))
}

// approvalRequest shows a call that needs an approval, and says in words where to decide.
func (b *responseBuilder) approvalRequest(r *http.Request, approval *runs.ApprovalView) error {
	item := object{"type": "mcp_approval_request", "id": approvalPrefix + approval.ID, "server_label": serverLabel,
		"name": approval.ToolCall.Function.Name, "arguments": approval.ToolCall.Function.Arguments}
	at := len(b.response.Output)
	if err := b.send("response.output_item.added", object{"output_index": at, "item": item}); err != nil {
		return err
	}
	if err := b.itemDone(at, item); err != nil {
		return err
	}
	err := b.text(messageItem, turn.Event{StepID: approval.ID, Text: refusal(r, approval)})
	if err != nil {
		return err
	}
	return b.closeItem()
}
