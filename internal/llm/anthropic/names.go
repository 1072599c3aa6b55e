package anthropic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"nanoclaw/internal/llm"
)

// toolNames maps tools' names to ones of the API's alphabet and back.
type toolNames struct {
	sent map[string]string // by our name
	ours map[string]string // by the name that is sent
}

const longestName = 128

func newToolNames(req llm.Request) toolNames {
	n := toolNames{sent: make(map[string]string), ours: make(map[string]string)}
	for _, tool := range req.Tools {
		n.add(tool.Name)
	}
	for _, message := range req.Messages {
		for _, call := range message.ToolCalls {
			n.add(call.Name)
		}
	}
	return n
}

func (n toolNames) add(name string) {
	if _, known := n.sent[name]; known {
		return
	}
	safe := alphabet(name)
	if safe == "" {
		safe = "tool"
	}
	if len(safe) > longestName {
		safe = safe[:longestName]
	}
	for i := 2; ; i++ {
		if _, taken := n.ours[safe]; !taken {
			break
		}
		suffix := fmt.Sprintf("_%d", i)
		safe = safe[:min(len(safe), longestName-len(suffix))] + suffix
	}
	n.sent[name], n.ours[safe] = safe, name
}

// alphabet replaces what is outside a-z, A-Z, 0-9, _ and - by _.
func alphabet(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, text)
}

// ours is the name that a call of the model means.
func (n toolNames) own(sent string) string {
	if name, ok := n.ours[sent]; ok {
		return name
	}
	return sent
}

func (n toolNames) offers(tools []llm.ToolDef) []sdk.ToolUnionParam {
	offers := make([]sdk.ToolUnionParam, 0, len(tools))
	seen := make(map[string]bool, len(tools))
	for _, tool := range tools {
		if seen[tool.Name] {
			continue
		}
		seen[tool.Name] = true
		offer := &sdk.ToolParam{Name: n.sent[tool.Name], InputSchema: schema(tool.Parameters)}
		if tool.Description != "" {
			offer.Description = sdk.String(tool.Description)
		}
		offers = append(offers, sdk.ToolUnionParam{OfTool: offer})
	}
	return offers
}

// placeholders declare the tools of a conversation that offers none any more: the
// API refuses calls and results without declarations.
func (n toolNames) placeholders() []sdk.ToolUnionParam {
	names := make([]string, 0, len(n.ours))
	for name := range n.ours {
		names = append(names, name)
	}
	slices.Sort(names)
	offers := make([]sdk.ToolUnionParam, len(names))
	for i, name := range names {
		offers[i] = sdk.ToolUnionParam{OfTool: &sdk.ToolParam{Name: name, InputSchema: schema(nil)}}
	}
	return offers
}

// input is a call's arguments as the object that the API wants.
func input(arguments string) json.RawMessage {
	trimmed := strings.TrimSpace(arguments)
	switch {
	case trimmed == "":
		return json.RawMessage(`{}`)
	case trimmed[0] == '{' && json.Valid([]byte(trimmed)):
		return json.RawMessage(trimmed)
	}
	raw, err := json.Marshal(map[string]string{"invalid_arguments": arguments})
	if err != nil {
		return json.RawMessage(`{}`) // cannot happen: a string always encodes
	}
	return raw
}
