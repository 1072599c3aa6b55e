package discover

import "nanoclaw/internal/config"

// provider is one vendor whose key may stand in the environment.
type provider struct {
	keys   []string // variables, the first that is set counts
	prefix string   // of <prefix>_BASE_URL and <prefix>_MODEL, which may be set too
	name   string   // shown behind the model's name
	kind   string   // config.Model.Provider
	base   string
	models []config.Model // ID, Name, Model (where it is not the ID), ContextWindow, Supports
}

var (
	toolsOnly  = []string{"tools"}
	thinks     = []string{"tools", "thinking"}
	sees       = []string{"tools", "images"}
	everything = []string{"tools", "thinking", "images"}
)

// providers are offered in this order.
var providers = []provider{
	{
		keys: []string{"OPENAI_API_KEY"}, prefix: "OPENAI", name: "OpenAI", base: "https://api.openai.com/v1",
		models: []config.Model{
			{ID: "gpt-5.5", Name: "GPT-5.5", ContextWindow: 1_050_000, Supports: everything},
			{ID: "gpt-5.4-mini", Name: "GPT-5.4 mini", ContextWindow: 400_000, Supports: everything},
		},
	},
	{
		keys: []string{"ANTHROPIC_API_KEY"}, prefix: "ANTHROPIC", name: "Anthropic", kind: "anthropic",
		base: "https://api.anthropic.com",
		models: []config.Model{
			{ID: "claude-sonnet-5-5", Name: "Claude Sonnet 5.5", ContextWindow: 200_000, Supports: everything},
			{ID: "claude-haiku-5-5", Name: "Claude Haiku 5.5", ContextWindow: 200_000, Supports: everything},
		},
	},
	{
		keys: []string{"DEEPSEEK_API_KEY"}, prefix: "DEEPSEEK", name: "DeepSeek", base: "https://api.deepseek.com/v1",
		models: []config.Model{
			{ID: "deepseek-v4-flash", Name: "DeepSeek V4 Flash", ContextWindow: 1_000_000, Supports: thinks},
			{ID: "deepseek-v4-pro", Name: "DeepSeek V4 Pro", ContextWindow: 1_000_000, Supports: thinks},
		},
	},
	{
		keys: []string{"DASHSCOPE_API_KEY", "QWEN_API_KEY"}, prefix: "DASHSCOPE", name: "Qwen",
		base: "https://dashscope.aliyuncs.com/compatible-mode/v1",
		models: []config.Model{
			{ID: "qwen-plus", Name: "Qwen Plus", ContextWindow: 1_000_000, Supports: thinks},
			{ID: "qwen3.7-max", Name: "Qwen3.7 Max", ContextWindow: 1_000_000, Supports: thinks},
		},
	},
	{
		keys: []string{"ZHIPUAI_API_KEY", "ZHIPU_API_KEY", "GLM_API_KEY"}, prefix: "ZHIPUAI", name: "Zhipu",
		base:   "https://open.bigmodel.cn/api/paas/v4",
		models: []config.Model{{ID: "glm-5.2", Name: "GLM-5.2", ContextWindow: 1_000_000, Supports: thinks}},
	},
	{
		keys: []string{"ZAI_API_KEY"}, prefix: "ZAI", name: "Z.ai", base: "https://api.z.ai/api/paas/v4",
		models: []config.Model{{ID: "zai-glm-5.2", Name: "GLM-5.2", Model: "glm-5.2", ContextWindow: 1_000_000,
			Supports: thinks}},
	},
	{
		keys: []string{"MOONSHOT_API_KEY", "KIMI_API_KEY"}, prefix: "MOONSHOT", name: "Moonshot",
		base:   "https://api.moonshot.cn/v1",
		models: []config.Model{{ID: "kimi-k2.6", Name: "Kimi K2.6", ContextWindow: 262_144, Supports: everything}},
	},
	{
		keys: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"}, prefix: "GEMINI", name: "Google",
		base: "https://generativelanguage.googleapis.com/v1beta/openai",
		models: []config.Model{{ID: "gemini-flash-latest", Name: "Gemini Flash", ContextWindow: 1_048_576,
			Supports: everything}},
	},
	{
		keys: []string{"XAI_API_KEY"}, prefix: "XAI", name: "xAI", base: "https://api.x.ai/v1",
		models: []config.Model{{ID: "grok-4.3", Name: "Grok 4.3", ContextWindow: 1_000_000, Supports: everything}},
	},
	{
		keys: []string{"MISTRAL_API_KEY"}, prefix: "MISTRAL", name: "Mistral", base: "https://api.mistral.ai/v1",
		models: []config.Model{{ID: "mistral-large-latest", Name: "Mistral Large", ContextWindow: 262_144,
			Supports: sees}},
	},
	{
		keys: []string{"GROQ_API_KEY"}, prefix: "GROQ", name: "Groq", base: "https://api.groq.com/openai/v1",
		models: []config.Model{{ID: "groq-gpt-oss-120b", Name: "GPT-OSS 120B", Model: "openai/gpt-oss-120b",
			ContextWindow: 131_072, Supports: thinks}},
	},
	{
		keys: []string{"OPENROUTER_API_KEY"}, prefix: "OPENROUTER", name: "OpenRouter",
		base: "https://openrouter.ai/api/v1",
		models: []config.Model{{ID: "openrouter-auto", Name: "Auto", Model: "openrouter/auto", ContextWindow: 128_000,
			Supports: everything}},
	},
}
