// The official client of the Agent Client Protocol, as an editor that starts nanoclaw acp.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import Ajv from "ajv/dist/2020.js";
import { binary } from "../../web/test/e2e/server.mjs";
import { check, eventually, redPixel } from "./house.mjs";

/** What the server's configuration has beyond that of the others. */
export const config = `project_roots: [${tmpdir()}]\n`;

const schemas = new Ajv({ strict: false, validateFormats: false });
schemas.addSchema(
  JSON.parse(readFileSync(new URL(import.meta.resolve("@agentclientprotocol/sdk/schema/v1/schema.json")))),
  "acp",
);

/** The schema of what the server sends, by the method of a notification, a request, or an answer. */
const schemaOf = {
  "session/update": "SessionNotification",
  "session/request_permission": "RequestPermissionRequest",
  "$/cancel_request": "CancelRequestNotification",
  "answer to initialize": "InitializeResponse",
  "answer to session/new": "NewSessionResponse",
  "answer to session/load": "LoadSessionResponse",
  "answer to session/prompt": "PromptResponse",
};

/** How many messages of each kind were checked. */
const checked = {};

/** A stream of messages, with each that the server sends checked by the protocol's schema. */
function valid({ readable, writable }) {
  const asked = new Map();
  const outgoing = new TransformStream({
    transform(message, to) {
      if (message.method && message.id !== undefined) asked.set(message.id, message.method);
      to.enqueue(message);
    },
  });
  outgoing.readable.pipeTo(writable).catch(() => {}); // the program has ended
  const incoming = new TransformStream({
    transform(message, to) {
      const kind = message.method ?? (message.error ? "error" : `answer to ${asked.get(message.id)}`);
      const schema = message.error ? "Error" : schemaOf[kind];
      const check = schemas.getSchema(`acp#/$defs/${schema}`);
      const body = message.params ?? message.error ?? message.result;
      if (!check?.(body)) throw new Error(`${kind}: ${JSON.stringify(check?.errors)}: ${JSON.stringify(body)}`);
      checked[kind] = (checked[kind] ?? 0) + 1;
      to.enqueue(message);
    },
  });
  return { readable: readable.pipeThrough(incoming), writable: outgoing.writable };
}

/** An editor with a program of its own; decide answers the questions for permissions. */
export async function openEditor(house, decide, updated = () => {}) {
  const program = spawn(binary, ["acp", "--config", house.config, "--model", "scripted"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => program.on("exit", resolve));
  const updates = new Map();
  const of = (session) => updates.get(session) ?? updates.set(session, []).get(session);
  const { agent } = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }) => {
      of(params.sessionId).push(params.update);
      updated();
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => ({ outcome: await decide(params) }))
    .connect(valid(ndJsonStream(Writable.toWeb(program.stdin), Readable.toWeb(program.stdout))));
  const on = methods.agent;
  const connection = {
    newSession: (params) => agent.request(on.session.new, params),
    loadSession: (params) => agent.request(on.session.load, params),
    prompt: (params) => agent.request(on.session.prompt, params),
    cancel: (params) => agent.notify(on.session.cancel, params),
  };
  const hello = await agent.request(on.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const text = (session, kind = "agent_message_chunk") =>
    of(session)
      .filter((one) => one.sessionUpdate === kind)
      .map((one) => one.content.text)
      .join("");
  return {
    pid: program.pid,
    connection,
    hello,
    text,
    updates: of,
    calls: (session) => of(session).filter((one) => one.sessionUpdate === "tool_call"),
    results: (session) => of(session).filter((one) => one.sessionUpdate === "tool_call_update"),
    prompt: (sessionId, words, more = []) =>
      connection.prompt({ sessionId, prompt: [{ type: "text", text: words }, ...more] }),
    close: async () => {
      program.stdin.end();
      return ended;
    },
  };
}

