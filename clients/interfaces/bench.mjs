// What a turn costs over ACP beside one over the native API: CPU time of the server and of
// `nanoclaw acp`, and the time to the first token. Turns come one after the other.
import { mkdirSync, readFileSync } from "node:fs";
import { openEditor, config } from "./acp.mjs";
import { openHouse } from "./house.mjs";

const turns = Number(process.argv[2] ?? 200);

/** CPU time of a process in ms: fields 14 and 15 of proc(5), in ticks of 10 ms. */
function cpu(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function measure(name, pids, turn) {
  for (let i = 0; i < 20; i++) await turn();
  const begun = pids.map(cpu);
  const first = [];
  for (let i = 0; i < turns; i++) first.push(await turn());
  first.sort((a, b) => a - b);
  const used = pids.map((pid, i) => ((cpu(pid) - begun[i]) / turns).toFixed(1));
  console.log(`${name}: ${used.join(" + ")} ms CPU a turn, first token after ${first[turns >> 1].toFixed(1)} ms`);
}

const house = await openHouse(config);
await measure("native", [house.pid()], async () => {
  const conversation = await house.api.conversation();
  const asked = performance.now();
  const run = await house.api.post(`/conversations/${conversation.id}/runs`, { text: "say hello" });
  const events = await fetch(`${house.url}/api/v1/runs/${run.id}/events`);
  let first;
  const decoder = new TextDecoder();
  for await (const chunk of events.body) {
    if (decoder.decode(chunk).includes("text.delta")) first ??= performance.now() - asked;
  }
  return first;
});
const cwd = `${house.dir}/code`;
mkdirSync(cwd);
let said = () => {};
const editor = await openEditor(
  house,
  async () => ({ outcome: "cancelled" }),
  () => said(),
);
await measure("ACP (server + nanoclaw acp)", [house.pid(), editor.pid], async () => {
  const { sessionId } = await editor.connection.newSession({ cwd, mcpServers: [] });
  const asked = performance.now();
  let first;
  said = () => {
    if (editor.text(sessionId)) first ??= performance.now() - asked;
  };
  await editor.prompt(sessionId, "say hello");
  return first;
});
await editor.close();
await house.close();
