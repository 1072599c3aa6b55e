package openai

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"nanoclaw/internal/llm"
)

// compose turns a request into langchaingo's, but for the tools. They, and what
// langchaingo cannot say, are added to its body later (payload.go).
func (m *Model) compose(req llm.Request) ([]llms.MessageContent, []llms.CallOption) {
	messages := make([]llms.MessageContent, len(req.Messages))
	for i, message := range req.Messages {
		messages[i] = composeMessage(message)
	}
	var options []llms.CallOption
	if temperature := m.temperature(req); temperature != nil {
		options = append(options, llms.WithTemperature(*temperature))
	}
	if req.MaxTokens > 0 {
		options = append(options, llms.WithMaxTokens(req.MaxTokens))
	}
	return messages, options
}

func (m *Model) temperature(req llm.Request) *float64 {
	if req.Temperature != nil {
		return req.Temperature
	}
	return m.cfg.Temperature
}

func composeMessage(message llm.Message) llms.MessageContent {
	switch message.Role {
	case llm.RoleSystem:
		return llms.TextParts(llms.ChatMessageTypeSystem, message.Text)
	case llm.RoleAssistant:
		return composeAssistant(message)
	case llm.RoleTool:
		return llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: message.ToolCallID, Name: message.ToolName, Content: message.Text},
		}}
	}
	user := llms.TextParts(llms.ChatMessageTypeHuman, message.Text)
	if message.Text == "" && len(message.Images) > 0 {
		user.Parts = nil
	}
	for _, image := range message.Images {
		url := "data:" + image.MediaType + ";base64," + base64.StdEncoding.EncodeToString(image.Data)
		user.Parts = append(user.Parts, llms.ImageURLPart(url))
	}
	return user
}

// showResultImages puts the images of tool results, which have no place in a tool's
// message here, into a message behind the results of the same turn.
func showResultImages(messages []llm.Message) []llm.Message {
	if !slices.ContainsFunc(messages, func(m llm.Message) bool { return m.Role == llm.RoleTool && len(m.Images) > 0 }) {
		return messages
	}
	shown := make([]llm.Message, 0, len(messages)+1)
	var images []llm.Image
	var of []string
	for i, m := range messages {
		if m.Role == llm.RoleTool && len(m.Images) > 0 {
			images = append(images, m.Images...)
			of = append(of, fmt.Sprintf("%d of %s", len(m.Images), m.ToolName))
		}
		shown = append(shown, m)
		if last := i+1 == len(messages) || messages[i+1].Role != llm.RoleTool; last && len(images) > 0 {
			// ToolName marks it as no turn of the user's.
			shown = append(shown, llm.Message{Role: llm.RoleUser, ToolName: m.ToolName, Images: images,
				Text: "(The images of the tool results above, in order: " + strings.Join(of,
					", ") + ". The user did not send them.)"})
			images, of = nil, nil
		}
	}
	return shown
}

func composeAssistant(message llm.Message) llms.MessageContent {
	assistant := llms.MessageContent{Role: llms.ChatMessageTypeAI}
	if message.Text != "" {
		assistant.Parts = append(assistant.Parts, llms.TextPart(message.Text))
	}
	for _, call := range message.ToolCalls {
		assistant.Parts = append(assistant.Parts, llms.ToolCall{ID: call.ID, Type: "function",
			FunctionCall: &llms.FunctionCall{
				Name: call.Name, Arguments: replayable(call.Arguments),
			}})
	}
	return assistant
}

// replayable is a call's arguments as an object: servers that read them for their
// chat template fail on what a model once broke.
func replayable(arguments string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) == nil && object != nil {
		return arguments
	}
	if arguments == "" {
		return "{}"
	}
	wrapped, err := json.Marshal(map[string]string{"invalid_arguments": arguments})
	if err != nil {
		return "{}" // cannot happen: a string always has a JSON form
	}
	return string(wrapped)
}

var noParameters = json.RawMessage(`{"type":"object","properties":{}}`)

// sentTools are tools with their JSON form, which is most of a small request and the same
// for most requests.
type sentTools struct {
	defs []llm.ToolDef
	json json.RawMessage
}

// encodedTools is encodeTools, once for requests with the same tools in a row.
func (m *Model) encodedTools(defs []llm.ToolDef) json.RawMessage {
	same := func(a, b llm.ToolDef) bool {
		return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
	}
	if last := m.tools.Load(); last != nil && slices.EqualFunc(last.defs, defs, same) {
		return last.json
	}
	sent := &sentTools{defs: slices.Clone(defs), json: encodeTools(defs)}
	m.tools.Store(sent)
	return sent.json
}

// encodeTools is the list of tools as it is sent. By way of langchaingo the schemas,
// which are most of a request, were encoded twice and read again.
func encodeTools(defs []llm.ToolDef) json.RawMessage {
	size := 2
	for _, def := range defs {
		size += 100 + len(def.Name) + len(def.Description)*9/8 + len(def.Parameters)
	}
	out := append(make([]byte, 0, size), '[')
	for i, def := range defs {
		if i > 0 {
			out = append(out, ',')
		}
		parameters := def.Parameters
		if len(parameters) == 0 {
			parameters = noParameters
		}
		out = append(out, `{"type":"function","function":{"name":`...)
		out = appendText(out, def.Name)
		if def.Description != "" {
			out = appendText(append(out, `,"description":`...), def.Description)
		}
		out = append(append(append(out, `,"parameters":`...), parameters...), "}}"...)
	}
	return append(out, ']')
}

func appendText(out []byte, text string) []byte {
	encoded, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("openai: encode a text: %v", err)) // cannot happen
	}
	return append(out, encoded...)
}
