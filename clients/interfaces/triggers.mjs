// Schedules and hooks over HTTP, as n8n, GitHub or a script of one's own use them.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { check, eventually } from "./house.mjs";

export default async function triggers(house) {
  const { api } = house;
  const call = (hook, body, headers) => fetch(house.url + hook.url, { method: "POST", body, headers });
  const sign = (secret, body) =>
    "sha256=" +
    createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
      .update(body)
      .digest("hex");
  const ended = (id) => eventually("the end of the run", async () => (await api.get(`/runs/${id}`)).finished_at);

  await check("triggers", {
    "a schedule is made, runs now, is paused and deleted": async () => {
      const made = await api.post("/schedules", {
        name: "Report",
        cron: "30 7 * * 1-5",
        timezone: "Europe/Berlin",
        text: "say hello",
        model: "scripted",
      });
      assert.ok(new Date(made.next_at) > new Date() && made.enabled);
      const firing = await api.post(`/schedules/${made.id}/run`);
      await ended(firing.run_id);
      const { items } = await api.get(`/schedules/${made.id}/firings`);
      assert.deepEqual(
        items.map((one) => [one.outcome, one.run_id]),
        [["started", firing.run_id]],
      );
      const listed = (await api.get("/conversations")).items;
      assert.deepEqual(
        listed.map((one) => [one.id, one.title]),
        [[firing.conversation_id, "Report"]],
      );
      assert.equal((await api.patch(`/schedules/${made.id}`, { enabled: false })).enabled, false);
      await api.delete(`/schedules/${made.id}`);
      assert.deepEqual((await api.get("/schedules")).items, []);
    },
    "nonsense is refused": async () => {
      for (const body of [
        {},
        { name: "x", cron: "61 * * * *", text: "x" },
        { name: "x", cron: "0 0 * * *", timezone: "Mars", text: "x" },
        { name: "x", cron: "0 0 * * *", text: "x", agent: "nobody" },
        { name: "x", cron: "0 0 * * *", text: "x", model: "nothing" },
      ])
        await assert.rejects(api.post("/schedules", body), /422/, JSON.stringify(body));
      await assert.rejects(api.post("/hooks", { name: "x", template: "{{env.KEY}}" }), /422/);
      await assert.rejects(api.get("/schedules/nothing"), /404/);
    },
    "a hook takes a signed request, once for each key": async () => {
      const hook = await api.post("/hooks", {
        name: "Issues",
        template: "About {{body.title}}: say hello",
        model: "scripted",
      });
      assert.match(hook.secret, /^whsec_/);
      assert.equal((await api.get(`/hooks/${hook.id}`)).secret, undefined);
      const body = JSON.stringify({ title: 'a "quoted" title' });
      const headers = { "X-Hub-Signature-256": sign(hook.secret, body), "X-GitHub-Delivery": "1" };
      const first = await call(hook, body, headers);
      assert.equal(first.status, 202);
      const firing = await first.json();
      const again = await call(hook, body, headers);
      assert.deepEqual([again.status, (await again.json()).run_id], [200, firing.run_id]);
      await ended(firing.run_id);
      const { items } = await api.get(`/conversations/${firing.conversation_id}/messages`);
      assert.equal(items[0].text, 'About "a \\"quoted\\" title": say hello');
      for (const [sent, path, status] of [
        [{}, hook.url, 401],
        [{ "X-Hub-Signature-256": "sha256=00" }, hook.url, 401],
        [{}, "/hooks/nothing", 401],
        [{ ...headers, Origin: "http://evil.example" }, hook.url, 403],
      ])
        assert.equal((await call({ url: path }, body, sent)).status, status, JSON.stringify([path, sent]));
      assert.equal((await call(hook, "x".repeat(3 << 20), headers)).status, 413);
      await api.patch(`/hooks/${hook.id}`, { enabled: false });
      assert.equal((await call(hook, body, headers)).status, 409);
    },
    "a hook with a token, as n8n sends it": async () => {
      const hook = await api.post("/hooks", {
        name: "n8n",
        auth: "token",
        secret: "a long enough secret",
        model: "scripted",
      });
      assert.equal((await call(hook, "{}", { Authorization: "Bearer a long enough secret" })).status, 202);
      assert.equal((await call(hook, "{}", { Authorization: "Bearer a wrong secret of length" })).status, 401);
    },
  });
}
