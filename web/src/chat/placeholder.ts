/**
 * Where the next placeholder such as {{topic}} stands in a text, at or behind a place, or from the beginning again;
 * null: the text has none.
 */
export function nextPlaceholder(text: string, from = 0): [start: number, end: number] | null {
  const places = [...text.matchAll(/\{\{[^{}\n]+\}\}/g)].map((found): [number, number] => [
    found.index,
    found.index + found[0].length,
  ]);
  return places.find(([start]) => start >= from) ?? places[0] ?? null;
}
