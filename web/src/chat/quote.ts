/** A text as a quotation in Markdown, with room behind it for what is said about it. */
export function quoted(text: string): string {
  const lines = text.trim().replace(/\n{3,}/g, "\n\n");
  return `${lines
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n")}\n\n`;
}
