import { beforeEach, describe, expect, it } from "vitest";
import { findingText } from "./finding";
import { i18n, setLocale } from "./index";

beforeEach(() => setLocale("en"));

describe("findings", () => {
  it("TG4: say why a setting asks in words of the page", () => {
    expect(findingText({ id: "guard.setting.mode.ask", message: "a person has to" })).toEqual({
      said: i18n.global.t("finding.mode_ask"),
      exact: "",
    });
    expect(findingText({ id: "shell.system.mount", message: "it changes what is mounted" })).toEqual({
      said: "",
      exact: "it changes what is mounted",
    });
  });

  it("are said in Chinese by the family of the rule, with the server's words behind", async () => {
    await setLocale("zh");
    const found = findingText({ id: "shell.system.mount", message: "it changes what is mounted" });
    expect(found.said).toMatch(/\p{Script=Han}/u);
    expect(found.exact).toBe("it changes what is mounted");
    expect(findingText({ id: "my-own-rule", message: "no force pushes" })).toEqual({
      said: "",
      exact: "no force pushes",
    });
  });
});
