// The official client of the Model Context Protocol, over HTTP and over stdio.
import assert from "node:assert/strict";
import { request } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { binary } from "../../web/test/e2e/server.mjs";
import { check, eventually } from "./house.mjs";

export default async function mcp(house) {
  const overHTTP = () => new StreamableHTTPClientTransport(new URL(`${house.url}/mcp`));
  const overStdio = () =>
    new StdioClientTransport({ command: binary, args: ["mcp", "--config", house.config], stderr: "inherit" });
  for (const [name, transport] of [
    ["HTTP", overHTTP],
    ["stdio", overStdio],
  ]) {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport());
    const call = async (tool, args = {}, onprogress) => {
      const result = await client.callTool({ name: tool, arguments: args }, undefined, { onprogress });
      if (result.isError) throw new Error(result.content[0].text);
      return result.structuredContent;
    };
    const ask = (message, more = {}) => call("ask_agent", { message, model: "scripted", ...more });
    await check(`MCP over ${name}`, {
      "lists its tools": async () => {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map((one) => one.name).sort(), [
          "ask_agent",
          "cancel_run",
          "get_run",
          "list_agents",
          "list_files",
          "list_projects",
          "read_conversation",
          "read_file",
          "search_conversations",
        ]);
      },
      "asks an agent, goes on in its conversation, and finds it again": async () => {
        const first = await ask("say hello");
        assert.deepEqual([first.status, first.answer], ["completed", "Hello, world."]);
        const second = await ask("something more", { conversation_id: first.conversation_id });
        assert.equal(second.conversation_id, first.conversation_id);
        const { messages } = await call("read_conversation", { conversation_id: first.conversation_id });
        assert.deepEqual(
          messages.map((one) => one.role),
          ["user", "assistant", "user", "assistant"],
        );
        const { hits } = await call("search_conversations", { query: "something more" });
        assert.ok(hits.some((one) => one.conversation_id === first.conversation_id));
      },
      "tells of tools and sub-agents while it waits": async () => {
        const told = [];
        const done = await call("ask_agent", { message: "ask two agents", model: "scripted" }, (progress) =>
          told.push(progress.message),
        );
        assert.equal(done.answer, "Both have answered.");
        assert.ok(
          told.some((one) => one.includes("calls multi_agent")) && told.some((one) => one.includes("north")),
          told.join(),
        );
      },
      "says which approval a run waits for, and follows it": async () => {
        const waiting = await ask("needs a person");
        assert.equal(waiting.status, "waiting_approval");
        assert.match(waiting.waits_for[0], /get_current_time/);
        const [approval] = (await house.api.get("/approvals?status=pending")).items;
        const follow = call("get_run", { run_id: waiting.run_id, wait_seconds: 30 });
        await house.api.post(`/approvals/${approval.id}`, { decision: "approve" });
        const done = await eventually("the end of the run", async () => {
          const now = await call("get_run", { run_id: waiting.run_id, wait_seconds: 30 });
          return now.status === "completed" && now;
        });
        assert.equal(done.answer, "It is noon.");
        await follow;
      },
      "stops a run": async () => {
        const waiting = await ask("be patient", { wait_seconds: 1 });
        assert.equal(waiting.status, "running");
        assert.equal((await call("cancel_run", { run_id: waiting.run_id })).status, "cancelled");
      },
      "reads the files of a project": async () => {
        const project = await house.api.project(`files over ${name}`);
        await house.api.write(project.id, "a/b.txt", "text of a file");
        assert.ok((await call("list_projects")).projects.some((one) => one.id === project.id));
        const { files } = await call("list_files", { project_id: project.id, recursive: true });
        assert.ok(files.some((one) => one.path === "a/b.txt"));
        assert.equal(
          (await call("read_file", { project_id: project.id, path: "a/b.txt", offset: 5 })).text,
          "of a file",
        );
        await assert.rejects(call("read_file", { project_id: project.id, path: "../../etc/passwd" }));
        await assert.rejects(call("read_file", { project_id: "nothing", path: "x" }), /there is no project/);
      },
      "tells of errors as results": async () => {
        await assert.rejects(ask("x", { agent: "nobody" }), /there is no agent/);
        await assert.rejects(ask(" "), /empty/);
        assert.match((await ask("break down")).error, /model_invalid_request/);
        await assert.rejects(call("get_run", { run_id: "nothing" }), /there is no run/);
        await assert.rejects(call("no_such_tool"), /unknown tool/);
        assert.ok((await call("list_agents")).agents.length > 0);
      },
      "answers 64 at once": async () => {
        const answers = await Promise.all(Array.from({ length: 64 }, () => ask("say hello")));
        assert.deepEqual(new Set(answers.map((one) => one.answer)), new Set(["Hello, world."]));
        assert.equal(new Set(answers.map((one) => one.conversation_id)).size, 64);
      },
    });
    await client.close();
  }
  await check("MCP, after kill -9", {
    "a run goes on where it was": async () => {
      const connect = async () => {
        const client = new Client({ name: "test", version: "1" });
        await client.connect(overHTTP());
        return client;
      };
      const first = await connect();
      const begun = await first.callTool({
        name: "ask_agent",
        arguments: { message: "needs a person", model: "scripted" },
      });
      assert.equal(begun.structuredContent.status, "waiting_approval");
      await house.kill();
      await house.restart();
      const [approval] = (await house.api.get("/approvals?status=pending")).items;
      await house.api.post(`/approvals/${approval.id}`, { decision: "approve" });
      const second = await connect();
      const { run_id } = begun.structuredContent;
      const done = await eventually("the end of the run", async () => {
        const { structuredContent: now } = await second.callTool({ name: "get_run", arguments: { run_id } });
        return now.status === "completed" && now;
      });
      assert.equal(done.answer, "It is noon.");
      await second.close();
    },
  });
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const post = (body, more = {}) =>
    fetch(`${house.url}/mcp`, {
      method: "POST",
      body: typeof body === "string" ? body : JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }),
      headers: { ...headers, ...more },
    });
  await check("MCP, the transport", {
    "pages of other sites and bodies without sense are refused": async () => {
      assert.equal((await post({ method: "tools/list" }, { Origin: "http://evil.example" })).status, 403);
      assert.equal((await post("nonsense")).status, 400);
    },
    "a version of the protocol that it does not speak is 400": async () => {
      const answer = await post({ method: "ping" }, { "MCP-Protocol-Version": "1999-01-01" });
      assert.equal(answer.status, 400);
      assert.match(await answer.text(), /protocol version/);
      assert.equal((await post({ method: "ping" }, { "MCP-Protocol-Version": "2025-06-18" })).status, 200);
    },
    "there are no sessions to listen to or to end": async () => {
      for (const method of ["GET", "DELETE"]) {
        const answer = await fetch(`${house.url}/mcp`, { method, headers: { Accept: "text/event-stream" } });
        assert.deepEqual([answer.status, answer.headers.get("Allow")], [405, "POST"]);
      }
    },
    "what is not offered is refused with the protocol's codes": async () => {
      const params = { ref: { type: "ref/prompt", name: "x" }, argument: { name: "a", value: "b" } };
      assert.match(await (await post({ method: "completion/complete", params })).text(), /"code":-32601/);
      for (const [method, params] of [
        ["tools/call", { name: "nothing", arguments: {} }],
        ["prompts/get", { name: "nothing" }],
        ["resources/read", { uri: "nothing://x" }],
      ])
        assert.match(await (await post({ method, params })).text(), /"code":-3260[02]/, method);
      assert.match(await (await post({ method: "ping" })).text(), /"result":\{\}/);
    },
    "only what it does is declared": async () => {
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
      assert.match(await (await post({ method: "initialize", params })).text(), /"capabilities":\{"tools":\{\}\}/);
    },
    "a page that reached it by another host's name is refused": async () => {
      const status = await new Promise((resolve, reject) => {
        const { hostname, port } = new URL(house.url);
        const options = { hostname, port, path: "/mcp", method: "POST", headers: { ...headers, Host: "evil.example" } };
        const asked = request(options, (answer) => resolve(answer.resume().statusCode)).on("error", reject);
        asked.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
      });
      assert.ok([403, 421].includes(status), String(status));
    },
  });
}
