// What the pages show that are measured.
import { longConversation } from "../../web/test/e2e/long.mjs";

const code = (i) => `\`\`\`python\ndef f${i}(x):\n    """What ${i} does."""\n${`    x = x * ${i} + len(str(x))\n`.repeat(5)}    return x\n\`\`\``;
const table = (i) => `| a | b | c |\n|---|---|---|\n| ${i} | 2 | 3 |\n| 4 | 5 | 6 |`;
const list = (i) => `1. First **${i}**\n2. Then \`g(${i})\`\n   - with a point below\n3. And [a link](https://example.com/${i})`;
const math = (i) => `The area is $A_{${i}} = \\pi r^2$, and\n\n$$\\int_0^{${i}} x^2\\,dx = \\frac{${i}^3}{3}$$`;
const diagram = (i) => `\`\`\`mermaid\ngraph LR\n  A${i}[Question] --> B${i}{Agents}\n  B${i} --> C${i}[Answer]\n\`\`\``;
const words = (i) =>
  `Paragraph ${i}. Some **words** that stream in one after the other, with \`code\` and a [link](https://example.com), to be read while they come.`;
const kinds = [words, code, words, table, words, list, words, math];

/** Answers with code, tables, lists, formulas and, here and there, a diagram. */
function richConversation(messages, title) {
  const conversation = longConversation(messages, title);
  conversation.messages.forEach((message, i) => {
    if (message.role !== "assistant") return;
    const n = (i - 1) / 2;
    const parts = [`Answer ${n}.`, words(n), kinds[(n * 2 + 1) % 8](n), words(n + 1), kinds[(n * 2 + 3) % 8](n)];
    if (n % 10 === 3) parts.push(diagram(n));
    message.text = parts.join("\n\n");
  });
  return conversation;
}

/** An answer of at least so many characters. */
export function longAnswer(characters) {
  const parts = [];
  for (let i = 0, n = 0; n < characters; i++) {
    parts.push(kinds[i % 8](i));
    n += parts.at(-1).length + 2;
  }
  return `${parts.join("\n\n")}\n\nThat is all.`;
}

export async function fixture(server, model) {
  const project = await server.api.project("Field notes");
  const load = async (conversation) => (await server.api.post("/conversations/import", conversation)).id;
  const plain = await load(longConversation(1000, "A thousand messages"));
  const rich = await load(richConversation(1000, "A thousand rich messages"));
  const chats = [];
  for (let i = 0; i < 40; i++) chats.push(await load(richConversation(40, `Visited ${i}`)));
  await model.rules(
    { when: { user: "at 200 tokens" }, reply: { text: longAnswer(3_500), chunk_runes: 4, between: "5ms" } },
    { when: { user: "at 5,000 characters" }, reply: { text: longAnswer(88_000), chunk_runes: 50, between: "10ms" } },
    { when: { user: "ten thousand" }, reply: { text: longAnswer(10_000), chunk_runes: 50, between: "10ms" } },
  );
  for (let i = 0; i < 12; i++) await server.api.conversation({ title: `Conversation ${i}`, project_id: project.id });
  return { project, plain, rich, chats };
}
