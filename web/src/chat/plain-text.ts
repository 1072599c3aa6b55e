/** Markdown → the words of one line: marks go, what stands in code stays as it is. */
export function plainLine(markdown: string, limit: number): string {
  const parts = markdown.slice(0, 20 * limit).split(/(`+[^`]*`+)/);
  const words = parts.map((part, i) =>
    i % 2 ? part.replace(/^`+|`+$/g, "") : part.replace(/^#+\s|\*\*|__|^[-*]\s/gm, ""),
  );
  return words.join("").replace(/\s+/g, " ").trim().slice(0, limit);
}
