// What the screens show.
import { startServer } from "../server.mjs";

const rich = `Here is what I found.

## A comparison

| database | fits | needs |
|---|---|---|
| SQLite | one machine, many readers | nothing |
| PostgreSQL | many writers | a server |

\`\`\`python
def greet(name: str) -> str:
    # a friendly line of code that is long enough to need scrolling on a small screen, really
    return f"Hello, {name}!"
\`\`\`

- a list with \`inline code\` and **strong** words
- 小团队建议先用 SQLite，之后再换。

> A quotation that says something.

The area is $A = \\pi r^2$, and

$$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$

\`\`\`mermaid
graph LR
  A[Question] --> B{Agents}
  B --> C[Answer]
\`\`\`
`;

/** What the chats are called: a person's words are not translated. */
export const titles = {
  rich: "Compare three databases",
  write: "Rewrite the notes",
  tools: "Look around",
  fail: "A strange prompt",
  asking: "Clean up",
  old: "Long ago",
};

/** Words of people, models and files: the data of the test. */
export const data = [
  ...Object.values(titles),
  "Field notes",
  "Reading",
  "A place to try things",
  "A model without its key",
  "Second model",
  "Critic",
  "Review {{file}} for what is hard to understand.",
  "is a sound choice.",
  ...["rich", "write", "agents", "careful", "fail", "tools", "wait", "submit", "Survey"],
  ...[
    "scripted",
    "second",
    "demo",
    "unavailable",
    "critic",
    "nowhere",
    "own",
    "release",
    "write-file",
    "delete-file",
    "no such tool",
  ],
  // The names that tools have for models, in the titles of their calls.
  ...["calculator", "skills", "src"],
];

const call = (name, args) => ({ name, arguments: args });

/** One call of each tool whose result has a view of its own, and what does not succeed. */
const everyView = [
  [call("file_list", { recursive: true }), call("file_read", { path: "src/main.py" })],
  [call("file_edit", { path: "src/main.py", old_string: "return name", new_string: 'return f"Hello, {name}"' })],
  [call("shell_execute", { command: "printf 'one\\ntwo\\n'; echo trouble >&2; exit 3" })],
  [call("file_grep", { pattern: "greet" }), call("get_weather", { city: "Shanghai" })],
  [call("execute_python", { code: "print('hello')\n6 * 7" }), call("execute_python", { code: "1 / 0" })],
  [call("db_query", { database: "own", query: "SELECT id, title FROM conversations ORDER BY created_at LIMIT 3" })],
  [call("file_read", { path: "no-such-file.txt" }), call("fetch_page", { url: "http://127.0.0.1:1/" })],
  [call("file_delete", { path: "old-notes.txt" }), call("get_current_time", { timezone: "Asia/Shanghai" })],
  [call("no_such_tool", {}), call("calculator", { expression: "1 +" }), call("list_agents", {})],
  [call("view_image", { path: "mark.png" })],
];

const skill = "---\nname: release\ndescription: 发布前检查\n---\n1. 读取 `CHANGELOG.md`\n";

const picture =
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

/** Starts a server whose config.yml has something of everything, and fills it. */
export async function fixture(t) {
  const server = await startServer({
    model: t.model,
    more: (dir) => `guard: { guarded_tools: [text_process] }
databases: { own: { url: "sqlite://${dir}/data/nanoclaw.db" } }
agents:
  - { id: critic, name: Critic, description: 检查别人的工作, system_prompt: Be strict. }
mcp_servers:
  nowhere: { command: /no/such/program }
`,
  });
  t.later(() => server.close());
  const { url, api } = server;
  return { ...(await build({ api, url, model: t.model, id: t.id })), url, api };
}

