// The scenario of the client tests with the client that hey-api makes.
import assert from "node:assert/strict";
import { client } from "../build/hey-api/client.gen.js";
import * as api from "../build/hey-api/index.js";
import { answered, text, until } from "./scenario.js";

client.setConfig({ baseUrl: process.argv[2]! });

const { id } = answered(await api.createProject({ body: { name: "hey-api" } }), 201);
const at = { id, path: "notes/a b.txt" };
assert.equal(answered(await api.writeFile({ path: at, body: new Blob([text]) }), 201).created, true);
const upload = await api.uploadFiles({ path: { id }, body: { file: [new File([text], "uploaded.txt")] } });
assert.equal(answered(upload, 201).items[0]?.path, "uploaded.txt");
const files = answered(await api.listFiles({ path: { id }, query: { recursive: true } }), 200);
assert.deepEqual([files.items.map((f) => f.path).sort(), files.next_cursor], [["notes", "notes/a b.txt", "uploaded.txt"], null]);
assert.equal(await answered(await api.readFile({ path: at, parseAs: "blob" }), 200).text(), text);

const missing = await api.getProject({ path: { id: "no-such-project" } });
const problem: api.Problem | undefined = missing.error;
assert.deepEqual([missing.response?.status, problem?.status, problem?.code], [404, 404, "not_found"]);

const conversation = answered(await api.createConversation({ body: { project_id: id } }), 201);
const started = answered(await api.startRun({ path: { id: conversation.id }, body: { text: "Compute 12*(3+4)" } }), 202);
assert.ok("agent_path" in started, "it is a run, no command");
assert.equal(started.finished_at, null);
const getRun = async () => answered(await api.getRun({ path: { id: started.id } }), 200);
await until(getRun, "waiting_approval");
const [waiting] = answered(await api.listApprovals({ query: { conversation_id: conversation.id } }), 200).items;
assert.ok(waiting);
assert.deepEqual([waiting.status, waiting.decided_at, waiting.decided_by, waiting.tool_call.function.name], ["pending", null, null, "calculator"]);
const decidedAt: string | null = answered(await api.decide({ path: { id: waiting.id }, body: { decision: "approve" } }), 200).decided_at;
assert.ok(decidedAt);
assert.ok((await until(getRun, "completed")).finished_at);
const messages = answered(await api.listMessages({ path: { id: conversation.id } }), 200);
const [question, answer] = messages.items;
assert.ok(question && answer);
assert.deepEqual([question.parent_id, question.usage, answer.parent_id, messages.next_cursor], [null, null, question.id, null]);
const tokens: number | undefined = answer.usage?.completion_tokens;
assert.ok(tokens !== undefined && answer.tool_calls.length === 1);
