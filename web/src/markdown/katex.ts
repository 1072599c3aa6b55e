/** Fills math elements with KaTeX, which is loaded when the first formula appears. */
export async function renderMath(root: Element): Promise<void> {
  const elements = root.querySelectorAll<HTMLElement>(".math:not([data-done])");
  if (elements.length === 0) return;
  const [{ default: katex }] = await Promise.all([import("katex"), import("katex/dist/katex.min.css")]);
  for (const element of elements) {
    if (!element.isConnected || element.dataset.done) continue;
    const source = element.textContent ?? "";
    element.dataset.done = "true";
    katex.render(source, element, {
      displayMode: element.dataset.display === "true",
      throwOnError: false,
      trust: false,
      maxExpand: 200,
      output: "htmlAndMathml",
    });
  }
}
