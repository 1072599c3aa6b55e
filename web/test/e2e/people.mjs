import { readFileSync } from "node:fs";
import { accessible } from "./axe.mjs";
import { inChinese } from "./chinese.mjs";
import { chosen } from "./places.mjs";
import { startServer } from "./server.mjs";
import { assert, finished, gone, say, until, visible } from "./steps.mjs";

const password = "four plain words here";

/** A server with accounts, and its administrator anna, who came by the link that the server prints. */
async function begin(t) {
  const server = await startServer({
    model: t.model,
    more: "auth_mode: multi\nguard: { guarded_tools: [text_process] }\nquotas: { user: { tokens_per_day: 1000 } }\n",
  });
  t.later(() => server.close());
  const { origin } = new URL(server.url);
  const links = () => server.log().match(/http\S+#first=[\w-]+/);
  await until(() => links(), "the link of the first administrator");
  const anna = await t.open({ url: origin });
  await arrive(anna.page, links()[0], "anna");
  forgive(anna, 401);
  return { origin, anna, server };
}

/** Chooses a password behind a link, and is signed in. */
async function arrive(page, link, name) {
  await page.goto(link);
  if (name) await page.getByRole("textbox", { name: "User name" }).fill(name);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => url.pathname === "/");
}

/** Invites somebody in the page of users, who opens the link in a browser of their own. */
async function invite(t, { origin, anna }, name) {
  await anna.page.goto(`${origin}/settings/users`);
  await anna.page.getByRole("textbox", { name: "User name" }).fill(name);
  await anna.page.getByRole("button", { name: "Invite" }).click();
  const told = anna.page.getByRole("status").filter({ hasText: `Send this link to ${name}` });
  const link = await told.locator("code").innerText();
  const one = await t.open({ url: origin });
  await one.page.goto(link);
  await visible(one.page.getByLabel("Password", { exact: true }));
  assert.equal(await one.page.getByRole("textbox", { name: "User name" }).count(), 0, "the account has its name");
  await one.page.goto(origin);
  await arrive(one.page, link);
  forgive(one, 401);
  return one;
}

/** A request of who is signed in on a page. */
const call = (page, method, where, body) =>
  page.evaluate(
    async ([m, w, b]) => {
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(`/api/v1${w}`, { method: m, headers, body: b && JSON.stringify(b) });
      return { status: answer.status, body: await answer.json().catch(() => null) };
    },
    [method, where, body],
  );

/** A project of anna with one conversation, and its members. */
async function share({ anna }, title, members) {
  const project = (await call(anna.page, "POST", "/projects", { name: "Shared" })).body.id;
  const made = await call(anna.page, "POST", "/conversations", { model: "scripted", project_id: project, title });
  for (const [username, role] of Object.entries(members))
    assert.ok((await call(anna.page, "POST", `/projects/${project}/members`, { username, role })).status < 300);
  return { project, chat: made.body.id };
}

/** Nobody is signed in yet, or a test asks for what is refused: Chromium tells of both as errors. */
const forgive = (one, status) => {
  const other = one.problems.filter((problem) => !problem.includes(`status of ${status} `));
  one.problems.splice(0, one.problems.length, ...other);
};

/** While a colleague's agents work and have changed files, a viewer is offered neither to stop nor to revert nor to edit. */
async function nothingToChange(t, { origin, anna }, eve, chat) {
  await t.model.rules({
    when: { user: `write for ${t.id}` },
    steps: [{ calls: [writes] }, { text: "Written.", gate: `held-${t.id}` }],
  });
  await anna.page.goto(`${origin}/c/${chat}`);
  await say(anna.page, `write for ${t.id}`);
  await t.model.reached(`held-${t.id}`);
  await eve.page.evaluate(() => {
    const prefs = JSON.parse(localStorage.getItem("nanoclaw.prefs") ?? "{}");
    localStorage.setItem("nanoclaw.prefs", JSON.stringify({ ...prefs, panel: "run" }));
  });
  await eve.page.goto(`${origin}/c/${chat}`);
  const panel = eve.page.getByRole("complementary", { name: "Side panel" });
  await visible(panel.getByText("Status"));
  await visible(eve.page.getByText(`write for ${t.id}`).first());
  const refused = async () => {
    for (const name of [/^Stop/, /^Revert/, "Edit", "Delete message", "Regenerate"])
      assert.equal(await eve.page.getByRole("button", { name }).count(), 0, String(name));
  };
  await refused();
  await eve.page.keyboard.press("Escape");
  await t.model.open(`held-${t.id}`);
  await visible(eve.page.getByText("Written."));
  await visible(panel.getByRole("region", { name: "What this run changed" }).getByText("notes.txt"));
  await refused();
  await t.shot(eve.page, "people-viewer-run");
}

