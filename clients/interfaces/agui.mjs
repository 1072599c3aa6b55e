// The official client of AG-UI. It checks the order of all events by itself.
import assert from "node:assert/strict";
import { HttpAgent } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import { check, eventually, redPixel } from "./house.mjs";

export default async function agui(house) {
  const url = `${house.url}/ag-ui/default`;
  let made = 0;
  const newAgent = (more = {}) => new HttpAgent({ url, threadId: `thread-${made++}`, ...more });
  const model = { forwardedProps: { model: "scripted" } };
  /** Runs the agent, and returns its events. */
  const run = async (agent, more = {}) => {
    const events = [];
    const done = await agent.runAgent(
      { ...model, ...more },
      { onEvent: ({ event }) => void events.push(structuredClone(event)) },
    );
    return { events, ...done };
  };
  const say = (agent, content) => agent.addMessage({ id: `user-${made++}`, role: "user", content });
  const asked = async (words, more, agent = newAgent()) => {
    say(agent, words);
    return { agent, ...(await run(agent, more)) };
  };
  const all = (events, type) => events.filter((one) => one.type === type);
  const text = (agent, from = "") =>
    agent.messages
      .filter((one) => one.role === "assistant" && one.content && (one.subagentRunId ?? "") === from)
      .map((one) => one.content)
      .join("|");
  const outcome = ({ events }) => events.at(-1).outcome;
  const answerAll = (agent, approved) =>
    agent.pendingInterrupts.map((one) => ({ interruptId: one.id, status: "resolved", payload: { approved } }));

  await check("AG-UI", {
    "streams text and reasoning in a step, with the state": async () => {
      const { agent, events } = await asked("say hello");
      assert.equal(text(agent), "Hello, world.");
      assert.equal(agent.messages.find((one) => one.role === "reasoning").content, "A greeting is due.");
      assert.equal(all(events, "STEP_STARTED").length, 1);
      assert.equal(agent.state.nanoclaw.status, "completed");
      assert.equal((await house.api.get(`/runs/${agent.state.nanoclaw.runId}`)).status, "completed");
      assert.ok(events.at(-1).usage[0].totalTokens > 0);
    },
    "sends events that the protocol's schemas know": async () => {
      const types = new Set();
      for (const [i, words] of ["say hello", "two sums", "ask two agents", "needs a person", "break down"].entries()) {
        const messages = [{ id: "1", role: "user", content: words }];
        const answer = await fetch(url, {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
          body: JSON.stringify({ threadId: `wire-${i}`, runId: `run-${i}`, messages, ...model }),
        });
        for (const line of (await answer.text()).split("\n").filter((one) => one.startsWith("data:"))) {
          const event = JSON.parse(line.slice(5));
          const { success, error } = EventSchemas.safeParse(event);
          assert.ok(success, `${line}: ${error}`);
          types.add(event.type);
        }
      }
      for (const type of ["REASONING_MESSAGE_CONTENT", "TOOL_CALL_RESULT", "SUBAGENT_FINISHED", "RUN_ERROR"])
        assert.ok(types.has(type), [...types].join());
    },
    "keeps the client's own state": async () => {
      const agent = newAgent({ initialState: { mine: 7 } });
      await asked("say hello", {}, agent);
      assert.equal(agent.state.mine, 7);
    },
    "shows parallel calls and their results": async () => {
      const { agent } = await asked("two sums");
      assert.equal(text(agent), "Let me see.|Two and four.");
      const calls = agent.messages.flatMap((one) => one.toolCalls ?? []);
      assert.deepEqual(
        calls.map((one) => JSON.parse(one.function.arguments).expression),
        ["1+1", "2+2"],
      );
      const results = agent.messages.filter((one) => one.role === "tool");
      assert.deepEqual(results.map((one) => one.toolCallId).sort(), calls.map((one) => one.id).sort());
    },
    "shows sub-agents with what they say": async () => {
      const { agent, events } = await asked("ask two agents");
      const started = all(events, "SUBAGENT_STARTED");
      assert.deepEqual(started.map((one) => one.name).sort(), ["north", "south"]);
      const [north] = started.filter((one) => one.name === "north");
      assert.equal(text(agent, north.subagentRunId), "cold");
      assert.deepEqual(
        all(events, "SUBAGENT_FINISHED")
          .map((one) => one.result)
          .sort(),
        ["cold", "warm"],
      );
      assert.equal(text(agent), "Both have answered.");
    },
    "takes a picture": async () => {
      const source = { type: "data", mimeType: "image/png", value: redPixel.split(",")[1] };
      const { agent } = await asked([
        { type: "text", text: "what is the red square" },
        { type: "image", source },
      ]);
      assert.equal(text(agent), "I see it.");
      const far = { type: "image", source: { type: "url", value: "http://127.0.0.1/x.png" } };
      await assert.rejects(asked([far]), /addresses are not fetched/);
    },
    "goes on in the thread": async () => {
      const { agent } = await asked("first");
      const { conversationId } = agent.state.nanoclaw;
      await asked("second", {}, agent);
      assert.equal(agent.state.nanoclaw.conversationId, conversationId);
      assert.equal((await house.api.get(`/conversations/${conversationId}/messages`)).items.length, 4);
    },
    "interrupts for an approval, and goes on as the person decides": async () => {
      for (const approved of [true, false]) {
        const { agent, ...first } = await asked("needs a person");
        assert.equal(outcome(first).type, "interrupt");
        assert.equal(agent.pendingInterrupts[0].metadata.tool, "get_current_time");
        const second = await run(agent, { resume: answerAll(agent, approved) });
        assert.equal(outcome(second).type, "success");
        assert.equal(text(agent), "It is noon.");
        const result = agent.messages.find((one) => one.role === "tool");
        assert.equal(JSON.parse(result.content).success, approved);
        assert.equal(agent.messages.flatMap((one) => one.toolCalls ?? []).length, 1);
      }
    },
    "interrupts for an approval in a sub-agent": async () => {
      const { agent, ...first } = await asked("let an agent ask");
      const [interrupt] = agent.pendingInterrupts;
      assert.equal(interrupt.subagentRunId, all(first.events, "SUBAGENT_STARTED")[0].subagentRunId);
      assert.deepEqual(all(first.events, "SUBAGENT_FINISHED")[0].outcome, {
        type: "suspended",
        interruptIds: [interrupt.id],
      });
      await run(agent, { resume: answerAll(agent, true) });
      assert.equal(text(agent), "The agent has asked.");
    },
    "calls the client's own tools": async () => {
      const parameters = { type: "object", properties: { city: { type: "string" } } };
      const tools = [{ name: "client_weather", description: "The weather.", parameters }];
      const { agent, ...first } = await asked("ask my tools", { tools });
      const pending = outcome(first).pendingToolCallIds;
      assert.equal(pending.length, 2);
      for (const id of pending)
        agent.addMessage({ id: `result-${id}`, role: "tool", toolCallId: id, content: "clear" });
      await run(agent, { tools });
      assert.match(text(agent), /^The tools said: .*42/);
    },
    "tells of errors": async () => {
      const { events } = await asked("break down").catch((error) => ({ events: [{ message: String(error) }] }));
      assert.match(JSON.stringify(events), /refuses|model_invalid_request/);
      const post = (body, where = url) =>
        fetch(where, { method: "POST", headers: { "Content-Type": "application/json" }, body }).then(async (answer) => [
          answer.status,
          (await answer.json()).code,
        ]);
      const message = (role, more) => ({ id: "1", role, content: "x", ...more });
      const input = (...messages) => JSON.stringify({ threadId: "t", runId: "r", messages });
      assert.deepEqual(await post("nonsense"), [400, "invalid_json"]);
      assert.deepEqual(await post("{}"), [400, "invalid_value"]);
      assert.deepEqual(await post(input()), [400, "invalid_value"]);
      assert.deepEqual(await post(input(message("king"))), [400, "invalid_value"]);
      assert.deepEqual(await post(input(message("user")), `${house.url}/ag-ui/nobody`), [404, "unknown_agent"]);
      const lost = message("tool", { toolCallId: "none" });
      assert.deepEqual(await post(input(lost)), [400, "unexpected_tool_result"]);
      const { agent } = await asked("say hello");
      const known = JSON.stringify({ threadId: agent.threadId, runId: "r", messages: [lost] });
      assert.deepEqual(await post(known), [400, "unexpected_tool_result"]);
    },
    "stops a run": async () => {
      const agent = newAgent();
      const going = asked("be patient", {}, agent);
      await eventually("the first words", () => text(agent));
      assert.equal((await fetch(`${url}/${agent.threadId}`, { method: "DELETE" })).status, 204);
      assert.equal(outcome(await going).type, "cancelled");
    },
    "joins a run again whose stream was cut": async () => {
      const agent = newAgent();
      const going = asked("wait at the gate", {}, agent).catch(() => {});
      await eventually("the first words", () => text(agent));
      agent.abortRun();
      await going;
      const joined = run(agent);
      await house.model.open("gate");
      await joined;
      assert.equal(text(agent), "one two three four five six");
      assert.equal(agent.messages.filter((one) => one.role === "user").length, 1);
    },
    "answers 64 at once": async () => {
      const done = await Promise.all(Array.from({ length: 64 }, (_, i) => asked(`number ${i}`)));
      assert.deepEqual(
        done.map(({ agent }) => text(agent)),
        done.map((_, i) => `You said: number ${i}`),
      );
    },
  });

  await check("AG-UI, after kill -9", {
    "an interrupt still waits, and a run is joined again": async () => {
      const { agent } = await asked("needs a person");
      const cut = newAgent();
      const going = asked("two sums", {}, cut).catch(() => {});
      await eventually("the run", () => cut.state.nanoclaw);
      cut.abortRun(); // the client throws unhandled errors where the server cuts it
      await going;
      await house.kill();
      await house.restart();
      await run(agent, { resume: answerAll(agent, true) });
      assert.equal(text(agent), "It is noon.");
      await run(cut);
      assert.match(text(cut), /Two and four\.$/);
    },
  });
}
