/** Which files can be looked at beside being edited, and how a table is read. */

export type PreviewKind = "markdown" | "html" | "svg" | "table" | "pdf" | "image" | "audio" | "video";

const byExtension: Record<string, PreviewKind> = {};
const add = (kind: PreviewKind, extensions: string) => extensions.split(" ").forEach((e) => (byExtension[e] = kind));
add("markdown", "md markdown");
add("html", "html htm");
add("svg", "svg");
add("table", "csv tsv");
add("pdf", "pdf");
add("image", "png jpg jpeg gif webp avif bmp ico");
add("audio", "mp3 wav ogg oga m4a flac opus");
add("video", "mp4 webm mov m4v ogv");

export function previewOf(path: string): PreviewKind | null {
  return byExtension[path.split(".").at(-1)?.toLowerCase() ?? ""] ?? null;
}

/** Shown as text too, in the editor. */
export const isSource = (kind: PreviewKind | null) =>
  kind === "markdown" || kind === "html" || kind === "svg" || kind === "table";

/** Rows of a table that are shown: more would only slow the page down. */
export const rowLimit = 1000;

/** Reads comma- or tab-separated values (RFC 4180); one row more than the limit says that there are more. */
export function tableOf(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < text.length && rows.length <= rowLimit; i++) {
    const c = text[i]!;
    if (quoted) {
      if (c !== '"') cell += c;
      else if (text[i + 1] === '"') cell += text[++i];
      else quoted = false;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === separator) {
      row.push(cell);
      cell = "";
    } else if (c === "\n") {
      rows.push([...row, cell.replace(/\r$/, "")]);
      row = [];
      cell = "";
    } else cell += c;
  }
  if ((cell !== "" || row.length > 0) && rows.length <= rowLimit) rows.push([...row, cell]);
  return rows;
}
