package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// answer is one reply on its way to one request.
type answer struct {
	reply   Reply
	request Request
}

func (a answer) write(ctx context.Context, w http.ResponseWriter) {
	if field := a.refused(); field != "" {
		a.refuse(w, field)
		return
	}
	if a.reply.has(HangUp) {
		panic(http.ErrAbortHandler)
	}
	if a.reply.has(Hang) {
		<-ctx.Done()
		return
	}
	if a.reply.Gate != nil && a.reply.GateChunk == 0 && !a.reply.Gate.wait(ctx) {
		return
	}
	if !pause(ctx, a.reply.FirstByte) {
		return
	}
	for name, value := range a.reply.Headers {
		w.Header().Set(name, value)
	}
	switch {
	case a.reply.has(HTMLPage):
		a.writePage(w)
	case a.reply.Status != 0 && a.reply.Status != http.StatusOK:
		a.writeFailure(w)
	case !a.request.Stream || a.reply.has(JSONAnswer):
		a.writeDocument(w)
	default:
		a.stream(ctx, w)
	}
}

// pause reports whether ctx was still alive after d.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (a answer) refused() string {
	for _, field := range a.reply.Refuse {
		if a.request.Field(field) != nil {
			return field
		}
	}
	return ""
}

func (a answer) refuse(w http.ResponseWriter, field string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"message": fmt.Sprintf("Unsupported parameter: '%s' is not supported with this model.", field),
		"type":    "invalid_request_error", "param": field, "code": "unsupported_parameter",
	}})
}

func (a answer) writePage(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(max(a.reply.Status, http.StatusOK))
	fmt.Fprint(w,
		"<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad "+
			"Gateway</h1></body></html>\n")
}

func (a answer) writeFailure(w http.ResponseWriter) {
	if a.reply.Body == "" {
		writeError(w, a.reply.Status, a.reply.ErrorMessage, a.reply.ErrorType, a.reply.ErrorCode)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(a.reply.Status)
	fmt.Fprint(w, a.reply.Body)
}

func (a answer) writeDocument(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": a.id(), "object": "chat.completion", "created": a.request.Time.Unix(), "model": a.request.Model,
		"choices": []any{map[string]any{"index": 0, "message": a.message(), "finish_reason": a.finish()}},
		"usage":   json.RawMessage(a.usage(1)),
	})
}

func (a answer) id() string { return fmt.Sprintf("chatcmpl-%d", a.request.N) }

func (a answer) finish() string {
	switch {
	case a.reply.Finish != "":
		return a.reply.Finish
	case len(a.reply.Calls) == 0 || a.reply.has(FinishStop):
		return "stop"
	case a.reply.has(LegacyFunction):
		return "function_call"
	}
	return "tool_calls"
}

// usage is the usage object after that part of the answer.
func (a answer) usage(part float64) string {
	u := a.reply.Usage
	if u == (Usage{}) {
		u = a.countWords()
	}
	completion := int(float64(u.Completion) * part)
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,`+
		`"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}`,
		u.Prompt, completion, u.Prompt+completion, u.Cached, int(float64(u.Reasoning)*part))
}

func (a answer) countWords() Usage {
	u := Usage{Reasoning: len(strings.Fields(a.reply.Thinking))}
	u.Completion = u.Reasoning + len(strings.Fields(a.reply.Text))
	for _, call := range a.reply.Calls {
		u.Completion += 1 + len(call.Arguments)/4
	}
	for _, m := range a.request.Messages {
		u.Prompt += 1 + len(strings.Fields(m.Text))
	}
	return u
}

// stream writes the answer as server-sent events.
func (a answer) stream(ctx context.Context, w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	out := &eventWriter{w: w, flusher: http.NewResponseController(w), reply: a.reply}

	deltas := a.deltas()
	faultAt := a.reply.FaultChunk
	if faultAt == 0 {
		faultAt = len(deltas) / 2
	}
	out.event(a.chunk(`{"role":"assistant","content":""}`, "", 0))
	for i, delta := range deltas {
		if i == faultAt && !a.misbehave(ctx, out) {
			return
		}
		if a.reply.Gate != nil && a.reply.GateChunk == i+1 && !a.reply.Gate.wait(ctx) {
			return
		}
		if !pause(ctx, a.reply.Between) {
			return
		}
		out.event(a.chunk(delta, "", float64(i+1)/float64(len(deltas))))
		if out.err != nil {
			return
		}
	}
	if faultAt >= len(deltas) && !a.misbehave(ctx, out) {
		return
	}
	a.end(ctx, out)
}

// misbehave commits the faults in mid-stream and says whether the stream goes on.
func (a answer) misbehave(ctx context.Context, out *eventWriter) bool {
	switch {
	case a.reply.has(ErrorEvent):
		out.event(`{"error":{"message":` + jsonText(a.reply.ErrorMessage) + `,"type":` + jsonText(a.reply.ErrorType) +
			`,"code":` + jsonText(a.reply.ErrorCode) + `}}`)
		out.event("[DONE]")
		return false
	case a.reply.has(NamedError):
		out.named("error", `{"code":`+jsonText(a.reply.ErrorCode)+`,"message":`+jsonText(a.reply.ErrorMessage)+`}`)
		return false
	case a.reply.has(BrokenJSON):
		out.event(`{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":"bro`)
	case a.reply.has(Cut):
		panic(http.ErrAbortHandler)
	case a.reply.has(Stall):
		<-ctx.Done()
		return false
	}
	return true
}

func (a answer) end(ctx context.Context, out *eventWriter) {
	if a.reply.has(NoFinish) {
		return
	}
	if !a.reply.has(DoneOnly) {
		out.event(a.chunk(`{}`, a.finish(), 1))
	}
	if a.reply.has(FinishAgain) {
		out.event(a.chunk(`{"content":""}`, a.finish(), 1))
	}
	if a.reply.has(StallAtEnd) {
		<-ctx.Done()
		return
	}
	if a.usageAsked() && !a.reply.has(UsageNone) && !a.reply.has(UsageEach) && !a.reply.has(UsageFinish) {
		out.event(`{"id":"` + a.id() + `","object":"chat.completion.chunk","choices":[],"usage":` + a.usage(1) + `}`)
	}
	if !a.reply.has(NoDone) {
		out.event("[DONE]")
	}
}

func (a answer) usageAsked() bool {
	var options struct {
		IncludeUsage bool `json:"include_usage"`
	}
	raw := a.request.Field("stream_options")
	return raw != nil && json.Unmarshal(raw, &options) == nil && options.IncludeUsage
}

// chunk is one chunk's JSON; part is how much of the answer it completes.
func (a answer) chunk(delta, finish string, part float64) string {
	reason, usage, padding := "null", "", ""
	if finish != "" {
		reason = jsonText(finish)
	}
	if a.reply.has(UsageEach) || a.reply.has(UsageFinish) && finish != "" {
		usage = `,"usage":` + a.usage(part)
	}
	if a.reply.PadLine > 0 {
		padding = `"padding":"` + strings.Repeat("x", a.reply.PadLine) + `",`
	}
	return `{` + padding + `"id":"` + a.id() + `","object":"chat.completion.chunk","created":` +
		fmt.Sprint(a.request.Time.Unix()) + `,"model":` + jsonText(a.request.Model) +
		`,"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + reason + `}]` + usage + `}`
}
