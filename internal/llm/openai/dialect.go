package openai

import (
	"regexp"
	"strings"

	"nanoclaw/internal/llm"
)

// dialect is what a provider wants differently from the plain protocol. What is
// not known here is sent plainly, and what a provider refuses is learned (quirk.go).
type dialect struct {
	hosts  []string       // ends of the host (with port where one is given)
	models *regexp.Regexp // of the model's name; nil: all
	source string         // llm.Info.Source; empty: all

	completionTokens bool   // max_completion_tokens instead of max_tokens
	replay           bool   // wants reasoning_content back in turns that call tools
	signatures       bool   // wants extra_content of tool calls back
	keyHeader        string // beside Authorization
	thinking         func(model string, want llm.Thinking) map[string]any
}

// dialects is asked from the top; the first row that fits counts.
var dialects = []dialect{
	{hosts: []string{"api.openai.com"}, completionTokens: true, thinking: openAIEffort},
	{hosts: []string{"openai.azure.com", "services.ai.azure.com"}, completionTokens: true, keyHeader: "api-key",
		thinking: openAIEffort},
	{hosts: []string{"api.deepseek.com"}, replay: true, thinking: thinkingType},
	{hosts: []string{"api.moonshot.cn", "api.moonshot.ai", "api.kimi.com"}, replay: true, thinking: thinkingType},
	{hosts: []string{"open.bigmodel.cn", "api.z.ai"}, replay: true, thinking: thinkingType},
	{hosts: []string{"volces.com"}, thinking: thinkingType},
	{hosts: []string{"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com",
		"api.siliconflow.cn", "api.siliconflow.com"}, thinking: enableThinking},
	{hosts: []string{"generativelanguage.googleapis.com"}, signatures: true, thinking: effort("medium", "none")},
	{hosts: []string{"openrouter.ai"}, thinking: openRouterReasoning},
	{source: "ollama", thinking: effort("medium", "none")},
	{hosts: []string{":11434"}, thinking: effort("medium", "none")}, // Ollama that was configured by hand
	{models: regexp.MustCompile(`(?i)gpt-oss`), thinking: effort("high", "low")},
	// vLLM, SGLang, llama.cpp
	{models: regexp.MustCompile(`(?i)qwen-?3|glm-?[45]|deepseek-?v[34]|kimi-k2|hunyuan`), thinking: templateSwitch},
	{},
}

func dialectOf(host string, info llm.Info) dialect {
	for _, d := range dialects {
		if d.fits(host, info) {
			return d
		}
	}
	return dialect{}
}

func (d dialect) fits(host string, info llm.Info) bool {
	if d.models != nil && !d.models.MatchString(info.Model) || d.source != "" && d.source != info.Source {
		return false
	}
	for _, end := range d.hosts {
		if host == end || strings.HasSuffix(host, "."+end) || end[0] == ':' && strings.HasSuffix(host, end) {
			return true
		}
	}
	return len(d.hosts) == 0
}

// switches are the fields that ask for thinking or against it; none by default.
func (d dialect) switches(model string, want llm.Thinking) map[string]any {
	if d.thinking == nil || want == llm.ThinkingDefault {
		return nil
	}
	return d.thinking(model, want)
}

// DeepSeek, Moonshot, Zhipu, Volcengine.
func thinkingType(_ string, want llm.Thinking) map[string]any {
	kind := "disabled"
	if want.Asked() {
		kind = "enabled"
	}
	return map[string]any{"thinking": map[string]any{"type": kind}}
}

// Qwen.
func enableThinking(_ string, want llm.Thinking) map[string]any {
	return map[string]any{"enable_thinking": want.Asked()}
}

// The chat templates of open models; a template ignores the name that it does not know.
func templateSwitch(_ string, want llm.Thinking) map[string]any {
	on := want.Asked()
	return map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": on, "thinking": on}}
}

func openRouterReasoning(_ string, want llm.Thinking) map[string]any {
	if effort := want.Effort(""); effort != "" {
		return map[string]any{"reasoning": map[string]any{"effort": effort}}
	}
	return map[string]any{"reasoning": map[string]any{"enabled": want.Asked()}}
}

func effort(on, off string) func(string, llm.Thinking) map[string]any {
	return func(_ string, want llm.Thinking) map[string]any {
		if want.Asked() {
			return map[string]any{"reasoning_effort": want.Effort(on)}
		}
		return map[string]any{"reasoning_effort": off}
	}
}

var (
	openAIThinks = regexp.MustCompile(`^(o[1-9]|gpt-[5-9])`)
	openAIOSerie = regexp.MustCompile(`^o[1-9]`)
	openAIGPT5   = regexp.MustCompile(`^gpt-5($|-)`) // before 5.1
)

// openAIEffort: the least that a model allows stands for "off"; chat models have no such field.
func openAIEffort(model string, want llm.Thinking) map[string]any {
	switch {
	case !openAIThinks.MatchString(model) || strings.Contains(model, "-chat"):
		return nil
	case want.Asked():
		return map[string]any{"reasoning_effort": want.Effort("medium")}
	case openAIOSerie.MatchString(model):
		return map[string]any{"reasoning_effort": "low"}
	case openAIGPT5.MatchString(model):
		return map[string]any{"reasoning_effort": "minimal"}
	}
	return map[string]any{"reasoning_effort": "none"}
}