export default async function acp(house) {
  const cwd = path.join(house.dir, "code");
  mkdirSync(cwd, { recursive: true });
  const allow = { outcome: "selected", optionId: "allow" };
  const questions = [];
  let answer = allow;
  const editor = await openEditor(house, async (question) => (questions.push(question), await answer));
  const open = async () => (await editor.connection.newSession({ cwd, mcpServers: [] })).sessionId;
  const asked = async (words, more) => {
    const session = await open();
    const { stopReason } = await editor.prompt(session, words, more);
    return { session, stopReason };
  };

  await check("ACP", {
    "introduces itself": () => {
      assert.equal(editor.hello.protocolVersion, PROTOCOL_VERSION);
      assert.equal(editor.hello.agentInfo.name, "nanoclaw");
      assert.equal(editor.hello.agentCapabilities.loadSession, true);
    },
    "works on the files of the editor's directory": async () => {
      const { session } = await asked("say hello");
      const conversation = await house.api.get(`/conversations/${session}`);
      assert.equal((await house.api.get(`/projects/${conversation.project_id}`)).path, cwd);
      await assert.rejects(editor.connection.newSession({ cwd: "/", mcpServers: [] }), /project_roots/);
    },
    "streams text and thoughts": async () => {
      const { session, stopReason } = await asked("say hello");
      assert.equal(stopReason, "end_turn");
      assert.equal(editor.text(session), "Hello, world.");
      assert.equal(editor.text(session, "agent_thought_chunk"), "A greeting is due.");
    },
    "shows parallel calls and sub-agents": async () => {
      const { session } = await asked("two sums");
      assert.deepEqual(
        editor.calls(session).map((one) => one.rawInput.expression),
        ["1+1", "2+2"],
      );
      assert.ok(editor.results(session).every((one) => one.status === "completed"));
      const agents = (await asked("ask two agents")).session;
      assert.equal(editor.text(agents), "Both have answered.");
    },
    "takes a picture and the text of a file": async () => {
      const image = { type: "image", mimeType: "image/png", data: redPixel.split(",")[1] };
      const resource = { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "words" } };
      const { session } = await asked("what is the red square", [image]);
      assert.equal(editor.text(session), "I see it.");
      const other = (await asked("look", [resource])).session;
      assert.match(editor.text(other), /file:\/\/\/a\.txt:\s+```\s+words/);
    },
    "asks in the editor for a permission": async () => {
      for (const [given, status] of [
        [allow, "completed"],
        [{ outcome: "selected", optionId: "reject" }, "failed"],
      ]) {
        answer = given;
        const { session } = await asked("needs a person");
        const question = questions.at(-1);
        assert.equal(question.sessionId, session);
        assert.equal(question.toolCall.title, "get_current_time");
        assert.deepEqual(
          question.options.map((one) => one.kind),
          ["allow_once", "allow_always", "reject_once"],
        );
        assert.equal(editor.results(session).at(-1).status, status);
        assert.equal(editor.text(session), "It is noon.");
      }
      answer = { outcome: "selected", optionId: "allow_conversation" };
      const { session } = await asked("needs a person");
      const before = questions.length;
      await editor.prompt(session, "needs a person");
      assert.equal(questions.length, before);
      answer = allow;
    },
    "asks for a permission of a sub-agent's call": async () => {
      const { session } = await asked("let an agent ask");
      assert.match(questions.at(-1).toolCall.title, /: get_current_time$/);
      assert.equal(editor.text(session), "The agent has asked.");
    },
    "a decision elsewhere counts": async () => {
      answer = new Promise(() => {});
      const session = await open();
      const going = editor.prompt(session, "needs a person");
      const [approval] = await eventually("the approval", async () => {
        const { items } = await house.api.get(`/approvals?status=pending&conversation_id=${session}`);
        return items.length && items;
      });
      await house.api.post(`/approvals/${approval.id}`, { decision: "approve" });
      assert.equal((await going).stopReason, "end_turn");
      answer = allow;
    },
    "shows a session again": async () => {
      const { session } = await asked("two sums");
      const again = await openEditor(house, async () => allow);
      await again.connection.loadSession({ sessionId: session, cwd, mcpServers: [] });
      assert.equal(again.text(session, "user_message_chunk"), "two sums");
      assert.equal(again.text(session), editor.text(session));
      assert.equal(again.calls(session).length, 2);
      await again.prompt(session, "and more");
      assert.match(again.text(session), /You said: and more$/);
      assert.equal(await again.close(), 0);
    },
    "stops a run": async () => {
      const session = await open();
      const going = editor.prompt(session, "be patient");
      await eventually("the first words", () => editor.text(session));
      await editor.connection.cancel({ sessionId: session });
      assert.equal((await going).stopReason, "cancelled");
    },
    "tells of errors": async () => {
      await assert.rejects(asked("break down"), (error) => /model_invalid_request/.test(JSON.stringify(error.message)));
      await assert.rejects(editor.prompt("nothing", "x"), (error) => error.code === -32602);
      await assert.rejects(asked(" "), (error) => error.code === -32602);
      await assert.rejects(editor.connection.loadSession({ sessionId: "nothing", cwd, mcpServers: [] }));
      await assert.rejects(editor.connection.newSession({ cwd: "/no/such/directory", mcpServers: [] }));
    },
    "answers 64 sessions at once": async () => {
      const all = await Promise.all(Array.from({ length: 64 }, (_, i) => asked(`number ${i}`)));
      assert.deepEqual(
        all.map(({ session }) => editor.text(session)),
        all.map((_, i) => `You said: number ${i}`),
      );
    },
  });

  await check("ACP, after kill -9 of the server", {
    "a prompt goes on where it was": async () => {
      const session = await open();
      let decide;
      answer = new Promise((resolve) => (decide = resolve));
      const before = questions.length;
      const going = editor.prompt(session, "needs a person");
      await eventually("the question", () => questions.length > before);
      await house.kill();
      await house.restart();
      decide(allow);
      assert.equal((await going).stopReason, "end_turn");
      assert.equal(editor.text(session), "It is noon.");
      assert.equal(editor.calls(session).length, 1);
    },
  });
  assert.equal(await editor.close(), 0);
  assert.deepEqual(Object.keys(checked).sort(), [...Object.keys(schemaOf), "error"].sort());
}
