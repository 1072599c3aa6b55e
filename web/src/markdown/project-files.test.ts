import { describe, expect, it } from "vitest";
import { markdown } from "./parser";
import { pathOf, withPictures } from "./project-files";

describe("files of a project in a text", () => {
  it("are found from the folder of the text", () => {
    expect(pathOf("plots/a.png", "")).toBe("plots/a.png");
    expect(pathOf("./a%20b.png", "docs")).toBe("docs/a b.png");
    expect(pathOf("../a.png", "docs/x")).toBe("docs/a.png");
    expect(pathOf("../../../a.png", "docs")).toBe("a.png");
    expect(pathOf("/src/app.py#L3", "docs")).toBe("src/app.py");
  });

  it("are not what leads elsewhere", () => {
    for (const address of [
      "https://a.org/b.png",
      "//a.org/b.png",
      "#part",
      "mailto:a@b.c",
      "/api/v1/x",
      "%E0%A4%A.png",
      "..%2f..%2fconversations",
      "docs/..%2F..%2F..",
    ])
      expect(pathOf(address, ""), address).toBe("");
  });

  it("are pictures with a project, and words without one", () => {
    const html = markdown.render('![A "plot"](plots/a.png) ![far](https://a.org/b.png)');
    const shown = withPictures(html, { project: "p1", folder: "" });
    expect(shown).toContain(
      '<img src="/api/v1/projects/p1/files/plots/a.png" alt="A &quot;plot&quot;" loading="lazy">',
    );
    expect(shown).toContain('<a href="https://a.org/b.png"');
    expect(withPictures(html, null)).not.toContain("<img");
  });
});
