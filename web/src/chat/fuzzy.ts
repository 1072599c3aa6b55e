/** A glob of the names that have the letters of a text in their order, in any case; "" where it has none. */
export function fuzzyGlob(text: string): string {
  const letters = [...text].filter((letter) => letter.trim() !== "").map(oneOf);
  return letters.length ? `*${letters.join("*")}*` : "";
}

function oneOf(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  if (lower !== upper && [...lower].length === 1 && [...upper].length === 1) return `[${lower}${upper}]`;
  return /[*?[\]{}\\!^-]/.test(letter) ? `\\${letter}` : letter;
}

/** How badly a path fits what is looked for: least where its name begins with the text. */
export function misfit(path: string, text: string): number {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const at = name.indexOf(text.toLowerCase());
  return (at < 0 ? 1000 : at) + path.length / 1000;
}
