// The AI SDK: streamText with a tool.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { stepCountIs, streamText, tool } from "ai";
import { calculate, description, modelURL, prompt, schema, serve } from "./peer.mjs";

const model = createOpenAICompatible({ name: "bench", baseURL: modelURL, apiKey: "none" })("m");
const calculator = tool({ description, inputSchema: schema, execute: calculate });

await serve(async () => {
  let failure;
  const result = streamText({
    model,
    prompt,
    tools: { calculator },
    stopWhen: stepCountIs(5),
    onError: ({ error }) => (failure = error),
  });
  let text = "";
  for await (const delta of result.textStream) text += delta;
  if (failure) throw failure;
  return text;
});