async function build({ api, url, model, id }) {
  const project = await api.project(`Field notes`, {
    description: "A place to try things",
    instructions: "Answer briefly.",
  });
  await api.write(project.id, "README.md", "# Notes\n\nA small project to try things.\n\n- one\n- two\n");
  await api.write(project.id, "src/main.py", "def greet(name):\n    return name\n");
  await api.write(project.id, "说明.md", "# 说明\n");
  await api.write(project.id, "old.txt", "gone soon\n");
  await api.delete(`/projects/${project.id}/files/old.txt`);
  await api.write(project.id, "old-notes.txt", "one\n");
  const where = `${url}/api/v1/projects/${project.id}/files/mark.png`;
  await fetch(where, { method: "PUT", body: Buffer.from(picture, "base64") });
  await api.post("/prompts", { name: "评审", text: "Review {{file}} for what is hard to understand." });
  const names = ["SQLite", "PostgreSQL", "DuckDB"];
  await model.rules(
    { when: { user: `rich ${id}` }, reply: { thinking: "A table, some code, a formula and a picture.", text: rich } },
    {
      when: { user: `write ${id}` },
      steps: [
        {
          calls: [
            {
              name: "file_write",
              arguments: { path: "README.md", content: "# Notes\n\nRewritten by an agent.\n\n- one\n- three\n" },
            },
            { name: "file_write", arguments: { path: "result.txt", content: "84\n" } },
            { name: "calculator", arguments: { expression: "12*(3+4)" } },
            { name: "file_read", arguments: { path: "no-such-file" } },
          ],
        },
        { text: "I rewrote `README.md` and saved the result." },
      ],
    },
    ...names.map((name) => ({
      when: { user: `Describe ${name} for ${id}` },
      reply: { text: `${name} is a sound choice.` },
    })),
    {
      when: { user: `agents ${id}` },
      steps: [
        {
          calls: [
            {
              name: "multi_agent",
              arguments: { tasks: names.map((name) => ({ name, instruction: `Describe ${name} for ${id}` })) },
            },
          ],
        },
        { text: "**SQLite** fits a small team best." },
      ],
    },
    {
      when: { user: `careful ${id}` },
      steps: [
        {
          text: "I will clean up first.",
          calls: [
            { name: "text_process", arguments: { text: "shout", operation: "upper" } },
            {
              name: "shell_execute",
              arguments: { command: "rm -rf build/ && find . -name '*.log' -mtime +7 -delete" },
            },
          ],
        },
        { text: "Done." },
      ],
    },
    {
      when: { user: `tools ${id}` },
      steps: everyView.map((calls) => ({ calls })),
    },
    { when: { user_contains: "1 of view_image" }, reply: { text: "I looked around." } },
    { when: { user: `wait ${id}` }, reply: { text: "Here it is.", gate: `wait ${id}` } },
    {
      when: { user: `submit ${id}` },
      steps: [{ calls: [call("submit_agent_task", { instruction: `Survey ${id}` })] }, { text: "It runs." }],
    },
    { when: { user: `Survey ${id}` }, reply: { text: "Three of five agree.", gate: `Survey ${id}` } },
    { when: { user: `fail ${id}` }, reply: { status: 400, error_message: "the prompt is too strange" } },
  );
  const chat = async (title, text, more = {}) => {
    const conversation = await api.conversation({ title, project_id: project.id, ...more });
    await api.ask(conversation.id, `${text} ${id}`);
    return conversation.id;
  };
  const [answer, tools, changed, agents, failed] = [
    await chat(titles.rich, "rich", { tags: ["Reading", "架构"] }),
    await chat(titles.tools, "tools"),
    await chat(titles.write, "write", { pinned: true }),
    await chat("调研三种数据库", "agents"),
    await chat(titles.fail, "fail"),
  ];
  await api.patch(`/conversations/${(await api.conversation({ title: titles.old })).id}`, { archived: true });
  await api.write(project.id, "skills/release/SKILL.md", skill);
  const at = { cron: "0 9 * * *", timezone: "Asia/Shanghai" };
  const schedule = await api.post("/schedules", { name: "每日报告", text: `rich ${id}`, ...at });
  await api.post(`/schedules/${schedule.id}/run`);
  await api.post("/hooks", { name: "问题", template: "{{body}}" });
  const asking = (await api.conversation({ title: titles.asking, project_id: project.id })).id;
  await api.post(`/conversations/${asking}/runs`, { text: `careful ${id}` });
  return { project: project.id, answer, tools, changed, agents, failed, asking, id, name: project.name };
}
