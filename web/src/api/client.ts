/** The one place that talks HTTP: base path, errors as `Problem`, JSON in and out. */

export const base = "/api/v1";

interface FieldError {
  location?: string;
  message?: string;
}

/** A failed request. `status` 0: no answer came at all. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly errors: FieldError[];
  /** The whole body, for fields that only one route adds. */
  readonly body: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>, fallback: string) {
    super(String(body.detail ?? body.title ?? fallback));
    this.name = "Problem";
    this.status = status;
    this.code = String(body.code ?? "");
    this.requestId = String(body.request_id ?? "");
    this.errors = Array.isArray(body.errors) ? (body.errors as FieldError[]) : [];
    this.body = body;
  }
}

/** Says whether an error means that the server does not have the thing (yet). */
export function isMissing(error: unknown): boolean {
  return error instanceof Problem && (error.status === 404 || error.status === 405 || error.status === 501);
}

export interface RequestOptions {
  method?: string;
  query?: Record<string, string | number | boolean | null | undefined>;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const tokenKey = "nanoclaw.decisions";

/**
 * The token for decisions: where the server cannot tell a person from a tool, it prints an address with
 * `#decisions=TOKEN`. It stays in this browser, and leaves the address bar.
 */
export function decisionToken(): string | null {
  const [, given] = /^#decisions=([\w-]+)$/.exec(globalThis.location?.hash ?? "") ?? [];
  try {
    if (given) {
      localStorage.setItem(tokenKey, given);
      history.replaceState(history.state, "", location.pathname + location.search);
    }
    return localStorage.getItem(tokenKey);
  } catch {
    return given ?? null; // storage is forbidden: it holds until the page is left
  }
}

const decisions = decisionToken();

/** Sends a request and gives the answer; throws `Problem` for any status above 399. */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json", ...options.headers };
  let body = options.body;
  if (options.json !== undefined) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(options.json);
  }
  const url = base + path + queryOf(options.query);
  const method = options.method ?? (body === undefined ? "GET" : "POST");
  if (decisions && method !== "GET") headers["X-Decision-Token"] = decisions;
  let response: Response;
  try {
    response = await (takeEarly(method, url) ??
      fetch(url, { method, headers, body, signal: options.signal, credentials: "same-origin" }));
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem(0, { code: "unreachable" }, "The server can't be reached.");
  }
  if (response.status === 401) globalThis.dispatchEvent(new Event("nanoclaw:unauthorized"));
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** An answer that was asked for before the app was there (public/theme.js); each is taken once. */
function takeEarly(method: string, url: string): Promise<Response> | undefined {
  const early = (globalThis as { nanoclawEarly?: Map<string, Promise<Response>> }).nanoclawEarly;
  const answer = method === "GET" ? early?.get(url) : undefined;
  if (answer) early!.delete(url);
  return answer;
}

/** Sends a request and reads JSON; an empty answer is `undefined`. */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(path, options);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** Joins segments into a path, each percent-encoded once; slashes in a file path stay. */
export function pathOf(...segments: string[]): string {
  return segments.map((s) => "/" + s.split("/").map(encodeURIComponent).join("/")).join("");
}

function queryOf(query: RequestOptions["query"]): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== "") params.set(key, String(value));
  }
  const text = params.toString();
  return text === "" ? "" : "?" + text;
}

async function problemOf(response: Response): Promise<Problem> {
  const fallback = `${response.status} ${response.statusText}`;
  try {
    const body: unknown = await response.json();
    if (body !== null && typeof body === "object") {
      return new Problem(response.status, body as Record<string, unknown>, fallback);
    }
  } catch {
    // Not JSON: a proxy answered, perhaps. The status says enough.
  }
  return new Problem(response.status, {}, fallback);
}
