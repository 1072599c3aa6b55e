import { describe, expect, it } from "vitest";
import type { ToolCall } from "@/api/types";
import { aboutOf, argumentsOf, outcomeOf, summaryOf, touchedBy } from "./call-text";

const call = (name: string, args: string, result?: string, success?: boolean): ToolCall => ({
  id: "1",
  type: "function",
  function: { name, arguments: args },
  result,
  success,
});

describe("a tool call in words", () => {
  it("names the argument that tells most", () => {
    expect(summaryOf(call("shell_execute", '{"timeout":5,"command":"ls\\n -l"}'))).toBe("ls -l");
    expect(summaryOf(call("x", "{}"))).toBe("");
  });

  it("names the argument that its tool's line is about", () => {
    const one = call("x", '{"command":"ls","path":"src/a\\nb.ts"}');
    expect(aboutOf(one, "path")).toBe("src/a b.ts");
    expect(aboutOf(one, (args) => `${String(args.command)}!`)).toBe("ls!");
    expect(aboutOf(one, "no such")).toBe("");
    expect(aboutOf(one)).toBe("ls");
  });

  it("hides nothing behind blanks, marks what is not drawn, and counts what it cuts", () => {
    const padded = JSON.stringify({ command: `rm old.txt${" ".repeat(1000)}; rm -rf \u202e~` });
    expect(summaryOf(call("shell_execute", padded))).toBe("rm old.txt ; rm -rf ⟨U+202E⟩~");
    expect(summaryOf(call("shell_execute", JSON.stringify({ command: "x".repeat(200) })))).toBe(
      `${"x".repeat(160)}… (+40)`,
    );
  });

  it("bears arguments and results that are not JSON", () => {
    expect(argumentsOf(call("x", '{"path": "a'))).toEqual({});
    expect(argumentsOf(call("x", "[1]"))).toEqual({});
    expect(outcomeOf(call("x", "{}", "plain", false))).toMatchObject({ success: false, data: "plain" });
  });

  it("tells success and failure", () => {
    const failed = outcomeOf(call("x", "{}", '{"success":false,"error":"no","code":"denied"}', false));
    expect(failed).toMatchObject({ success: false, error: "no", code: "denied" });
    expect(outcomeOf(call("x", "{}"))).toBeNull();
  });

  it("knows the files that a call changed, and only those", () => {
    expect(touchedBy(call("file_write", '{"path":"./a.txt"}', "{}", true))).toEqual(["a.txt"]);
    expect(touchedBy(call("file_move", '{"from":"a","to":"/b"}', "{}", true))).toEqual(["b"]);
    expect(touchedBy(call("file_write", '{"path":"a"}', "{}", false))).toEqual([]);
    expect(touchedBy(call("file_read", '{"path":"a"}', "{}", true))).toEqual([]);
  });
});
