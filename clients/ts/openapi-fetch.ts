// The scenario of the client tests with the types of openapi-typescript, used through openapi-fetch.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "../build/openapi-typescript/schema.js";
import { answered, text, until } from "./scenario.js";

const client = createClient<paths>({ baseUrl: process.argv[2]! });

const project = answered(await client.POST("/projects", { body: { name: "openapi-typescript" } }), 201);
const id = project.id;
const at = { id, path: "notes/a b.txt" };
const raw = { headers: { "Content-Type": "application/octet-stream" }, bodySerializer: (body: string) => body };
assert.equal(answered(await client.PUT("/projects/{id}/files/{path}", { params: { path: at }, body: text, ...raw }), 201).created, true);
const form = new FormData();
form.append("file", new Blob([text]), "uploaded.txt");
const upload = await client.POST("/projects/{id}/upload", { params: { path: { id } }, body: {}, bodySerializer: () => form });
assert.equal(answered(upload, 201).items[0]?.path, "uploaded.txt");
const files = answered(await client.GET("/projects/{id}/files", { params: { path: { id }, query: { recursive: true } } }), 200);
assert.deepEqual([files.items.map((f) => f.path).sort(), files.next_cursor], [["notes", "notes/a b.txt", "uploaded.txt"], null]);
assert.equal(answered(await client.GET("/projects/{id}/files/{path}", { params: { path: at }, parseAs: "text" }), 200), text);

const missing = await client.GET("/projects/{id}", { params: { path: { id: "no-such-project" } } });
const problem: components["schemas"]["Problem"] | undefined = missing.error;
assert.deepEqual([missing.response.status, problem?.status, problem?.code], [404, 404, "not_found"]);

const conversation = answered(await client.POST("/conversations", { body: { project_id: id } }), 201);
const start = await client.POST("/conversations/{id}/runs", { params: { path: { id: conversation.id } }, body: { text: "Compute 12*(3+4)" } });
const started = answered(start, 202);
assert.ok("agent_path" in started, "it is a run, no command");
assert.equal(started.finished_at, null);
const getRun = async () => answered(await client.GET("/runs/{id}", { params: { path: { id: started.id } } }), 200);
await until(getRun, "waiting_approval");
const query = { conversation_id: conversation.id };
const [waiting] = answered(await client.GET("/approvals", { params: { query } }), 200).items;
assert.ok(waiting);
assert.deepEqual([waiting.status, waiting.decided_at, waiting.decided_by, waiting.tool_call.function.name], ["pending", null, null, "calculator"]);
const decision = { params: { path: { id: waiting.id } }, body: { decision: "approve" } } as const;
const decidedAt: string | null = answered(await client.POST("/approvals/{id}", decision), 200).decided_at;
assert.ok(decidedAt);
assert.ok((await until(getRun, "completed")).finished_at);
const messages = answered(await client.GET("/conversations/{id}/messages", { params: { path: { id: conversation.id } } }), 200);
const [question, answer] = messages.items;
assert.ok(question && answer);
assert.deepEqual([question.parent_id, question.usage, answer.parent_id, messages.next_cursor], [null, null, question.id, null]);
const tokens: number | undefined = answer.usage?.completion_tokens;
assert.ok(tokens !== undefined && answer.tool_calls.length === 1);
