package redact

// modelFormats are the keys of those who serve models, and of what agents search with.
func modelFormats() []format {
	return []format{
		{rule: "openai-key", begin: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, rest: `[\w-]{20,}`},
		{rule: "anthropic-key", begin: []string{"sk-ant-"}, rest: `[\w-]{20,}`},
		{rule: "openrouter-key", begin: []string{"sk-or-"}, rest: `(?:v1-)?[a-f0-9]{40,}`},
		// OpenAI's old keys, DeepSeek, Moonshot, Qwen and many more
		{rule: "sk-key", begin: []string{"sk-"}, rest: `[\w-]{20,}`, is: random},
		{rule: "groq-key", begin: []string{"gsk_"}, rest: `[A-Za-z0-9]{40,}`},
		{rule: "perplexity-key", begin: []string{"pplx-"}, rest: `[A-Za-z0-9]{40,}`},
		{rule: "xai-key", begin: []string{"xai-"}, rest: `[A-Za-z0-9]{60,}`},
		{rule: "nvidia-key", begin: []string{"nvapi-"}, rest: `[\w-]{50,}`},
		{rule: "replicate-token", begin: []string{"r8_"}, rest: `[A-Za-z0-9]{36,}`},
		{rule: "huggingface-token", begin: []string{"hf_", "api_org_"}, rest: `[A-Za-z0-9]{30,}`},
		{rule: "langsmith-key", begin: []string{"lsv2_pt_", "lsv2_sk_"}, rest: `[a-f0-9]{32}(?:_[a-f0-9]{10})?`},
		{rule: "together-key", begin: []string{"tgp_v1_"}, rest: `[\w-]{43}`},
		{rule: "llamacloud-key", begin: []string{"llx-"}, rest: `[\w-]{48}`},
		{rule: "fireworks-key", begin: []string{"fw_"}, rest: `[A-Za-z0-9]{22,}`, is: whole | random},
		{rule: "cerebras-key", begin: []string{"csk-"}, rest: `[a-z0-9]{48}`, is: whole},
		{rule: "jina-key", begin: []string{"jina_"}, rest: `[A-Za-z0-9]{50,}`},
		{rule: "elevenlabs-key", begin: []string{"sk_"}, rest: `[a-f0-9]{48}`, is: whole},
		{rule: "voyage-key", begin: []string{"pa-"}, rest: `[\w-]{43}`, is: whole | random},
		{rule: "pinecone-key", begin: []string{"pcsk_"}, rest: `\w{50,}`},
		{rule: "langfuse-key", begin: []string{"sk-lf-"}, rest: uuid},
		{rule: "firecrawl-key", begin: []string{"fc-"}, rest: `[a-f0-9]{32}`, is: whole},
		{rule: "e2b-key", begin: []string{"e2b_"}, rest: `[a-f0-9]{40}`, is: whole},
		{rule: "modal-token", begin: []string{"ak-", "as-"}, rest: `[A-Za-z0-9]{22}`, is: whole | random},
		{rule: "tavily-key", begin: []string{"tvly-"}, rest: `[A-Za-z0-9-]{24,}`, is: random},
	}
}
