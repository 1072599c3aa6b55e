package anthropic

import (
	"encoding/base64"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"nanoclaw/internal/llm"
)

// conversation is a history in the API's form: turns of alternating roles, from a
// user's to a user's, every call answered at the beginning of the next turn.
type conversation struct {
	turns []sdk.MessageParam
	calls bool // there are calls in it

	// thoughtful: what the model goes on with begins with its thinking, or is a
	// user's message. Asked to think by a budget, the API insists on that.
	thoughtful bool
}

// Stand-ins for what a history lacks and the API wants.
const (
	noResult   = "There is no result of this call."
	goOn       = "Please go on."
	beginsLate = "(The beginning of the conversation is left out.)"
	noOutput   = "(no output)"
)

// converse builds the conversation. replay: thinking of earlier turns goes along
// where it is this model's own.
func converse(messages []llm.Message, names toolNames, model string, replay bool) (conversation, error) {
	b := &builder{names: names, model: model, replay: replay, ids: make(map[string]bool)}
	for i := 0; i < len(messages); i++ {
		switch messages[i].Role {
		case llm.RoleSystem:
		case llm.RoleAssistant:
			b.assistant(messages[i])
			b.answer(replies(messages[i+1:]))
		case llm.RoleUser:
			if err := b.user(messages[i]); err != nil {
				return conversation{}, err
			}
		case llm.RoleTool:
			if !b.taken(i, messages) {
				b.orphan(messages[i])
			}
		}
	}
	switch {
	case len(b.turns) == 0:
		return conversation{}, &llm.Error{Code: llm.CodeInvalidRequest,
			Message: "the request has no message with anything in it"}
	case b.turns[0].Role == sdk.MessageParamRoleAssistant:
		b.turns = append([]sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock(beginsLate))}, b.turns...)
	}
	if b.turns[len(b.turns)-1].Role == sdk.MessageParamRoleAssistant {
		b.add(sdk.MessageParamRoleUser, sdk.NewTextBlock(goOn))
	}
	b.thoughtful = goesOnThinking(b.turns)
	return b.conversation, nil
}

// goesOnThinking: the last turn answers no calls, or calls that followed thinking.
func goesOnThinking(turns []sdk.MessageParam) bool {
	last := len(turns) - 1
	if turns[last].Content[0].OfToolResult == nil {
		return true
	}
	first := turns[last-1].Content[0]
	return first.OfThinking != nil || first.OfRedactedThinking != nil
}

// replies are the tool messages up to the next assistant message.
func replies(messages []llm.Message) []llm.Message {
	var found []llm.Message
	for _, message := range messages {
		switch message.Role {
		case llm.RoleAssistant:
			return found
		case llm.RoleTool:
			found = append(found, message)
		}
	}
	return found
}

type builder struct {
	conversation
	names  toolNames
	model  string
	replay bool

	ids  map[string]bool // that were sent
	open []openCall      // calls of the last assistant message
	used map[string]int  // results of each of its provider ids that have been taken
}

// openCall is a call that the next turn has to answer.
type openCall struct{ providerID, id string }

// add puts blocks into a turn of the role, the last one where it is of that role.
func (b *builder) add(role sdk.MessageParamRole, blocks ...sdk.ContentBlockParamUnion) {
	if len(blocks) == 0 {
		return
	}
	if last := len(b.turns) - 1; last >= 0 && b.turns[last].Role == role {
		b.turns[last].Content = append(b.turns[last].Content, blocks...)
		return
	}
	b.turns = append(b.turns, sdk.MessageParam{Role: role, Content: blocks})
}

func (b *builder) user(m llm.Message) error {
	var blocks []sdk.ContentBlockParamUnion
	for _, image := range m.Images {
		if !sendable(image) {
			return &llm.Error{Code: llm.CodeInvalidRequest,
				Message: fmt.Sprintf("images of type %q cannot be sent: use PNG, JPEG, GIF or WebP", image.MediaType)}
		}
		blocks = append(blocks, sdk.NewImageBlockBase64(image.MediaType, base64.StdEncoding.EncodeToString(image.Data)))
	}
	if strings.TrimSpace(m.Text) != "" {
		blocks = append(blocks, sdk.NewTextBlock(m.Text))
	}
	b.add(sdk.MessageParamRoleUser, blocks...)
	return nil
}

func sendable(image llm.Image) bool {
	switch image.MediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// assistant adds a turn of the model's, in the order in which it was produced
// where that is known.
func (b *builder) assistant(m llm.Message) {
	b.open, b.used = nil, make(map[string]int)
	calls := make([]sdk.ContentBlockParamUnion, len(m.ToolCalls))
	for i, call := range m.ToolCalls {
		id := b.newID(call.ID)
		b.open = append(b.open, openCall{call.ID, id})
		calls[i] = sdk.NewToolUseBlock(id, input(call.Arguments), b.names.sent[call.Name])
	}
	b.calls = b.calls || len(calls) > 0
	b.add(sdk.MessageParamRoleAssistant, arrange(m, calls, b.model, b.replay)...)
}

// newID keeps a provider's id where the API takes it and it does not repeat.
func (b *builder) newID(id string) string {
	if id == "" || alphabet(id) != id || b.ids[id] {
		id = fmt.Sprintf("call_%d", len(b.ids)+1)
		for i := 2; b.ids[id]; i++ {
			id = fmt.Sprintf("call_%d_%d", len(b.ids)+1, i)
		}
	}
	b.ids[id] = true
	return id
}

// answer adds the results of the last assistant message's calls, one for each.
func (b *builder) answer(results []llm.Message) {
	var blocks []sdk.ContentBlockParamUnion
	for _, call := range b.open {
		text, failed := noResult, true
		var images []llm.Image
		seen := 0
		for _, result := range results {
			if result.ToolCallID != call.providerID {
				continue
			}
			if seen == b.used[call.providerID] {
				text, failed, images = result.Text, strings.HasPrefix(result.Text, `{"success":false`), result.Images
				break
			}
			seen++
		}
		b.used[call.providerID]++
		if strings.TrimSpace(text) == "" {
			text = noOutput
		}
		block := sdk.NewToolResultBlock(call.id, text, failed)
		for _, image := range images {
			if sendable(image) {
				shown := sdk.NewImageBlockBase64(image.MediaType, base64.StdEncoding.EncodeToString(image.Data))
				block.OfToolResult.Content = append(block.OfToolResult.Content,
					sdk.ToolResultBlockParamContentUnion{OfImage: shown.OfImage})
			}
		}
		blocks = append(blocks, block)
	}
	b.add(sdk.MessageParamRoleUser, blocks...)
}

// taken reports whether the tool message at index i was used by answer.
func (b *builder) taken(i int, messages []llm.Message) bool {
	nth := 0
	for j := i - 1; j >= 0 && messages[j].Role != llm.RoleAssistant; j-- {
		if messages[j].Role == llm.RoleTool && messages[j].ToolCallID == messages[i].ToolCallID {
			nth++
		}
	}
	return nth < b.used[messages[i].ToolCallID]
}

// orphan keeps a result whose call is gone from the history as plain text.
func (b *builder) orphan(m llm.Message) {
	if strings.TrimSpace(m.Text) != "" {
		b.add(sdk.MessageParamRoleUser, sdk.NewTextBlock(fmt.Sprintf("(Earlier result of the tool %s:) %s", m.ToolName,
			m.Text)))
	}
}
