package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"nanoclaw/internal/llm"
)

const providerName = "anthropic"

// opaque is what Message.Opaque holds: the order of an answer's blocks, with the
// signed thinking word for word. Texts and calls stand in the message itself.
type opaque struct {
	Provider string        `json:"provider"`
	Model    string        `json:"model"`
	Blocks   []opaqueBlock `json:"blocks"`
}

type opaqueBlock struct {
	Type      string `json:"type"` // thinking, redacted_thinking, text, tool_use
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"`
	Length    int    `json:"length,omitempty"` // of a text, in bytes
}

// arrange puts the blocks of an assistant message in order.
func arrange(m llm.Message, calls []sdk.ContentBlockParamUnion, model string,
	replay bool) []sdk.ContentBlockParamUnion {
	kept := readOpaque(m.Opaque, model)
	if !replay {
		kept = nil
	}
	if !fits(kept, m) { // the message was changed: the order is gone, the thinking is not
		kept = append(thinkingOnly(kept), opaqueBlock{Type: "text", Length: len(m.Text)})
		for range m.ToolCalls {
			kept = append(kept, opaqueBlock{Type: "tool_use"})
		}
	}
	text := m.Text
	var blocks []sdk.ContentBlockParamUnion
	for _, block := range kept {
		switch block.Type {
		case "thinking":
			if block.Signature != "" { // an interrupted one has none, and would be refused
				blocks = append(blocks, sdk.NewThinkingBlock(block.Signature, block.Thinking))
			}
		case "redacted_thinking":
			blocks = append(blocks, sdk.NewRedactedThinkingBlock(block.Data))
		case "text":
			if piece := text[:block.Length]; strings.TrimSpace(piece) != "" {
				blocks = append(blocks, sdk.NewTextBlock(piece))
			}
			text = text[block.Length:]
		case "tool_use":
			blocks = append(blocks, calls[0])
			calls = calls[1:]
		}
	}
	if onlyThinking(blocks) { // an answer that was all thinking says nothing to go on from
		return nil
	}
	return blocks
}

func onlyThinking(blocks []sdk.ContentBlockParamUnion) bool {
	for _, block := range blocks {
		if block.OfThinking == nil && block.OfRedactedThinking == nil {
			return false
		}
	}
	return true
}

// readOpaque gives nothing for what another provider or another model wrote:
// signatures are bound to the model.
func readOpaque(raw json.RawMessage, model string) []opaqueBlock {
	var o opaque
	if len(raw) == 0 || json.Unmarshal(raw, &o) != nil || o.Provider != providerName || o.Model != model {
		return nil
	}
	return o.Blocks
}

// fits: the blocks describe the message as it is.
func fits(blocks []opaqueBlock, m llm.Message) bool {
	length, calls := 0, 0
	for _, block := range blocks {
		switch block.Type {
		case "text":
			if block.Length < 0 {
				return false
			}
			length += block.Length
		case "tool_use":
			calls++
		}
	}
	return len(blocks) > 0 && length == len(m.Text) && calls == len(m.ToolCalls)
}

func thinkingOnly(blocks []opaqueBlock) []opaqueBlock {
	var kept []opaqueBlock
	for _, block := range blocks {
		if block.Type == "thinking" || block.Type == "redacted_thinking" {
			kept = append(kept, block)
		}
	}
	return kept
}

// remember encodes an answer's blocks for its replay; nil where there is no
// thinking, since then the message says it all.
func remember(blocks []opaqueBlock, model string) json.RawMessage {
	if len(thinkingOnly(blocks)) == 0 {
		return nil
	}
	raw, err := json.Marshal(opaque{Provider: providerName, Model: model, Blocks: blocks})
	if err != nil {
		return nil // cannot happen: strings and numbers always encode
	}
	return raw
}
