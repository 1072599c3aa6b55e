import { expect, test } from "vitest";
import type { LiveCall } from "@/events/state";
import { browsedBy } from "./browsed";

const call = (finishedAt: string, data: unknown, more: object = {}): LiveCall =>
  ({
    call: {
      id: finishedAt,
      function: { name: "browser_use", arguments: "{}" },
      success: true,
      result: JSON.stringify({ success: true, data }),
      ...more,
    },
    finished: finishedAt !== "",
    finishedAt,
  }) as unknown as LiveCall;
const page = (name: string) => ({ url: `https://${name}.example/`, title: name });
const images = (name: string) => ({ images: [{ upload_id: name, name, content_type: "image/png", size: 1 }] });

test("the last page and the last screenshot are shown, whatever the order of the calls", () => {
  expect(browsedBy([call("3", page("b"), images("second")), call("1", page("a"), images("first"))])).toMatchObject({
    page: page("b"),
    picture: { upload_id: "second" },
    pictured: null,
  });
});

test("a picture of an earlier page says which one it shows", () => {
  expect(browsedBy([call("1", page("a"), images("first")), call("2", page("b"))])).toMatchObject({
    page: page("b"),
    picture: { upload_id: "first" },
    pictured: page("a"),
  });
});

test("what failed, runs, has no page or is another tool shows nothing", () => {
  expect(
    browsedBy([
      call("1", page("a"), { success: false, result: '{"success":false,"error":"blocked"}' }),
      call("", page("a")),
      call("2", {}),
      call("3", page("a"), { function: { name: "view_image", arguments: "{}" } }),
    ]),
  ).toBeNull();
  expect(browsedBy([call("1", page("a"))])).toMatchObject({ page: page("a"), picture: null, pictured: null });
});
