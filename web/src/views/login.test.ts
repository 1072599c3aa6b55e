import { describe, expect, it } from "vitest";
import { localPath, takeLink } from "./login";

// US1: signing in leads to a page of this app, never to another site.
describe("localPath", () => {
  it.each([
    ["/c/1?x=2#y", "/c/1?x=2#y"],
    ["//evil.example", "/"],
    ["/\\evil.example", "/"],
    ["/\t/evil.example", "/"],
    ["https://evil.example", "/"],
    ["javascript:alert(1)", "/"],
    [undefined, "/"],
    [["/a"], "/"],
  ])("%j leads to %s", (back, want) => expect(localPath(back)).toBe(want));
});

// US1: the link's token leaves the address bar.
describe("takeLink", () => {
  it("is taken once", () => {
    history.replaceState(null, "", "/login#link=abc-_1");
    expect(takeLink()).toEqual({ token: "abc-_1", first: false });
    expect(location.hash).toBe("");
    expect(takeLink()).toBeNull();
    history.replaceState(null, "", "/login#first=abc-_1");
    expect(takeLink()).toEqual({ token: "abc-_1", first: true });
  });
});