const writes = { name: "file_write", arguments: { path: "notes.txt", content: "hello" } };

const card = (page) => page.getByRole("region", { name: "“Process text” needs your approval" });

export const tests = {
  // US1, US4, US6, TG5: invited, at work in a shared project; the owner decides; the quota ends it.
  async "a colleague is invited, works in a shared project, is approved by its owner, and meets the quota"(t) {
    const place = await begin(t);
    const { origin, anna } = place;
    const bob = await invite(t, place, "bob");
    const { chat } = await share(place, `Figures ${t.id}`, { bob: "editor" });
    await t.model.rules({
      when: { user: `shout ${t.id}` },
      steps: [
        {
          calls: [{ name: "text_process", arguments: { text: t.id, operation: "upper" } }],
          usage: { prompt: 30, completion: 5 },
        },
        { text: "It went through.", usage: { prompt: 800, completion: 30 } },
      ],
    });
    await t.model.rules({
      when: { user: `the rest ${t.id}` },
      steps: [{ text: "That was it.", usage: { prompt: 300, completion: 20 } }],
    });
    await anna.page.goto(`${origin}/c/${chat}`);
    await bob.page.goto(`${origin}/`);
    await bob.page.getByRole("link", { name: `Figures ${t.id}` }).click();
    await say(bob.page, `shout ${t.id}`);
    await visible(card(bob.page).getByText("The project's owner decides."));
    assert.equal(await card(bob.page).getByRole("button", { name: "Approve", exact: false }).count(), 0);
    await t.shot(bob.page, "people-editor-waits");
    await visible(anna.page.getByText("bob", { exact: true }));
    await card(anna.page)
      .getByRole("button", { name: /^Approve/ })
      .first()
      .click();
    await visible(bob.page.getByText("It went through."));
    await finished(bob.page);
    await visible(bob.page.getByText(/8\d\d of 1,000 tokens used today/)); // before it is reached
    await t.shot(bob.page, "people-quota-near");
    await say(bob.page, `the rest ${t.id}`);
    await visible(bob.page.getByText("That was it."));
    await finished(bob.page);
    await say(bob.page, "and once more");
    await visible(bob.page.getByText(/Not sent: You have used \d+ of your 1000 tokens/));
    await t.shot(bob.page, "people-quota");
    await bob.page.goto(`${origin}/settings/account`);
    await visible(bob.page.getByText(/of 1,000 tokens used today/));
    await t.shot(bob.page, "people-account");
    await anna.page.goto(`${origin}/settings/users`);
    await visible(
      anna.page
        .getByRole("listitem")
        .filter({ hasText: "bob" })
        .getByText(/tokens today/),
    );
    await t.shot(anna.page, "people-users");
  },

  // US4, US5: a viewer is offered nothing that the server refuses, and is refused what is not offered.
  async "a viewer reads a shared project, and cannot send or change anything"(t) {
    const place = await begin(t);
    const { origin } = place;
    const eve = await invite(t, place, "eve");
    const { project, chat } = await share(place, "Read me", { eve: "viewer" });
    await eve.page.goto(`${origin}/c/${chat}`);
    await visible(eve.page.getByText("You can read here, but not write."));
    assert.equal(await eve.page.locator("textarea").count(), 0);
    await eve.page.goto(`${origin}/p/${project}`);
    await visible(eve.page.getByText("You can read here, but not write."));
    for (const name of ["New file", "Upload files", "Trash", "Edit project"])
      assert.equal(await eve.page.getByRole("button", { name }).count(), 0, name);
    await t.shot(eve.page, "people-viewer");
    await nothingToChange(t, place, eve, chat);
    assert.equal(eve.problems.length, 0, eve.problems.join("\n"));
    assert.equal((await call(eve.page, "POST", `/conversations/${chat}/runs`, { text: "hello" })).status, 403);
    forgive(eve, 403);
  },

  // US4, US8: models and agents are an administrator's to change.
  async "a user is not offered to connect a model or to change an agent, and a viewer to make anything"(t) {
    const place = await begin(t);
    const { origin, anna } = place;
    const bob = await invite(t, place, "bob");
    for (const [{ page }, n] of [
      [anna, 1],
      [bob, 0],
    ]) {
      await page.goto(`${origin}/settings/models`);
      await visible(page.getByText("Second model"));
      assert.equal(await page.getByRole("button", { name: "Connect a model" }).count(), n);
      assert.equal(await page.getByRole("button", { name: "Actions for Second model" }).count(), n);
      await page.goto(`${origin}/settings/agents`);
      await page.getByRole("button", { name: "Actions for NanoClaw" }).click();
      await visible(page.getByRole("menuitem"));
      assert.equal(await page.getByRole("button", { name: "New agent", includeHidden: true }).count(), n);
      assert.equal(await page.getByRole("menuitem", { name: "Edit" }).count(), n);
    }
    const { items } = (await call(anna.page, "GET", "/users")).body;
    const { id } = items.find((user) => user.name === "bob");
    assert.equal((await call(anna.page, "PATCH", `/users/${id}`, { role: "viewer" })).status, 200);
    for (const [section, title] of [
      ["prompts", "Prompts"],
      ["skills", "Skills"],
      ["schedules", "Schedules"],
      ["hooks", "Webhooks"],
    ]) {
      await bob.page.goto(`${origin}/settings/${section}`);
      await visible(bob.page.getByRole("region", { name: title }).getByText(/^No /));
      assert.equal(await bob.page.getByRole("button", { name: /^New (?!chat)/ }).count(), 0, section);
    }
  },

  // US1: who comes late with an invitation is told before choosing a password.
  async "an invitation that was used says so when it is opened"(t) {
    const { origin, server } = await begin(t);
    const [used] = server.log().match(/http\S+#first=[\w-]+/);
    const late = await t.open({ url: origin });
    await late.page.goto(used);
    await visible(late.page.getByRole("heading", { name: "This link doesn't work" }));
    assert.equal(await late.page.getByLabel("Password", { exact: true }).count(), 0);
    await accessible(late.page);
    await t.shot(late.page, "invitation-used");
    await late.page.getByRole("link", { name: "Sign in" }).click();
    await visible(late.page.getByLabel("Password", { exact: true }));
    forgive(late, 410);
    forgive(late, 401);
  },

  // US4: a link shows one conversation to who has no account, and nothing else.
  async "a share link opens without an account, shows one conversation, and ends when it is revoked"(t) {
    const place = await begin(t);
    const { origin, anna } = place;
    const { chat } = await share(place, "For everybody", {});
    await t.model.rules({ when: { user: `tell ${t.id}` }, steps: [{ text: `Told to ${t.id}.` }] });
    await anna.page.goto(`${origin}/c/${chat}`);
    await say(anna.page, `tell ${t.id}`);
    await visible(anna.page.getByText(`Told to ${t.id}.`));
    await finished(anna.page);
    await anna.page.getByRole("button", { name: "Share by link" }).click();
    await anna.page.getByRole("button", { name: "Create link" }).click();
    const link = await anna.page.getByRole("status").locator("code").innerText();
    await anna.page.getByRole("button", { name: "Copy", exact: true }).last().click();
    await visible(anna.page.getByRole("button", { name: "Copied" }));
    assert.equal(await anna.page.evaluate(() => navigator.clipboard.readText()), link);
    const guest = await t.open({ url: origin });
    await guest.page.goto(link);
    await visible(guest.page.getByText(`Told to ${t.id}.`));
    assert.equal(
      await guest.page.title(),
      `${await guest.page.getByRole("heading", { level: 1 }).innerText()} · NanoClaw`,
    );
    assert.equal(await guest.page.getByRole("navigation").count(), 0, "no sidebar");
    assert.equal(await guest.page.locator("textarea, button").count(), 0, "nothing to do");
    await t.shot(guest.page, "people-shared");
    assert.equal((await call(guest.page, "GET", `/conversations/${chat}`)).status, 401);
    await anna.page.getByRole("button", { name: "Revoke" }).click();
    await gone(anna.page.getByRole("button", { name: "Revoke" }));
    await guest.page.reload();
    await visible(guest.page.getByText("This link doesn't work"));
    forgive(guest, 401);
  },

  // CH8 US7: what only a server with accounts has is accessible and translated, too.
  async "the pages of accounts are accessible"(t) {
    const place = await begin(t);
    const { origin, anna } = place;
    await invite(t, place, "ben");
    const { project, chat } = await share(place, "给大家", { ben: "editor" });
    await call(anna.page, "POST", "/tokens", { name: "CI", scope: "run" });
    await call(anna.page, "POST", "/prompts", { name: "评审", text: "Review {{file}}.", shared: true });
    await t.model.rules({ when: { user: `问 ${t.id}` }, steps: [{ text: "两种都适合小团队。" }] });
    await anna.page.goto(`${origin}/c/${chat}`);
    await say(anna.page, `问 ${t.id}`);
    await finished(anna.page);
    const link = (await call(anna.page, "POST", `/conversations/${chat}/share`, {})).body.path;
    assert.match(link, /^\/shared#/);
    for (const [theme, locale, size] of chosen) {
      const one = await t.open({ url: origin, theme, locale, size });
      const { page } = one;
      const look = async (name) => {
        await t.shot(page, `${name}-${theme}-${locale}-${size}`);
        await accessible(page).catch((error) => {
          throw new Error(`${name}, ${theme}, ${locale}, ${size}: ${error.message}`);
        });
        if (locale === "zh") await inChinese(page, [t.id, "anna", "ben", "Shared", "Review {{file}}."]);
      };
      await page.goto(`${origin}/login`);
      await page.locator("input[type=password]").fill("not my password");
      await look("login");
      await page.locator("input").first().fill("anna");
      await page.keyboard.press("Enter");
      await visible(page.getByRole("alert"));
      await look("login-refused");
      assert.equal((await call(page, "POST", "/auth/login", { username: "anna", password })).status, 200);
      for (const [name, path, shown] of [
        ["account", "/settings/account", "main section li"],
        ["users", "/settings/users", "main li, main tr"],
        ["prompts-shared", "/settings/prompts", "main li"],
        ["members", `/p/${project}`, "main"],
        ["shared", link, "article"],
        ["shared-gone", "/shared#nothing", "main h1 + p"],
      ]) {
        await page.goto(new URL(path, origin).href);
        await visible(page.locator(shown));
        if (name === "members") {
          await page.getByRole("button", { name: /^(Members|成员)$/ }).click();
          await visible(page.getByRole("dialog"));
        }
        await page.waitForFunction(() => !document.querySelector("main .animate-spin"));
        await look(name);
      }
      forgive(one, 401); // of the page on which nobody was signed in yet
      forgive(one, 404); // of the link that does not exist
    }
  },

  // US7, CF4: what an administrator changes in the page holds for the next fan-out, and stands in the audit.
  async "the number of agents at work is changed in the page, for the next fan-out, and is audited"(t) {
    const place = await begin(t);
    const { origin, anna } = place;
    const { page } = anna;
    const names = ["north", "south"];
    const task = (name) => `look ${name} for ${t.id}`;
    await t.model.rules(
      ...names.map((name) => ({
        when: { user: task(name) },
        steps: [{ text: `${name} is fine`, gate: `${name}-${t.id}` }],
      })),
      {
        when: { user: `fan out ${t.id}` },
        steps: [
          {
            calls: [
              {
                name: "multi_agent",
                arguments: { tasks: names.map((name) => ({ name, instruction: task(name) })) },
              },
            ],
          },
          { text: "Both are fine." },
        ],
      },
    );
    await page.goto(`${origin}/settings/config`);
    await page.getByRole("searchbox", { name: "Search" }).fill("sub_agent.max_concurrency");
    const field = page.getByRole("textbox", { name: "sub_agent.max_concurrency" });
    await field.fill("0");
    await page.getByRole("button", { name: "Review and save" }).click();
    await visible(page.getByRole("alert"));
    await t.shot(page, "people-config-refused");
    await field.fill("1");
    await page.getByRole("button", { name: "Review and save" }).click();
    await visible(page.getByRole("dialog").getByText("max_concurrency: 1"));
    await t.shot(page, "people-config-diff");
    await page.getByRole("button", { name: "Write config.yml" }).click();
    await gone(page.getByRole("dialog"));
    assert.match(readFileSync(place.server.config, "utf8"), /# The server of the browser tests/, "comments stay");

    const { chat } = await share(place, "Fan-out", {});
    await page.goto(`${origin}/c/${chat}`);
    await say(page, `fan out ${t.id}`);
    await t.model.reached(`north-${t.id}`);
    const line = (name) =>
      page
        .getByRole("log")
        .getByRole("list", { name: "Sub-agents" })
        .getByRole("button", { name: `Show what ${name} did` });
    await visible(line("south").getByText("Queued"));
    await t.model.open(`north-${t.id}`);
    await t.model.reached(`south-${t.id}`);
    await t.model.open(`south-${t.id}`);
    await visible(page.getByText("Both are fine."));

    await page.goto(`${origin}/settings/audit`);
    await page
      .getByRole("button", { name: /Change config/ })
      .first()
      .click();
    await visible(page.getByText("anna", { exact: true }).first());
    await visible(page.getByText("max_concurrency: 1"));
    await t.shot(page, "people-audit");
    forgive(anna, 422);
  },

  // US6: the form of a user's quota begins with what holds today.
  async "a user's quota begins with the role's, and is their own once it is saved"(t) {
    const place = await begin(t);
    const { origin, anna } = place;
    await invite(t, place, "bob");
    await anna.page.goto(`${origin}/settings/users`);
    const row = anna.page.getByRole("listitem").filter({ hasText: "bob" });
    await row.getByRole("button", { name: "Quota" }).click();
    const tokens = anna.page.getByRole("dialog").getByRole("spinbutton").first();
    assert.equal(await tokens.inputValue(), "1000");
    await t.shot(anna.page, "people-quota-form");
    await tokens.fill("2500");
    const storage = anna.page.getByLabel("Upload storage");
    await storage.fill("500 MB");
    await anna.page.getByRole("button", { name: "Save" }).click();
    await gone(anna.page.getByRole("dialog"));
    await row.getByRole("button", { name: "Quota" }).click();
    assert.equal(await tokens.inputValue(), "2500");
    assert.equal(await storage.inputValue(), "500 MB");
    const { items } = (await call(anna.page, "GET", "/users")).body;
    assert.equal(items.find((user) => user.name === "bob").quota.storage, 500e6);
  },

  // US7: what becomes of a person's data is said before the account is changed, and nothing happens before the answer.
  async "an account is found, made a viewer, disabled and deleted, each after a question"(t) {
    const place = await begin(t);
    const { origin, anna } = place;
    const { page } = anna;
    const bob = await invite(t, place, "bob");
    await bob.page.close();
    await page.goto(`${origin}/settings/users`);
    const row = (name) => page.getByRole("listitem").filter({ hasText: name });
    await page.getByRole("searchbox", { name: "Find by name" }).fill("BO");
    await gone(row("anna"));
    const asked = (text) => page.getByRole("dialog").getByText(text);
    const role = row("bob").getByLabel("Role: bob");
    await role.selectOption("viewer");
    await visible(asked("can only read"));
    await page.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await role.inputValue(), "user");
    await role.selectOption("viewer");
    await page.getByRole("button", { name: "Change role" }).click();
    await until(async () => (await role.inputValue()) === "viewer", "the new role");
    await row("bob").getByRole("button", { name: "Disable" }).click();
    await visible(asked("Projects, chats and files are kept"));
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await visible(row("bob").getByText("Disabled", { exact: true }));
    await row("bob").getByRole("button", { name: "Delete" }).click();
    await visible(asked("What they wrote in other people's projects stays."));
    await t.shot(page, "people-delete");
    await page.setViewportSize({ width: 390, height: 800 });
    await page.evaluate(() => (document.documentElement.dataset.theme = "dark"));
    await t.shot(page, "people-delete-dark-phone");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await visible(page.getByText("No matching accounts."));
  },
};
