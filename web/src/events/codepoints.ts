/** The number of Unicode code points, which is what offsets in deltas count. */
export function codePoints(text: string): number {
  let n = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next < 0xe000) {
        n--;
        i++;
      }
    }
  }
  return n;
}

/** The text without its first `count` code points. */
export function dropCodePoints(text: string, count: number): string {
  let i = 0;
  for (; count > 0 && i < text.length; count--) i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1;
  return text.slice(i);
}
