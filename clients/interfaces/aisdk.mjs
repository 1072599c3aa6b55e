// The AI SDK: useChat's chat without React around it, and its OpenAI-compatible provider.
import assert from "node:assert/strict";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Chat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  generateText,
  jsonSchema,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  stepCountIs,
  streamText,
  tool,
} from "ai";
import { check, eventually, redPixel } from "./house.mjs";

export default async function aisdk(house) {
  const api = `${house.url}/api/v1/ai-sdk/chat`;
  let made = 0;
  const newChat = (more = {}, body = {}) =>
    new Chat({
      id: `chat-${made++}-${house.url}`,
      transport: new DefaultChatTransport({ api, body: { model: "scripted", ...body } }),
      sendAutomaticallyWhen: (all) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(all) || lastAssistantMessageIsCompleteWithToolCalls(all),
      ...more,
    });
  const kinds = (chat) => chat.lastMessage.parts.map((one) => one.type);
  const text = (chat) =>
    chat.lastMessage.parts
      .filter((one) => one.type === "text")
      .map((one) => one.text)
      .join("|");
  const calls = (chat) => chat.lastMessage.parts.filter((one) => one.type === "dynamic-tool");
  const runOf = (chat) => chat.lastMessage.metadata.runId;
  const asked = async (words, ...more) => {
    const chat = newChat(...more);
    await chat.sendMessage({ text: words });
    return chat;
  };
  const calm = (chat) => eventually("the end of the answer", () => chat.status === "ready" || chat.status === "error");

  await check("AI SDK, useChat", {
    "shows text and reasoning": async () => {
      const chat = await asked("say hello");
      assert.equal(chat.error, undefined);
      assert.deepEqual(kinds(chat), ["step-start", "reasoning", "text"]);
      assert.deepEqual([text(chat), chat.lastMessage.parts[1].text], ["Hello, world.", "A greeting is due."]);
      assert.ok(chat.lastMessage.parts.every((one) => one.state === undefined || one.state === "done"));
    },
    "shows parallel calls and their results": async () => {
      const chat = await asked("two sums");
      assert.equal(text(chat), "Let me see.|Two and four.");
      assert.deepEqual(
        calls(chat).map((one) => [one.toolName, one.input.expression, one.state, one.output.success]),
        [
          ["calculator", "1+1", "output-available", true],
          ["calculator", "2+2", "output-available", true],
        ],
      );
    },
    "shows sub-agents": async () => {
      const chat = await asked("ask two agents");
      const agents = chat.lastMessage.parts.filter((one) => one.type === "data-agent").map((one) => one.data);
      assert.deepEqual(agents.map((one) => `${one.name}: ${one.response}`).sort(), ["north: cold", "south: warm"]);
      assert.equal(text(chat), "Both have answered.");
    },
    "sends a picture": async () => {
      const chat = newChat();
      await chat.sendMessage({
        text: "what is the red square",
        files: [{ type: "file", mediaType: "image/png", filename: "red.png", url: redPixel }],
      });
      assert.equal(text(chat), "I see it.");
      await chat.sendMessage({ text: "x", files: [{ type: "file", mediaType: "image/png", url: "http://127.0.0.1/" }] });
      assert.match(chat.error.message, /invalid_value.*addresses are not fetched/);
    },
    "goes on in the same conversation, and answers again": async () => {
      const chat = await asked("first");
      const { conversationId } = chat.lastMessage.metadata;
      await chat.sendMessage({ text: "second" });
      assert.equal(chat.lastMessage.metadata.conversationId, conversationId);
      await chat.regenerate();
      assert.equal(chat.messages.length, 4);
      const { items } = await house.api.get(`/conversations/${conversationId}/messages?branch=all`);
      assert.equal(items.length, 5);
      await chat.sendMessage({ text: "other words", messageId: chat.messages[2].id });
      assert.equal(text(chat), "You said: other words");
      const active = await house.api.get(`/conversations/${conversationId}/messages`);
      assert.deepEqual(
        active.items.map((one) => one.text),
        ["first", "You said: first", "other words", "You said: other words"],
      );
    },
    "asks for an approval, and goes on as the person decides": async () => {
      for (const approved of [true, false]) {
        const chat = await asked("needs a person");
        const [call] = calls(chat);
        assert.equal(call.state, "approval-requested");
        await chat.addToolApprovalResponse({ id: call.approval.id, approved, reason: "because" });
        await eventually("the answer", () => chat.status === "ready" && text(chat) === "It is noon.");
        assert.equal(calls(chat)[0].state, approved ? "output-available" : "output-denied");
        assert.equal(chat.messages.length, 2);
        assert.equal(chat.error, undefined);
      }
    },
    "asks for an approval of a sub-agent's call": async () => {
      const chat = await asked("let an agent ask");
      const call = calls(chat).at(-1);
      assert.deepEqual([call.toolName, call.state], ["get_current_time", "approval-requested"]);
      await chat.addToolApprovalResponse({ id: call.approval.id, approved: true });
      await eventually("the answer", () => chat.status === "ready" && text(chat) === "The agent has asked.");
      assert.ok(calls(chat).every((one) => one.state === "output-available"));
    },
    "calls the client's own tools": async () => {
      const tools = [
        { name: "client_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
      ];
      const results = [];
      const chat = await asked(
        "ask my tools",
        {
          onToolCall: ({ toolCall }) => {
            if (toolCall.toolName === "client_weather") results.push(toolCall);
          },
        },
        { tools },
      );
      assert.deepEqual(
        results.map((one) => one.input.city),
        ["Paris", "Oslo"],
      );
      for (const { toolCallId } of results)
        await chat.addToolOutput({ tool: "client_weather", toolCallId, output: { sky: "clear" } });
      await eventually("the answer", () => chat.status === "ready" && /^The tools said: .*42/.test(text(chat)));
    },
    "tells of errors": async () => {
      assert.match((await asked("break down")).error.message, /^model_invalid_request: /);
      assert.match((await asked("x", {}, { model: "nothing" })).error.message, /^unknown_model: /);
      const ask = (body) =>
        fetch(api, { method: "POST", headers: { "Content-Type": "application/json" }, body }).then(async (answer) => [
          answer.status,
          (await answer.text()).split(":")[0],
        ]);
      assert.deepEqual(await ask("nonsense"), [400, "invalid_json"]);
      assert.deepEqual(await ask('{"id": 7}'), [400, "invalid_value"]);
      assert.deepEqual(await ask('{"id": "a", "messages": []}'), [400, "invalid_value"]);
      const result = { type: "dynamic-tool", toolCallId: "none", toolName: "x", state: "output-available", output: 1 };
      const messages = [{ id: "1", role: "assistant", parts: [result] }];
      assert.deepEqual(await ask(JSON.stringify({ id: "a", messages })), [400, "unexpected_tool_result"]);
      const { conversationId } = (await asked("say hello")).lastMessage.metadata;
      assert.deepEqual(await ask(JSON.stringify({ id: conversationId, messages })), [400, "unexpected_tool_result"]);
      assert.equal((await ask(`{"x": "${"y".repeat(120 << 20)}"}`).catch(() => [413]))[0], 413);
    },
    "stops a run": async () => {
      const chat = newChat();
      const sent = chat.sendMessage({ text: "be patient" });
      await eventually("the first words", () => chat.lastMessage?.role === "assistant" && text(chat));
      assert.equal((await fetch(`${api}/${encodeURIComponent(chat.id)}/stream`, { method: "DELETE" })).status, 204);
      await sent;
      assert.equal((await house.api.get(`/runs/${runOf(chat)}`)).status, "cancelled");
      assert.equal((await fetch(`${api}/${encodeURIComponent(chat.id)}/stream`)).status, 204);
    },
    "resumes an answer that was cut": async () => {
      const chat = newChat();
      const sent = chat.sendMessage({ text: "wait at the gate" });
      await eventually("the first words", () => chat.lastMessage?.role === "assistant" && text(chat));
      await chat.stop(); // the request is cut; the run goes on
      await sent;
      const resumed = chat.resumeStream();
      await eventually("the answer again", () => chat.status === "streaming");
      await house.model.open("gate");
      await resumed;
      assert.equal(chat.messages.length, 2);
      assert.equal(text(chat), "one two three four five six");
    },
    "answers 64 at once": async () => {
      const chats = await Promise.all(Array.from({ length: 64 }, (_, i) => asked(`number ${i}`)));
      assert.deepEqual(
        chats.map(text),
        chats.map((_, i) => `You said: number ${i}`),
      );
    },
  });

  const model = createOpenAICompatible({ name: "nanoclaw", baseURL: `${house.url}/v1`, includeUsage: true })(
    "default/scripted",
  );
  const quiet = { model, maxRetries: 0 };
  await check("AI SDK, the OpenAI-compatible provider", {
    "generates text with reasoning and usage": async () => {
      const { text, reasoningText, usage } = await generateText({ ...quiet, prompt: "say hello" });
      assert.deepEqual([text, reasoningText], ["Hello, world.", "A greeting is due."]);
      assert.ok(usage.totalTokens > 0);
    },
    "streams text": async () => {
      const answer = streamText({ ...quiet, prompt: "two sums" });
      assert.equal(await answer.text, "Let me see.\n\nTwo and four.");
      assert.ok((await answer.usage).outputTokens > 0);
    },
    "calls the client's own tools": async () => {
      const inputSchema = jsonSchema({ type: "object", properties: { city: { type: "string" } }, required: ["city"] });
      const cities = [];
      const client_weather = tool({ inputSchema, execute: ({ city }) => (cities.push(city), "clear") });
      const { text } = await generateText({
        ...quiet,
        prompt: "ask my tools",
        tools: { client_weather },
        stopWhen: stepCountIs(3),
      });
      assert.deepEqual(cities, ["Paris", "Oslo"]);
      assert.match(text, /^The tools said: .*42/);
    },
    "sends a picture": async () => {
      const content = [
        { type: "text", text: "what is the red square" },
        { type: "image", image: redPixel },
      ];
      const { text } = await generateText({ ...quiet, messages: [{ role: "user", content }] });
      assert.equal(text, "I see it.");
    },
    "tells of errors": async () => {
      await assert.rejects(generateText({ ...quiet, prompt: "break down" }), (error) => {
        assert.equal(error.statusCode, 500);
        return /refuses/.test(error.message);
      });
    },
    "answers 64 at once": async () => {
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, i) => generateText({ ...quiet, prompt: `number ${i}` })),
      );
      assert.deepEqual(
        answers.map((one) => one.text),
        answers.map((_, i) => `You said: number ${i}`),
      );
    },
  });

  await check("AI SDK, after kill -9", {
    "an answer is resumed": async () => {
      const chat = newChat();
      const sent = chat.sendMessage({ text: "be patient" });
      await eventually("the first words", () => chat.lastMessage?.role === "assistant" && text(chat));
      await house.kill();
      await sent;
      await house.restart();
      const resumed = chat.resumeStream();
      await eventually("the words again", () => chat.status === "streaming" && text(chat) === "begun ");
      assert.equal((await fetch(`${api}/${encodeURIComponent(chat.id)}/stream`, { method: "DELETE" })).status, 204);
      await resumed;
    },
    "an approval still waits": async () => {
      const chat = await asked("needs a person");
      await house.kill();
      await house.restart();
      await chat.addToolApprovalResponse({ id: calls(chat)[0].approval.id, approved: true });
      await calm(chat);
      await eventually("the answer", () => chat.status === "ready" && text(chat) === "It is noon.");
    },
  });
}
