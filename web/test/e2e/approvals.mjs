import { startServer } from "./server.mjs";
import { assert, ask, finished, gone, say, until, visible } from "./steps.mjs";

/** A turn whose tool always asks (guard.guarded_tools of the test's server), and the answer after it. */
const asks = (id, args, answers = [{ text: "It went through." }]) => ({ when: { user: `do it ${id}` }, steps: [{ text: "I will do it now.", calls: [{ name: "text_process", arguments: args }] }, ...answers] });
const upper = (id) => ({ text: `shout ${id}`, operation: "upper" });

async function waiting(page) {
  const card = page.getByRole("region", { name: "text_process needs your approval" });
  await visible(card);
  return card;
}

export const tests = {
  // TG4, TG5: decided with the keyboard alone.
  async "a call is approved by keyboard alone"(t) {
    const { page } = await t.open();
    await t.model.rules(asks(t.id, upper(t.id)));
    const conversation = await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await t.shot(page, "approval");
    await page.keyboard.press("Escape");
    await page.keyboard.press("a");
    await visible(page.getByText("It went through."));
    await finished(page);
    await gone(page.getByRole("region", { name: "text_process needs your approval" }));
    const [approval] = (await t.api.get(`/approvals?conversation_id=${conversation}`)).items;
    assert.deepEqual([approval.status, approval.scope], ["approved", "once"]);
  },

  async "a call is denied by keyboard, with a reason that the model reads"(t) {
    const { page } = await t.open({ theme: "dark" });
    await t.model.rules(asks(t.id, upper(t.id), [{ text: "The tool said: {{last}}" }]));
    await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("d");
    await page.keyboard.type("keep the voice down");
    await t.shot(page, "approval-deny");
    await page.keyboard.press("Enter");
    await visible(page.getByText(/The tool said: .*keep the voice down/));
    await visible(page.getByText("denied", { exact: true }));
  },

  async "arguments are edited before the call is approved, and checked against the tool"(t) {
    const { page } = await t.open();
    await t.model.rules(asks(t.id, upper(t.id), [{ text: "The tool said: {{last}}" }]));
    await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("e");
    const box = page.getByLabel("Arguments (JSON)");
    await box.fill('{"text": ');
    await page.getByRole("button", { name: "Approve with these arguments" }).click();
    await visible(page.getByRole("alert").getByText("not valid JSON"));
    await box.fill('{"text": "quiet", "operation": "no such thing"}');
    await page.getByRole("button", { name: "Approve with these arguments" }).click();
    await visible(page.getByRole("alert").getByText(/operation/));
    await box.fill(JSON.stringify({ text: `whisper ${t.id}`, operation: "upper" }));
    await page.keyboard.press("Control+Enter");
    await visible(page.getByText(new RegExp(`WHISPER ${t.id.toUpperCase()}`)));
  },

  // TG4: an approval waits through a reload; every tab sees the decision; the standing rule can be revoked.
  async "an approval survives a reload, another tab decides it for good, and the rule is revoked"(t) {
    const { page, context } = await t.open();
    await t.model.rules(asks(t.id, upper(t.id)));
    await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await page.reload();
    await waiting(page);
    const other = await context.newPage();
    await other.goto(`${t.url}/settings/approvals`);
    await visible(other.getByRole("link", { name: /text_process/ }));
    await other.goto(page.url());
    await (await waiting(other)).getByRole("button", { name: "Always" }).click();
    await visible(other.getByText("It went through."));
    await visible(page.getByText("It went through."));
    await other.goto(`${t.url}/settings/approvals`);
    const rule = other.getByRole("listitem").filter({ hasText: `shout ${t.id}` });
    await visible(rule);
    await t.shot(other, "approval-rules");
    await rule.getByRole("button", { name: /Revoke/ }).click();
    await gone(rule);
    await until(async () => !(await t.api.get("/approvals/rules")).items.some((r) => r.arguments.includes(t.id)), "revoked");
  },

  // TG6: what a sub-agent asks names it, and is decided in the same place.
  async "a sub-agent's call asks with its name"(t) {
    const { page } = await t.open();
    await t.model.rules(
      { when: { user: `careful ${t.id}` }, steps: [{ calls: [{ name: "text_process", arguments: upper(t.id) }] }, { text: "The child is done." }] },
      { when: { user: `send one ${t.id}` }, steps: [{ calls: [{ name: "multi_agent", arguments: { tasks: [{ name: "Careful", instruction: `careful ${t.id}` }] } }] }, { text: "All is done." }] },
    );
    await ask(t, page, `send one ${t.id}`);
    const card = await waiting(page);
    await visible(card.getByText("Careful"));
    await visible(page.getByRole("button", { name: "Show what Careful did" }).getByText("Waits for approval"));
    await t.shot(page, "approval-agent");
    await card.getByRole("button", { name: "For this chat" }).click();
    await visible(page.getByText("All is done."));
  },

  async "a write is shown as a diff against what is there, a command as a command"(t) {
    const server = await startServer({ model: t.model, more: "guard: { guarded_tools: [file_write, shell_execute] }\n" });
    t.later(() => server.close());
    const { page } = await t.open({ url: server.url });
    const project = await server.api.project("Guarded");
    await server.api.write(project.id, "README.md", "# Demo\n\nA small project.\n");
    await t.model.rules({
      when: { user: `write it ${t.id}` },
      steps: [{ calls: [{ name: "file_write", arguments: { path: "README.md", content: "# Demo\n\nA small, well-kept project.\n" } }] }, { calls: [{ name: "shell_execute", arguments: { command: "ls -la | sort > list.txt" } }] }, { text: "Both are done." }],
    });
    await ask({ api: server.api, url: server.url }, page, `write it ${t.id}`, { project_id: project.id });
    const diff = page.getByRole("group", { name: "diff" });
    await visible(diff.getByText("A small project."));
    await visible(diff.getByText("A small, well-kept project."));
    await t.shot(page, "approval-diff");
    await page.getByRole("button", { name: "Approve once" }).click();
    await visible(page.getByRole("region", { name: "shell_execute needs your approval" }).getByText("Will run"));
    await t.shot(page, "approval-command");
    await page.getByRole("button", { name: "Deny" }).click();
    await page.getByRole("button", { name: "Deny" }).last().click();
    await visible(page.getByText("Both are done."));
    assert.match(await server.api.file(project.id, "README.md"), /well-kept/);
  },

  // TG5: what is typed in the chat is a command to the run that waits, not a new turn.
  async "a waiting call is decided by a command in the chat"(t) {
    const { page } = await t.open();
    await t.model.rules(asks(t.id, upper(t.id)));
    const conversation = await ask(t, page, `do it ${t.id}`);
    await waiting(page);
    await say(page, "/approve");
    await visible(page.getByText("It went through."));
    assert.equal((await t.api.get(`/conversations/${conversation}/messages`)).items.length, 2);
  },
};
