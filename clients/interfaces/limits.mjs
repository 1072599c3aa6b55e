// What every interface over HTTP makes of bodies and fields that it cannot take.
import assert from "node:assert/strict";
import { check } from "./house.mjs";

/** The server's configuration: bodies end early. */
export const config = "http: { max_body: 64KiB, max_upload: 64KiB }\n";

const long = "x".repeat(100_000);
const user = (content) => [{ id: "1", role: "user", content }];
const rpc = (method, params) => ({ jsonrpc: "2.0", id: 1, method, params });

/** Each interface: a request with a text, and where its answers carry what went wrong. */
const interfaces = {
  "chat completions": [
    "/v1/chat/completions",
    (text) => ({ model: "default/scripted", messages: user(text) }),
    openAIError,
  ],
  responses: ["/v1/responses", (text) => ({ model: "default/scripted", input: text }), openAIError],
  "AI SDK": [
    "/api/v1/ai-sdk/chat",
    (text) => ({ id: "c", model: "scripted", messages: [{ id: "1", role: "user", parts: [{ type: "text", text }] }] }),
    (answer) => assert.match(answer, /^[a-z_]+: ./),
  ],
  "AG-UI": [
    "/ag-ui/default",
    (text) => ({ threadId: "t", runId: "r", forwardedProps: { model: "scripted" }, messages: user(text) }),
    (answer) => assert.ok(JSON.parse(answer).message && JSON.parse(answer).code),
  ],
  A2A: [
    "/a2a",
    (text) =>
      rpc("SendMessage", {
        message: { messageId: "1", role: "ROLE_USER", parts: [{ text }] },
        metadata: { model: "scripted" },
      }),
    (answer) => assert.ok(JSON.parse(answer).error.message && JSON.parse(answer).error.code < 0),
  ],
};

function openAIError(answer) {
  const { error } = JSON.parse(answer);
  assert.ok(error.message && error.type && "code" in error && "param" in error, answer);
}

export default async function limits(house) {
  const post = (path, body, inParts = false) =>
    fetch(house.url + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      body: inParts ? new Blob([JSON.stringify(body)]).stream() : JSON.stringify(body),
      duplex: "half",
    });
  const checks = {};
  for (const [name, [path, ask, inForm]] of Object.entries(interfaces)) {
    checks[`${name}: a body over the limit is 413 in the interface's own form`] = async () => {
      for (const inParts of [false, true]) {
        const answer = await post(path, ask(long), inParts);
        const text = await answer.text();
        // JSON-RPC answers 200 to what it has begun to read.
        assert.equal(answer.status, name === "A2A" && inParts ? 200 : 413, text);
        inForm(text);
        assert.match(text, /max_body/);
      }
    };
    checks[`${name}: unknown fields are ignored`] = async () => {
      const answer = await post(path, { ...ask("say hello"), a_field_of_next_year: { x: [1] } });
      assert.equal(answer.status, 200, await answer.text());
    };
  }
  checks["MCP: a body over the limit is 413"] = async () => {
    const answer = await post("/mcp", rpc("tools/call", { name: "ask_agent", arguments: { message: long } }));
    assert.equal(answer.status, 413, await answer.text());
  };
  await check("limits of all interfaces", checks);
}
