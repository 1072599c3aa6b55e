// A server of the product with the scripted model behind it, and the rules that the
// clients' tests share.
import { startModel, startServer } from "../../web/test/e2e/server.mjs";

const says = (user, ...steps) => ({ when: { user_contains: user }, steps });

/** The scripts, by what the user says. */
const rules = [
  says("the red square", { text: "I see it." }),
  says("say hello", { thinking: "A greeting is due.", text: "Hello, world." }),
  says(
    "two sums",
    {
      text: "Let me see.",
      calls: [
        { name: "calculator", arguments: { expression: "1+1" } },
        { name: "calculator", arguments: { expression: "2+2" } },
      ],
    },
    { text: "Two and four." },
  ),
  says(
    "ask two agents",
    {
      calls: [
        {
          name: "multi_agent",
          arguments: {
            tasks: [
              { name: "north", instruction: "north task" },
              { name: "south", instruction: "south task" },
            ],
          },
        },
      ],
    },
    { text: "Both have answered." },
  ),
  says("north task", { text: "cold" }),
  says("south task", { text: "warm" }),
  says(
    "let an agent ask",
    { calls: [{ name: "multi_agent", arguments: { tasks: [{ name: "clock", instruction: "needs a person now" }] } }] },
    { text: "The agent has asked." },
  ),
  says("needs a person", { calls: [{ name: "get_current_time", arguments: {} }] }, { text: "It is noon." }),
  says(
    "ask my tools",
    {
      calls: [
        { name: "client_weather", arguments: { city: "Paris" } },
        { name: "client_weather", arguments: { city: "Oslo" } },
        { name: "calculator", arguments: { expression: "6*7" } },
      ],
    },
    { text: "The tools said: {{last}}" },
  ),
  says("break down", { status: 400, error_message: "the scripted model refuses" }),
  says("wait at the gate", { text: "one two three four five six", chunk_runes: 4, gate: "gate", gate_chunk: 3 }),
  says("wait for a word", { text: "one two three four five six", chunk_runes: 4, gate: "word", gate_chunk: 3 }),
  says("be patient", { text: "begun and never ended", chunk_runes: 6, gate: "never", gate_chunk: 2 }),
  { reply: { text: "You said: {{user}}" } },
];

/** Starts both; close ends both. */
export async function openHouse(more = "") {
  const model = await startModel();
  await model.rules(...rules);
  const server = await startServer({ model, more: `guard: { guarded_tools: [get_current_time] }\n${more}` });
  return {
    ...server,
    model,
    close: async () => {
      await server.close();
      await model.stop();
    },
  };
}

/** A picture of one red pixel. */
export const redPixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/** Runs the checks of one client, in order. */
export async function check(name, checks) {
  for (const [what, run] of Object.entries(checks)) {
    try {
      await run();
    } catch (failure) {
      throw new Error(`${name}: ${what}: ${failure.stack ?? failure}`);
    }
  }
  console.log(`ok   ${name} (${Object.keys(checks).length} checks)`);
}

/** Waits until a condition holds. */
export async function eventually(what, holds) {
  for (const deadline = Date.now() + 30_000; ;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`it never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
