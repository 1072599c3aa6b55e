// @vitest-environment node
import { expect, test } from "vitest";
import { zip } from "../../test/zip.mjs";
import { unzip } from "./unzip";

test("files of an archive are listed, and read one by one", async () => {
  const text = '[{"title":"Tee 🫖"}]'.repeat(5000);
  const archive = new Blob([zip({ "chat.html": "<p>", "export/conversations.json": text })]);
  const list = (await unzip(archive))!;
  expect(list.map((entry) => entry.name)).toEqual(["chat.html", "export/conversations.json"]);
  expect(await list[1]!.text()).toBe(text);
  expect(await list[0]!.text()).toBe("<p>");
});

test("what is no archive is said to be none", async () => {
  expect(await unzip(new Blob(['{"format":"x"}']))).toBeNull();
  expect(await unzip(new Blob([]))).toBeNull();
});
