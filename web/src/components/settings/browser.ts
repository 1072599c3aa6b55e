/** Names of browsers and systems as the User-Agent header has them, the more special ones first. */
const browsers: Record<string, RegExp> = {
  Edge: /\bEdg(e|A|iOS)?\//,
  Opera: /\bOPR\//,
  Firefox: /\b(Firefox|FxiOS)\//,
  Chrome: /\b(Headless)?(Chrome|CriOS)\//,
  Safari: /\bSafari\//,
};
const systems: Record<string, RegExp> = {
  Android: /\bAndroid\b/,
  iOS: /\b(iPhone|iPad)\b/,
  Windows: /\bWindows\b/,
  macOS: /\bMac OS X\b/,
  ChromeOS: /\bCrOS\b/,
  Linux: /\bLinux\b/,
};

/** A User-Agent as a person would name it, such as "Firefox · Windows"; of another program what it says. */
export function browserOf(agent: string): string {
  const found = [browsers, systems].flatMap(
    (names) => Object.keys(names).find((name) => names[name]!.test(agent)) ?? [],
  );
  return found.length ? found.join(" · ") : agent;
}
