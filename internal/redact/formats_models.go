package redact

// modelFormats are the keys of those who serve models, and of what agents search with.
func modelFormats() []format {
	return []format{
		{rule: "openai-key", begin: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, rest: `[\w-]{20,}`},
		{rule: "anthropic-key", begin: []string{"sk-ant-"}, rest: `[\w-]{20,}`},
		{rule: "openrouter-key", begin: []string{"sk-or-"}, rest: `(?:v1-)?[a-f0-9]{40,}`},
		{rule: "sk-key", begin: []string{"sk-"}, rest: `[\w-]{20,}`, is: random}, // OpenAI's old keys, DeepSeek, Moonshot, Qwen and many more
		{rule: "groq-key", begin: []string{"gsk_"}, rest: `[A-Za-z0-9]{40,}`},
		{rule: "perplexity-key", begin: []string{"pplx-"}, rest: `[A-Za-z0-9]{40,}`},
		{rule: "xai-key", begin: []string{"xai-"}, rest: `[A-Za-z0-9]{60,}`},
		{rule: "nvidia-key", begin: []string{"nvapi-"}, rest: `[\w-]{50,}`},
		{rule: "replicate-token", begin: []string{"r8_"}, rest: `[A-Za-z0-9]{36,}`},
		{rule: "huggingface-token", begin: []string{"hf_", "api_org_"}, rest: `[A-Za-z0-9]{30,}`},
		{rule: "langsmith-key", begin: []string{"lsv2_pt_", "lsv2_sk_"}, rest: `[a-f0-9]{32}(?:_[a-f0-9]{10})?`},
		{rule: "tavily-key", begin: []string{"tvly-"}, rest: `[A-Za-z0-9-]{24,}`, is: random},
	}
}
