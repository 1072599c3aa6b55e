package config

// Example is a piece of config.yml that shows how a key whose default is empty
// is filled; "" where a key needs none. It begins with the key itself, unindented.
func Example(path string) string { return examples[path] }

var examples = map[string]string{
	"models": `models:
  - id: deepseek-chat
    name: DeepSeek V3
    base_url: https://api.deepseek.com/v1
    api_key: ${DEEPSEEK_API_KEY}
    supports: [tools, thinking]
  - id: claude
    provider: anthropic
    model: claude-sonnet-4-5
    api_key: ${ANTHROPIC_API_KEY}
    context_window: 200000
    supports: [tools, thinking, images]
`,
	"agents": `agents:
  - id: reviewer
    description: Reads code and says what to improve.
    system_prompt: You review code. You change no files.
    tools: [file_read, file_list, file_grep, file_glob]
    permissions:
      - paths: ["secrets/**"]
        deny: [read, write, delete]
      - allow: [read]
`,
	"tools": `tools:
  web_search:
    preset: { max_results: 3 }
  execute_python:
    disabled: true
`,
	"tool_limits.per_run": `per_run: { web_search: 20, "*": 200 }
`,
	"guard.rules": `rules:
  - id: no-force-push
    tool: shell_execute
    command: git push --force
    action: deny
    message: Force pushes are not allowed here.
`,
	"redaction.rules": `rules:
  - id: employee-number
    pattern: 'EMP-([0-9]{6})'
    strategy: mask
`,
	"web_search.providers": `providers:
  - type: searxng
    base_url: http://127.0.0.1:8888
  - type: brave
    api_key: ${BRAVE_API_KEY}
`,
	"mcp_servers": `mcp_servers:
  files:
    command: npx
    args: ["-y", "@modelcontextprotocol/server-filesystem", /srv/files]
    effects: { read_file: reads }
  tracker:
    url: https://tracker.example.com/mcp
    headers: { Authorization: "Bearer ${TRACKER_TOKEN}" }
`,
	"databases": `databases:
  sales:
    url: postgres://reader:${SALES_PASSWORD}@db.example.com/sales
`,
	"external_agents": `external_agents:
  coder:
    command: coder-acp
    description: Writes larger changes to a code base.
`,
}
