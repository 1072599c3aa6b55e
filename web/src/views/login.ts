/** Where a sign-in leads: a path of this app and nothing else, whatever the address says. */
export function localPath(back: unknown): string {
  if (typeof back !== "string" || !back.startsWith("/")) return "/";
  const target = new URL(back, location.origin);
  return target.origin === location.origin && !target.pathname.startsWith("//")
    ? target.pathname + target.search + target.hash
    : "/";
}

export interface Link {
  token: string;
  /** Who opens it is the first administrator, whose account has no name yet. */
  first: boolean;
}

/** The token of `#link=TOKEN` or `#first=TOKEN`, which leaves the address bar; null: there is none. */
export function takeLink(): Link | null {
  const [, kind, token] = /^#(link|first)=([\w-]+)$/.exec(location.hash) ?? [];
  if (!token) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return { token, first: kind === "first" };
}
