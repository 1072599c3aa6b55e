// The official client of A2A.
import assert from "node:assert/strict";
import { Role, TaskState } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { check, eventually, redPixel } from "./house.mjs";

export default async function a2a(house) {
  const client = await new ClientFactory().createFromUrl(house.url);
  let made = 0;
  const textPart = (value) => ({ content: { $case: "text", value }, metadata: undefined, filename: "", mediaType: "" });
  const dataPart = (value) => ({ ...textPart(""), content: { $case: "data", value } });
  const message = (parts, more = {}, metadata = { model: "scripted" }) => ({
    tenant: "",
    configuration: undefined,
    metadata,
    message: {
      messageId: `m${made++}`,
      contextId: "",
      taskId: "",
      role: Role.ROLE_USER,
      parts: typeof parts === "string" ? [textPart(parts)] : parts,
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
  });
  const task = (id) => ({ tenant: "", id, historyLength: undefined });
  const send = (...given) => client.sendMessage(message(...given));
  const textOf = (one) =>
    one.artifacts.map((artifact) => artifact.parts.map((p) => p.content.value).join("")).join("|");
  /** Reads a stream to its end: its events, and the artifacts that they make. */
  const read = async (stream, each = () => {}) => {
    const events = [],
      artifacts = new Map();
    for await (const { payload } of stream) {
      events.push(payload);
      if (payload.$case === "artifactUpdate") {
        const { artifact, append } = payload.value;
        const before = append ? artifacts.get(artifact.artifactId) : "";
        artifacts.set(artifact.artifactId, before + artifact.parts.map((p) => p.content.value).join(""));
      }
      if (each(payload) === false) break;
    }
    const last = events.at(-1).value.status?.state;
    return { events, text: [...artifacts.values()].join("|"), last, id: events[0].value.id };
  };
  const stream = (words, each) => read(client.sendMessageStream(message(words)), each);

  await check("A2A", {
    "shows its card, with the agents as skills": async () => {
      const card = await (await fetch(`${house.url}/.well-known/agent-card.json`)).json();
      assert.equal(card.supportedInterfaces[0].url, `${house.url}/a2a`);
      assert.ok(card.skills.some((one) => one.id === "default"));
      const one = await (await fetch(`${house.url}/a2a/default/.well-known/agent-card.json`)).json();
      assert.equal(one.supportedInterfaces[0].url, `${house.url}/a2a/default`);
      assert.equal((await fetch(`${house.url}/a2a/nobody/.well-known/agent-card.json`)).status, 404);
    },
    "answers a message with a task": async () => {
      const done = await send("say hello");
      assert.equal(done.status.state, TaskState.TASK_STATE_COMPLETED);
      assert.equal(textOf(done), "Hello, world.");
      assert.equal(done.history[0].parts[0].content.value, "say hello");
      assert.deepEqual((await client.getTask(task(done.id))).artifacts, done.artifacts);
    },
    "goes on in a context": async () => {
      const first = await send("first");
      const second = await send("second", { contextId: first.contextId });
      assert.equal(second.contextId, first.contextId);
      assert.notEqual(second.id, first.id);
      assert.equal((await house.api.get(`/conversations/${first.contextId}/messages`)).items.length, 4);
    },
    "streams text, calls and sub-agents": async () => {
      const sums = await stream("two sums");
      assert.equal(sums.text, "Let me see.|Two and four.");
      assert.equal(sums.last, TaskState.TASK_STATE_COMPLETED);
      const told = ({ events }) =>
        events
          .filter((one) => one.$case === "statusUpdate" && one.value.status.message)
          .map((one) => one.value.status.message.parts[0].content.value);
      assert.equal(told(sums).filter((one) => one.endsWith("calls calculator")).length, 2);
      const agents = await stream("ask two agents");
      assert.ok(
        told(agents).some((one) => one.includes("north")),
        told(agents).join(),
      );
      assert.equal(agents.text, "Both have answered.");
    },
    "takes a picture": async () => {
      const value = Buffer.from(redPixel.split(",")[1], "base64");
      const raw = { ...textPart(""), content: { $case: "raw", value }, mediaType: "image/png", filename: "red.png" };
      assert.equal(textOf(await send([textPart("what is the red square"), raw])), "I see it.");
      const url = { ...textPart(""), content: { $case: "url", value: "http://127.0.0.1/x.png" } };
      await assert.rejects(send([url]), /addresses are not fetched/);
    },
    "asks for an approval, and goes on as the person decides": async () => {
      for (const approved of [true, false]) {
        const asked = await send("needs a person");
        assert.equal(asked.status.state, TaskState.TASK_STATE_INPUT_REQUIRED);
        assert.equal(asked.status.message.parts[0].content.value.tool, "get_current_time");
        await assert.rejects(send("approve", { taskId: asked.id }), /data part/);
        const done = await send([dataPart({ approved })], { taskId: asked.id });
        assert.equal(done.status.state, TaskState.TASK_STATE_COMPLETED);
        assert.equal(textOf(done), "It is noon.");
        const approvals = (await house.api.get(`/approvals?conversation_id=${done.contextId}`)).items;
        assert.equal(approvals[0].status, approved ? "approved" : "denied");
        await assert.rejects(send([dataPart({ approved })], { taskId: asked.id }), /has ended/);
      }
    },
    "lists tasks in pages": async () => {
      const list = (more) =>
        client.listTasks({
          tenant: "",
          contextId: "",
          status: 0,
          pageToken: "",
          statusTimestampAfter: undefined,
          ...more,
        });
      const first = await send("say hello");
      const { contextId } = first;
      const second = await send("two sums", { contextId });
      const page = await list({ contextId, pageSize: 1 });
      assert.deepEqual([page.tasks.map((one) => one.id), page.totalSize], [[second.id], 2]);
      const rest = await list({ contextId, pageToken: page.nextPageToken, includeArtifacts: true, historyLength: 0 });
      assert.deepEqual([rest.tasks[0].id, rest.nextPageToken, rest.tasks[0].history], [first.id, "", []]);
      assert.equal(textOf(rest.tasks[0]), "Hello, world.");
      assert.equal((await list({ contextId, status: TaskState.TASK_STATE_WORKING })).totalSize, 0);
      assert.equal((await list({ contextId, status: TaskState.TASK_STATE_COMPLETED })).totalSize, 2);
      await assert.rejects(list({ pageSize: 101 }), /from 1 to 100/);
      await assert.rejects(list({ pageToken: "nonsense" }), /cursor/);
      await assert.rejects(list({ historyLength: -1 }), /must not be negative/);
    },
    "takes a message into a task at work": async () => {
      const going = client.sendMessageStream(message("wait for a word"));
      const { value: first } = await going.next();
      const { id: taskId } = first.payload.value;
      const file = { ...textPart(""), content: { $case: "raw", value: Buffer.from("x") } };
      await assert.rejects(send([file], { taskId }), /takes text alone/);
      const steered = send("and say more", { taskId });
      await eventually("the message", async () => (await client.getTask(task(taskId))).history.length === 2);
      await house.model.open("word");
      const done = await steered;
      assert.equal(textOf(done), "one two three four five six|You said: and say more");
      assert.deepEqual(
        done.history.map((one) => one.parts[0].content.value),
        ["wait for a word", "and say more"],
      );
      assert.equal((await client.getTask({ ...task(taskId), historyLength: 1 })).history.length, 1);
    },
    "tells of errors": async () => {
      const failed = await send("break down");
      assert.equal(failed.status.state, TaskState.TASK_STATE_FAILED);
      assert.match(failed.status.message.parts[0].content.value, /^model_invalid_request: /);
      const failure = (promise) => promise.then(assert.fail, (error) => error);
      assert.equal((await failure(client.getTask(task("nothing")))).name, "TaskNotFoundError");
      assert.equal((await failure(client.cancelTask(task(failed.id)))).name, "TaskNotCancelableError");
      assert.match((await failure(send("x", { contextId: "nothing" }))).message, /there is no context/);
      assert.match((await failure(send("x", {}, { agent: "nobody" }))).message, /there is no agent/);
      assert.match((await failure(send("x", {}, { model: "nothing" }))).message, /nothing/);
      const post = async (body, headers = {}) => {
        const answer = await fetch(`${house.url}/a2a`, {
          method: "POST",
          headers: { "Content-Type": "application/json", ...headers },
          body: typeof body === "string" ? body : JSON.stringify(body),
        });
        return (await answer.json()).error.code;
      };
      const call = { jsonrpc: "2.0", id: 1 };
      assert.equal(await post("nonsense"), -32700);
      assert.equal(await post({ id: 1 }), -32600);
      assert.equal(await post({ ...call, method: "Nothing" }), -32601);
      assert.equal(await post({ ...call, method: "SendMessage" }), -32602);
      assert.equal(await post({ ...call, method: "SendMessage", params: { message: 7 } }), -32602);
      assert.equal(await post({ ...call, id: {}, method: "SendMessage" }), -32600);
      const nameless = { message: { role: "ROLE_USER", parts: [{ text: "x" }] } };
      assert.equal(await post({ ...call, method: "SendMessage", params: nameless }), -32602);
      assert.equal(await post({ ...call, method: "GetTask", params: {} }, { "A2A-Version": "0.3" }), -32009);
      assert.equal(await post({ ...call, method: "CreateTaskPushNotificationConfig", params: {} }), -32003);
    },
    "stops a task": async () => {
      const going = client.sendMessageStream(message("be patient"));
      const { value: first } = await going.next();
      const stopped = await client.cancelTask(task(first.payload.value.id));
      assert.equal(stopped.status.state, TaskState.TASK_STATE_CANCELED);
      assert.equal((await read(going)).last, TaskState.TASK_STATE_CANCELED);
    },
    "resumes a stream that was cut": async () => {
      const { id } = await stream("wait at the gate", (one) => one.$case !== "artifactUpdate");
      const again = read(client.resubscribeTask(task(id)), (one) => {
        if (one.$case === "artifactUpdate") house.model.open("gate");
      });
      assert.equal((await again).text, "one two three four five six");
      await assert.rejects(read(client.resubscribeTask(task(id))), /has ended/);
    },
    "answers 64 at once": async () => {
      const done = await Promise.all(Array.from({ length: 64 }, (_, i) => send(`number ${i}`)));
      assert.deepEqual(
        done.map(textOf),
        done.map((_, i) => `You said: number ${i}`),
      );
    },
  });

  await check("A2A, after kill -9", {
    "a task still waits, and another one goes on": async () => {
      const asked = await send("needs a person");
      const going = await client.sendMessage({
        ...message("two sums"),
        configuration: { acceptedOutputModes: [], taskPushNotificationConfig: undefined, returnImmediately: true },
      });
      await house.kill();
      await house.restart();
      const done = await send([dataPart({ approved: true })], { taskId: asked.id });
      assert.equal(textOf(done), "It is noon.");
      const other = await eventually("the end of the task", async () => {
        const now = await client.getTask(task(going.id));
        return now.status.state === TaskState.TASK_STATE_COMPLETED && now;
      });
      assert.ok(textOf(other).endsWith("Two and four."));
    },
  });
}
