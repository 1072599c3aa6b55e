package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// deltas are the JSON objects of an answer's chunks, before the finish_reason.
func (a answer) deltas() []string {
	var deltas []string
	thinking, text := a.reply.Thinking, a.reply.Text
	if a.reply.has(ThinkTags) && thinking != "" {
		text, thinking = "<think>"+thinking+"</think>\n\n"+text, ""
	}
	for _, piece := range a.pieces(thinking) {
		deltas = append(deltas, `{`+a.nulls("reasoning")+`"`+a.reasoningField()+`":`+piece+`}`)
	}
	for _, piece := range a.pieces(text) {
		if a.reply.has(ContentParts) {
			piece = `[{"type":"text","text":` + piece + `}]`
		}
		deltas = append(deltas, `{`+a.nulls("content")+`"content":`+piece+`}`)
	}
	for _, fragment := range a.fragments() {
		if a.reply.has(ReasoningInCalls) {
			fragment = `"content":"","` + a.reasoningField() + `":"",` + fragment
		}
		deltas = append(deltas, `{`+fragment+`}`)
	}
	return deltas
}

func (a answer) reasoningField() string {
	if a.reply.has(Reasoning) {
		return "reasoning"
	}
	return "reasoning_content"
}

// nulls are the fields that stand as null beside the one that has a value.
func (a answer) nulls(except string) string {
	if !a.reply.has(ContentNull) {
		return ""
	}
	if except == "content" {
		return `"role":"assistant","` + a.reasoningField() + `":null,"tool_calls":null,"function_call":null,`
	}
	return `"role":"assistant","content":null,"tool_calls":null,"function_call":null,`
}

// pieces cuts a text into the JSON strings of its chunks.
func (a answer) pieces(text string) []string {
	var pieces []string
	switch {
	case a.reply.has(SurrogateSplit):
		return a.utf16Pieces(text)
	case a.reply.has(BytesSplit):
		for start := 0; start < len(text); {
			end := min(start+max(a.reply.ChunkRunes, 1), len(text))
			pieces = append(pieces, quoteBytes(text[start:end]))
			start = end
		}
		return pieces
	}
	for _, piece := range split(text, a.reply.ChunkRunes) {
		pieces = append(pieces, jsonText(piece))
	}
	return pieces
}

// utf16Pieces cuts as a server does whose strings are UTF-16: between the
// halves of a surrogate pair too.
func (a answer) utf16Pieces(text string) []string {
	units := utf16.Encode([]rune(text))
	var pieces []string
	for start := 0; start < len(units); {
		end := min(start+max(a.reply.ChunkRunes, 1), len(units))
		var piece strings.Builder
		piece.WriteByte('"')
		for _, unit := range units[start:end] {
			fmt.Fprintf(&piece, `\u%04x`, unit)
		}
		piece.WriteByte('"')
		pieces = append(pieces, piece.String())
		start = end
	}
	return pieces
}

// quoteBytes quotes bytes that need not be whole characters.
func quoteBytes(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(text) {
		if c := text[i]; c < 0x20 || c == '"' || c == '\\' {
			fmt.Fprintf(&out, `\u%04x`, c)
		} else {
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}

// split cuts a text into words with the space that follows them, or into pieces
// of that many characters.
func split(text string, runes int) []string {
	var pieces []string
	start, count := 0, 0
	previous := ' '
	for i, r := range text {
		cut := runes > 0 && count == runes ||
			runes == 0 && unicode.IsSpace(previous) && !unicode.IsSpace(r)
		if cut && i > start {
			pieces = append(pieces, text[start:i])
			start, count = i, 0
		}
		count++
		previous = r
	}
	if start < len(text) {
		pieces = append(pieces, text[start:])
	}
	return pieces
}

// message is the message of an answer that is not streamed.
func (a answer) message() map[string]any {
	message := map[string]any{"role": "assistant", "content": a.reply.Text}
	if a.reply.has(ContentParts) {
		message["content"] = []any{map[string]any{"type": "text", "text": a.reply.Text}}
	}
	if a.reply.Thinking != "" {
		message[a.reasoningField()] = a.reply.Thinking
	}
	if len(a.reply.Calls) > 0 && a.reply.has(LegacyFunction) {
		message["function_call"] = map[string]any{"name": a.reply.Calls[0].Name,
			"arguments": a.reply.Calls[0].Arguments}
		return message
	}
	var calls []any
	for i, call := range a.reply.Calls {
		var arguments any = call.Arguments
		if a.reply.has(ArgumentsObject) {
			arguments = json.RawMessage(call.Arguments)
		}
		calls = append(calls, map[string]any{
			"id": a.callID(i, call, 0), "type": "function",
			"function": map[string]any{"name": call.Name, "arguments": arguments},
		})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return message
}
