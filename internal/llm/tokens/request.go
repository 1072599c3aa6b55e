package tokens

import "nanoclaw/internal/llm"

// What a request costs beside its texts, in tokens.
const (
	perRequest  = 3    // the answer is primed with these
	perMessage  = 4    // role and separators
	perToolCall = 8    // type, id and separators of a call or of its result
	perTool     = 12   // the frame around a tool's declaration
	perImage    = 1100 // a picture of about a megapixel; providers differ by a factor of two
)

// CountRequest estimates what a request costs as a prompt: its messages, the
// reasoning that may be replayed, images and the tools that are offered.
func CountRequest(req llm.Request) int {
	total := perRequest
	for _, message := range req.Messages {
		total += CountMessage(message)
	}
	for _, tool := range req.Tools {
		total += CountTool(tool)
	}
	return total
}

// CountMessage estimates one message of a request.
func CountMessage(m llm.Message) int {
	total := perMessage + Count(m.Text) + Count(m.Reasoning) + len(m.Images)*perImage
	if m.Reasoning == "" && len(m.Opaque) > 0 {
		total += Count(string(m.Opaque))
	}
	for _, call := range m.ToolCalls {
		total += perToolCall + Count(call.Name) + Count(call.Arguments)
	}
	if m.ToolCallID != "" {
		total += perToolCall
	}
	return total
}

// CountTool estimates one offered tool.
func CountTool(t llm.ToolDef) int {
	return perTool + Count(t.Name) + Count(t.Description) + Count(string(t.Parameters))
}

// Usage estimates what a finished call cost; it is marked Estimated.
func Usage(req llm.Request, resp llm.Response) llm.Usage {
	reasoning := Count(resp.Reasoning)
	completion := reasoning + Count(resp.Text)
	for _, call := range resp.ToolCalls {
		completion += perToolCall + Count(call.Name) + Count(call.Arguments)
	}
	prompt := CountRequest(req)
	return llm.Usage{
		PromptTokens:     prompt,
		CompletionTokens: completion,
		TotalTokens:      prompt + completion,
		ReasoningTokens:  reasoning,
		Estimated:        true,
	}
}
