/** What a search found: which of its words stand in a text, for the eye and for the find bar. */

export interface Piece {
  text: string;
  hit: boolean;
}

/** The words of a query, the longest first: it says most. */
const wordsOf = (query: string) =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .sort((a, b) => b.length - a.length);

/** A text in pieces, with the words of a query apart. */
export function pieces(text: string, query: string): Piece[] {
  const words = wordsOf(query);
  if (words.length === 0) return [{ text, hit: false }];
  const wanted = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})`, "gi");
  return text
    .split(wanted)
    .map((part, i) => ({ text: part, hit: i % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}

/** What to look for in a chat whose text a query was found in: the query as it is, or its longest word that is there. */
export function findTextOf(query: string, snippet: string): string {
  const body = snippet.toLowerCase();
  const whole = query.trim();
  if (body.includes(whole.toLowerCase())) return whole;
  return wordsOf(query).find((word) => body.includes(word)) ?? "";
}
