// The official client of OpenAI's API.
import assert from "node:assert/strict";
import OpenAI from "openai";
import { check, eventually, redPixel } from "./house.mjs";

const model = "default/scripted";
const weather = {
  name: "client_weather",
  description: "The weather of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

export default async function openai(house) {
  const client = new OpenAI({ baseURL: `${house.url}/v1`, apiKey: "any", maxRetries: 0 });
  const ask = (text, more = {}) =>
    client.chat.completions.create({ model, messages: [{ role: "user", content: text }], ...more });
  const failure = async (promise) =>
    promise.then(
      (value) => assert.fail(`it went well: ${JSON.stringify(value)}`),
      (error) => error,
    );

  await check("openai, chat completions", {
    "lists agents as models": async () => {
      const ids = (await client.models.list()).data.map((one) => one.id);
      assert.ok(ids.includes("default") && ids.includes(model), ids.join());
      assert.equal((await client.models.retrieve(model)).id, model);
    },
    "answers with text, reasoning and usage": async () => {
      const { choices, usage } = await ask("say hello");
      assert.equal(choices[0].message.content, "Hello, world.");
      assert.equal(choices[0].message.reasoning_content, "A greeting is due.");
      assert.equal(choices[0].finish_reason, "stop");
      assert.ok(usage.total_tokens > 0);
    },
    "streams text and reasoning, with usage where it is asked for": async () => {
      let text = "",
        reasoning = "",
        usage;
      for await (const chunk of await ask("say hello", { stream: true, stream_options: { include_usage: true } })) {
        text += chunk.choices[0]?.delta.content ?? "";
        reasoning += chunk.choices[0]?.delta.reasoning_content ?? "";
        usage = chunk.usage ?? usage;
      }
      assert.deepEqual([text, reasoning], ["Hello, world.", "A greeting is due."]);
      assert.ok(usage.completion_tokens > 0);
    },
    "runs the server's tools and sub-agents": async () => {
      assert.equal((await ask("two sums")).choices[0].message.content, "Let me see.\n\nTwo and four.");
      assert.equal((await ask("ask two agents")).choices[0].message.content, "Both have answered.");
    },
    "takes a picture": async () => {
      const content = [
        { type: "text", text: "what is the red square" },
        { type: "image_url", image_url: { url: redPixel } },
      ];
      const answer = await client.chat.completions.create({ model, messages: [{ role: "user", content }] });
      assert.equal(answer.choices[0].message.content, "I see it.");
      const refused = [{ type: "image_url", image_url: { url: "http://127.0.0.1/x.png" } }];
      assert.equal(
        (await failure(client.chat.completions.create({ model, messages: [{ role: "user", content: refused }] })))
          .status,
        400,
      );
    },
    "has the earlier messages in a hidden conversation": async () => {
      const messages = [
        { role: "system", content: "Be brief." },
        { role: "user", content: "one" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "old", type: "function", function: { name: "client_weather", arguments: '{"city":"Rome"}' } },
          ],
        },
        { role: "tool", tool_call_id: "old", content: "hot" },
        { role: "assistant", content: "two" },
        { role: "user", content: "three" },
      ];
      const answer = await client.chat.completions.create({ model, messages });
      assert.equal(answer.choices[0].message.content, "You said: three");
      const { items } = await house.api.get(`/conversations/${answer.metadata.conversation_id}/messages`);
      assert.deepEqual(
        items.map((one) => one.text),
        ["one", "", "two", "three", "You said: three"],
      );
      assert.deepEqual((await house.api.get("/conversations")).items, []);
    },
    "goes on in a conversation": async () => {
      const conversation = await house.api.conversation();
      const answer = await ask("first", { metadata: { conversation_id: conversation.id } });
      await ask("second", { metadata: { conversation_id: conversation.id } });
      assert.equal(answer.metadata.conversation_id, conversation.id);
      assert.equal((await house.api.get(`/conversations/${conversation.id}/messages`)).items.length, 4);
      await house.api.delete(`/conversations/${conversation.id}`);
    },
    "ends with the calls of the client's tools, and the same run goes on with their results": async () => {
      for (const stream of [false, true]) {
        const tools = [{ type: "function", function: weather }];
        const messages = [{ role: "user", content: "ask my tools" }];
        const asked = stream
          ? await client.chat.completions.stream({ model, messages, tools }).finalChatCompletion()
          : await client.chat.completions.create({ model, messages, tools });
        const { message, finish_reason } = asked.choices[0];
        assert.equal(finish_reason, "tool_calls");
        assert.deepEqual(
          message.tool_calls.map((call) => JSON.parse(call.function.arguments).city),
          ["Paris", "Oslo"],
        );
        const [paris, oslo] = message.tool_calls.map((call, i) => ({
          role: "tool",
          tool_call_id: call.id,
          content: ["sun", "snow"][i],
        }));
        const half = await failure(
          client.chat.completions.create({ model, tools, messages: [...messages, message, paris] }),
        );
        assert.deepEqual([half.status, half.code], [400, "missing_tool_result"]);
        const answer = await client.chat.completions.create({
          model,
          tools,
          messages: [...messages, message, oslo, paris],
        });
        assert.match(answer.choices[0].message.content, /^The tools said: .*42/);
        assert.equal(answer.id, asked.id);
        const again = await failure(
          client.chat.completions.create({ model, tools, messages: [...messages, message, oslo, paris] }),
        );
        assert.deepEqual([again.status, again.code], [400, "unexpected_tool_result"]);
        const run = await house.api.get(`/runs/${answer.id.replace("chatcmpl-", "")}`);
        assert.equal(run.status, "completed");
      }
    },
    "refuses what needs an approval, with a link, and waits where it is told to": async () => {
      const refused = await ask("needs a person");
      assert.match(refused.choices[0].message.refusal, new RegExp(`approval.*${house.url}/c/`));
      const waiting = ask("needs a person", { stream: true });
      const open = ask("needs a person", { metadata: { approval: "wait" } });
      for await (const chunk of await waiting) assert.ok(chunk.choices);
      const conversations = new Set();
      await eventually("three calls that wait", async () => {
        const { items } = await house.api.get("/approvals?status=pending");
        for (const one of items) conversations.add(one.id);
        return items.length === 3;
      });
      for (const id of conversations) await house.api.post(`/approvals/${id}`, { decision: "approve" });
      assert.equal((await open).choices[0].message.content, "It is noon.");
    },
    "tells of errors in OpenAI's form": async () => {
      for (const [body, status, code] of [
        [{ model: "nobody" }, 404, "model_not_found"],
        [{ messages: [] }, 400, "invalid_value"],
        [{ n: 2 }, 400, "invalid_value"],
        [{ messages: [{ role: "king", content: "x" }] }, 400, "invalid_value"],
        [{ messages: [{ role: "tool", tool_call_id: "call_nothing", content: "x" }] }, 400, "unexpected_tool_result"],
        [{ tools: [{ type: "function", function: { name: "not a name" } }] }, 400, "invalid_arguments"],
        [{ messages: [{ role: "user", content: "break down" }] }, 500, "model_invalid_request"],
      ]) {
        const error = await failure(ask("x", body));
        assert.deepEqual([error.status, error.code], [status, code], JSON.stringify([body, error.message]));
        assert.ok(error instanceof OpenAI.APIError && error.message.length > 20);
      }
      assert.equal((await ask("say hello", { a_field_of_next_year: { x: 1 }, seed: 1, user: "me" })).choices.length, 1);
    },
    "stops the run of a client that leaves": async () => {
      const stream = await ask("be patient", { stream: true });
      let run;
      for await (const chunk of stream) {
        run ??= chunk.id.replace("chatcmpl-", "");
        if (chunk.choices[0]?.delta.content) break; // the client cancels the request
      }
      await eventually("the end of the run", async () => (await house.api.get(`/runs/${run}`)).status === "cancelled");
    },
    "answers 64 at once": async () => {
      const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => ask(`number ${i}`)));
      assert.deepEqual(
        answers.map((one) => one.choices[0].message.content),
        answers.map((_, i) => `You said: number ${i}`),
      );
    },
  });

  const respond = (input, more = {}) => client.responses.create({ model, input, ...more });
  await check("openai, responses", {
    "answers with text, reasoning and the server's calls": async () => {
      const answer = await respond("say hello");
      assert.deepEqual([answer.output_text, answer.status], ["Hello, world.", "completed"]);
      // Fields that Open Responses asks for, and that OpenAI's own type leaves open.
      assert.ok(answer.completed_at >= answer.created_at);
      const numbers = [answer.temperature, answer.top_p, answer.presence_penalty, answer.frequency_penalty];
      assert.deepEqual([...numbers, answer.top_logprobs, answer.service_tier], [1, 1, 0, 0, 0, "default"]);
      for (const field of ["max_tool_calls", "safety_identifier", "prompt_cache_key"])
        assert.equal(answer[field], null);
      assert.equal(answer.output[0].summary[0].text, "A greeting is due.");
      const sums = await respond("two sums");
      assert.deepEqual(
        sums.output.map((one) => one.type),
        ["message", "mcp_call", "mcp_call", "message"],
      );
      assert.deepEqual((await client.responses.retrieve(sums.id)).output, sums.output);
    },
    "streams, and resumes a stream that was cut": async () => {
      const events = [];
      for await (const event of await respond("wait at the gate", { stream: true, background: true })) {
        events.push(event);
        if (event.type === "response.output_text.delta") break; // the connection is cut
      }
      await house.model.open("gate");
      const id = events[0].response.id;
      for await (const event of await client.responses.retrieve(id, {
        stream: true,
        starting_after: events.at(-1).sequence_number,
      }))
        events.push(event);
      assert.deepEqual(
        events.map((one) => one.sequence_number),
        events.map((_, i) => i),
      );
      const text = events
        .filter((one) => one.type === "response.output_text.delta")
        .map((one) => one.delta)
        .join("");
      assert.equal(text, "one two three four five six");
      assert.equal(events.at(-1).response.output_text ?? events.at(-1).response.output[0].content[0].text, text);
    },
    "continues behind an earlier response": async () => {
      const first = await respond("first", { instructions: "Be brief." });
      const second = await respond("second", { previous_response_id: first.id });
      assert.equal(second.conversation.id, first.conversation.id);
      const other = await respond("another branch", { previous_response_id: first.id });
      assert.equal(other.output_text, "You said: another branch");
      const branch = await house.api.get(`/conversations/${first.conversation.id.replace("conv_", "")}/messages`);
      assert.deepEqual(
        branch.items.map((one) => one.text),
        ["first", "You said: first", "another branch", "You said: another branch"],
      );
    },
    "hands the client's calls over and takes their results": async () => {
      const tools = [{ type: "function", ...weather, strict: false }];
      const asked = await client.responses.stream({ model, input: "ask my tools", tools }).finalResponse();
      const calls = asked.output.filter((one) => one.type === "function_call");
      assert.deepEqual(
        calls.map((one) => JSON.parse(one.arguments).city),
        ["Paris", "Oslo"],
      );
      const results = calls.map((call) => ({ type: "function_call_output", call_id: call.call_id, output: "rain" }));
      const answer = await respond(results, { previous_response_id: asked.id, tools });
      assert.match(answer.output_text, /^The tools said/);
    },
    "asks for an approval and takes the decision": async () => {
      const asked = await respond("needs a person");
      const request = asked.output.find((one) => one.type === "mcp_approval_request");
      assert.equal(request.name, "get_current_time");
      const answer = await respond(
        [{ type: "mcp_approval_response", approval_request_id: request.id, approve: true }],
        { previous_response_id: asked.id },
      );
      assert.equal(answer.output_text, "It is noon.");
    },
    "runs in the background, and is cancelled": async () => {
      const begun = await respond("be patient", { background: true });
      assert.equal(begun.status, "queued");
      assert.equal((await client.responses.cancel(begun.id)).status, "cancelled");
      assert.equal((await failure(client.responses.retrieve("resp_nothing"))).status, 404);
    },
    "a stream that is cut leaves the run unharmed": async () => {
      let id;
      for await (const event of await respond("say hello", { stream: true })) {
        id = event.response?.id;
        break;
      }
      await eventually("the end of the run", async () => (await client.responses.retrieve(id)).status === "completed");
    },
  });

  await check("openai, after kill -9", {
    "a response goes on where it was": async () => {
      const begun = await respond("two sums", { background: true });
      await house.kill();
      await house.restart();
      const answer = await eventually("the end of the run", async () => {
        const now = await client.responses.retrieve(begun.id);
        return now.status === "completed" && now;
      });
      assert.ok(answer.output_text.endsWith("Two and four."));
    },
    "a call of the client's tool still waits": async () => {
      const tools = [{ type: "function", function: weather }];
      const asked = await ask("ask my tools", { tools });
      await house.kill();
      await house.restart();
      const { message } = asked.choices[0];
      const results = message.tool_calls.map((call) => ({ role: "tool", tool_call_id: call.id, content: "sun" }));
      const answer = await client.chat.completions.create({
        model,
        tools,
        messages: [{ role: "user", content: "ask my tools" }, message, ...results],
      });
      assert.match(answer.choices[0].message.content, /^The tools said/);
    },
  });
}
