package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"nanoclaw/internal/llm"
)

const (
	defaultOutput = 16_384 // tokens, where neither config nor request says; every current model gives that
	leastBudget   = 1_024  // the API's own minimum
)

// thinkingBudgets are the tokens of a thinking budget, where the output has room for them.
var thinkingBudgets = map[string]int{"low": 2_048, "medium": 8_192, "high": 24_576}

// compose puts a request into the API's form.
// forget leaves the thinking of earlier turns out.
func (m *Model) compose(req llm.Request, s shape,
	forget bool) (sdk.MessageNewParams, toolNames, sentParameters, error) {
	names := newToolNames(req)
	sent := sentParameters{thinking: s.thinks(req.Thinking), cache: !s.noCache}
	conversation, err := converse(req.Messages, names, m.info.Model, sent.thinking != "disabled" && !forget)
	if err != nil {
		return sdk.MessageNewParams{}, names, sent, err
	}
	if sent.thinking == "enabled" && !conversation.thoughtful {
		sent.thinking = "" // a loop that another model began has no thinking to go on with
	}
	params := sdk.MessageNewParams{
		Model:    m.info.Model,
		System:   system(req.Messages),
		Messages: conversation.turns,
		Tools:    names.offers(req.Tools),
	}
	if len(params.Tools) == 0 && conversation.calls {
		params.Tools = names.placeholders()
		params.ToolChoice = sdk.ToolChoiceUnionParam{OfNone: &sdk.ToolChoiceNoneParam{}}
	}
	m.limits(&params, req, s, sent.thinking)
	if t := temperature(req, m.cfg.Temperature); t != nil && sent.thinking != "enabled" &&
		sent.thinking != "adaptive" && !s.noTemperature {
		params.Temperature = sdk.Float(min(max(*t, 0), 1)) // this API's range
		sent.temperature = true
	}
	if sent.cache {
		markCache(&params)
	}
	return params, names, sent, nil
}

func temperature(req llm.Request, configured *float64) *float64 {
	if req.Temperature != nil {
		return req.Temperature
	}
	return configured
}

// limits sets max_tokens, and how the model thinks. A budget comes on top of what
// the request allows: it is meant for the answer.
func (m *Model) limits(params *sdk.MessageNewParams, req llm.Request, s shape, thinking string) {
	most := m.info.MaxOutput
	if most == 0 {
		most = m.cfg.MaxOutput
	}
	if most == 0 {
		most = defaultOutput
	}
	if s.maxOutput > 0 {
		most = min(most, s.maxOutput)
	}
	tokens := most
	if req.MaxTokens > 0 {
		tokens = min(req.MaxTokens, most)
	}
	switch thinking {
	case "enabled":
		budget := max(min(thinkingBudgets[req.Thinking.Effort("medium")], most/2), leastBudget)
		if req.MaxTokens > 0 {
			tokens += budget
		}
		tokens = max(min(tokens, most), budget+1)
		params.Thinking = sdk.ThinkingConfigParamOfEnabled(int64(budget))
	case "adaptive":
		params.Thinking = sdk.ThinkingConfigParamUnion{OfAdaptive: &sdk.ThinkingConfigAdaptiveParam{
			Display: sdk.ThinkingConfigAdaptiveDisplaySummarized, // some models show nothing by default
		}}
		params.OutputConfig.Effort = sdk.OutputConfigEffort(req.Thinking.Effort(""))
	case "disabled":
		disabled := sdk.NewThinkingConfigDisabledParam()
		params.Thinking = sdk.ThinkingConfigParamUnion{OfDisabled: &disabled}
	}
	params.MaxTokens = int64(tokens)
}

// system gathers the system messages: here they stand outside the conversation.
func system(messages []llm.Message) []sdk.TextBlockParam {
	var blocks []sdk.TextBlockParam
	for _, message := range messages {
		if message.Role == llm.RoleSystem && strings.TrimSpace(message.Text) != "" {
			blocks = append(blocks, sdk.TextBlockParam{Text: message.Text})
		}
	}
	return blocks
}

// markCache sets two breakpoints: after the tools and the system prompt, which are
// the same for a whole conversation, and after the last message, whose prefix the
// next step of a run begins with.
func markCache(params *sdk.MessageNewParams) {
	mark := sdk.NewCacheControlEphemeralParam()
	switch {
	case len(params.System) > 0:
		params.System[len(params.System)-1].CacheControl = mark
	case len(params.Tools) > 0:
		params.Tools[len(params.Tools)-1].OfTool.CacheControl = mark
	}
	last := params.Messages[len(params.Messages)-1].Content
	if control := last[len(last)-1].GetCacheControl(); control != nil {
		*control = mark
	}
}

// schema is a tool's parameters; the API insists on an object.
func schema(parameters json.RawMessage) sdk.ToolInputSchemaParam {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(parameters, &object); err != nil || object == nil {
		object = map[string]json.RawMessage{}
	}
	if _, ok := object["type"]; ok {
		return param.Override[sdk.ToolInputSchemaParam](parameters)
	}
	object["type"] = json.RawMessage(`"object"`)
	raw, err := json.Marshal(object)
	if err != nil {
		raw = []byte(`{"type":"object"}`) // cannot happen: the parts were read as JSON
	}
	return param.Override[sdk.ToolInputSchemaParam](json.RawMessage(raw))
}
