// An MCP server over stdio with one prompt.
import { createInterface } from "node:readline";

const prompt = { name: "explain", title: "Explain a topic", arguments: [{ name: "topic", required: true }] };
const answers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { prompts: {}, tools: {} },
    serverInfo: { name: "prompts", version: "1" },
  }),
  "tools/list": () => ({ tools: [] }),
  "prompts/list": () => ({ prompts: [prompt] }),
  "prompts/get": ({ arguments: { topic } }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Explain ${topic} to a child.` } }],
  }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: `there is no ${method}` } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
}
