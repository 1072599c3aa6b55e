// An MCP server over stdio with one prompt and one tool.
import { createInterface } from "node:readline";

const prompt = { name: "explain", title: "Explain a topic", arguments: [{ name: "topic", required: true }] };
const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";
const tool = {
  name: "sales_report",
  description: "The sales of a month, with a chart.",
  inputSchema: { type: "object", properties: { month: { type: "string" } } },
  annotations: { readOnlyHint: true },
};
const report = {
  content: [
    { type: "text", text: "The **best** month so far." },
    { type: "image", mimeType: "image/png", data: picture },
    { type: "resource_link", uri: "https://example.org/sales", name: "All sales" },
  ],
  structuredContent: { rows: ["tea", "ink"].map((item, i) => ({ item, units_sold: 10 * (i + 1) })) },
};

const answers = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { prompts: {}, tools: {} },
    serverInfo: { name: "prompts", version: "1" },
  }),
  "tools/list": () => ({ tools: [tool] }),
  "tools/call": () => report,
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
