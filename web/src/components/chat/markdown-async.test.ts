import { mount } from "@vue/test-utils";
import { describe, expect, it, vi } from "vitest";
import { defineComponent, h, nextTick, ref } from "vue";
import { loadMarkdown, Markdown, markdownSettled } from "./markdown-async";

describe("text of a model", () => {
  it("shows once the renderer is there, and grows with what streams in", async () => {
    const text = ref("One");
    const view = mount(defineComponent(() => () => h("main", [h(Markdown, { text: text.value, open: true })])));
    expect(view.text()).toBe("");
    await loadMarkdown();
    await vi.waitFor(() => expect(view.text()).toBe("One"));
    expect(markdownSettled.value).toBe(true);
    for (const more of ["One\n\nTwo", "One\n\nTwo\n\nThree"]) {
      text.value = more;
      await nextTick();
      expect(view.findAll("p").map((p) => p.text())).toEqual(more.split("\n\n"));
    }
  });
});
