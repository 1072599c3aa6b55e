/** A file's bytes as a text for the editor, and back: what nobody edited is saved as it was. */

/** What an editor leaves out of the text. */
export interface Shape {
  /** It begins with a byte order mark. */
  mark: boolean;
  /** All its lines end as those of Windows. */
  crlf: boolean;
}

/** Null: it is not UTF-8, and could not be written as it was. */
export function textIn(bytes: ArrayBuffer): { text: string; shape: Shape } | null {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
  const mark = text.startsWith("\ufeff");
  if (mark) text = text.slice(1);
  // Where line ends are mixed the editor keeps each.
  const crlf = text.includes("\r\n") && !/\r(?!\n)|(?<!\r)\n/.test(text);
  return { text: crlf ? text.replaceAll("\r\n", "\n") : text, shape: { mark, crlf } };
}

export function fileOf(text: string, { mark, crlf }: Shape): string {
  return (mark ? "\ufeff" : "") + (crlf ? text.replaceAll("\n", "\r\n") : text);
}

/** The text has line ends of several kinds. */
export const isMixed = (text: string) => text.includes("\r");
