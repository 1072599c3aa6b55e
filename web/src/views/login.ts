/** Where a sign-in leads: a path of this app and nothing else, whatever the address says. */
export function localPath(back: unknown): string {
  if (typeof back !== "string" || !back.startsWith("/")) return "/";
  const target = new URL(back, location.origin);
  return target.origin === location.origin && !target.pathname.startsWith("//")
    ? target.pathname + target.search + target.hash
    : "/";
}

/** The token of `#link=TOKEN`, which leaves the address bar; null: there is none. */
export function takeLink(): string | null {
  const [, token] = /^#link=([\w-]+)$/.exec(location.hash) ?? [];
  if (token) history.replaceState(history.state, "", location.pathname + location.search);
  return token ?? null;
}
