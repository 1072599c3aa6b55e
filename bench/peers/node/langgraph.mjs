// LangGraph with its SQLite checkpointer: the graph of model and tools from its documentation.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { calculate, description, modelURL, prompt, schema, serve } from "./peer.mjs";

const tools = [tool(calculate, { name: "calculator", description, schema })];
const model = new ChatOpenAI({
  model: "m",
  apiKey: "none",
  streaming: true,
  configuration: { baseURL: modelURL },
}).bindTools(tools);
const graph = new StateGraph(MessagesAnnotation)
  .addNode("model", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addNode("tools", new ToolNode(tools))
  .addEdge(START, "model")
  .addConditionalEdges("model", toolsCondition)
  .addEdge("tools", "model")
  .compile({ checkpointer: SqliteSaver.fromConnString(join(process.env.PEER_DATA, "langgraph.db")) });

await serve(async () => {
  const stream = await graph.stream(
    { messages: [{ role: "user", content: prompt }] },
    { configurable: { thread_id: randomUUID() }, streamMode: "messages" },
  );
  let text = "";
  for await (const [message] of stream) if (message.getType() === "ai") text += message.text;
  return text;
});
