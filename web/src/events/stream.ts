/** One SSE connection: reads, notices silence, reconnects with the last cursor. */
import { createParser } from "eventsource-parser";
import type { ServerEvent, StreamEvent } from "./types";

export type Connection = "connecting" | "open" | "waiting" | "closed";

export interface StreamOptions {
  url: string;
  /** Where to go on from; "" for now. */
  cursor: string;
  onEvent(event: StreamEvent): void;
  onState(state: Connection): void;
  /** Milliseconds without a byte after which a connection counts as dead. The server beats every 15 s. */
  silence?: number;
}

/** Follows a stream until the signal aborts; never throws for a lost network. */
export async function follow(options: StreamOptions, signal: AbortSignal): Promise<void> {
  let cursor = options.cursor;
  let failures = 0;
  while (!signal.aborted) {
    options.onState(failures === 0 ? "connecting" : "waiting");
    try {
      await readOnce({ ...options, cursor }, signal, (next) => {
        failures = 0;
        if (next) cursor = next;
      });
    } catch (error) {
      if (signal.aborted) break;
      if (!(error instanceof Disconnected) && !(error instanceof TypeError)) console.error("event stream", error);
    }
    if (signal.aborted) break;
    failures++;
    options.onState("waiting");
    await pause(backoff(failures), signal);
  }
  options.onState("closed");
}

class Disconnected extends Error {}

async function readOnce(options: StreamOptions, signal: AbortSignal, alive: (cursor: string) => void): Promise<void> {
  const connection = new AbortController();
  const stop = () => connection.abort();
  signal.addEventListener("abort", stop, { once: true });
  const limit = options.silence ?? 40_000;
  let timer = setTimeout(stop, limit);
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, limit);
  };
  try {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (options.cursor) headers["Last-Event-ID"] = options.cursor;
    const response = await fetch(options.url, { headers, signal: connection.signal, cache: "no-store" });
    if (response.status === 401) globalThis.dispatchEvent(new Event("nanoclaw:unauthorized"));
    if (!response.ok || !response.body) throw new Disconnected(`status ${response.status}`);
    options.onState("open");
    alive("");
    const parser = createParser({
      onEvent(message) {
        const event = parse(message.data);
        if (event) options.onEvent({ cursor: message.id ?? "", event });
        alive(message.id ?? "");
      },
    });
    const text = new TextDecoder();
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Disconnected("the server closed the stream");
      heard();
      parser.feed(text.decode(value, { stream: true }));
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    connection.abort();
  }
}

/** The first event of a stream, which is then left: how a single snapshot is read. */
export async function firstEvent(url: string, signal: AbortSignal): Promise<StreamEvent | null> {
  const own = new AbortController();
  const both = AbortSignal.any([signal, own.signal]);
  let first: StreamEvent | null = null;
  const found = (event: StreamEvent) => {
    first ??= event;
    own.abort();
  };
  try {
    await readOnce(
      { url, cursor: "", onEvent: found, onState: () => undefined, silence: 10_000 },
      both,
      () => undefined,
    );
  } catch (error) {
    if (!own.signal.aborted && signal.aborted) throw error;
  }
  return first;
}

function parse(data: string): ServerEvent | null {
  try {
    return JSON.parse(data) as ServerEvent;
  } catch (error) {
    console.error("an event that is not JSON", error);
    return null;
  }
}

/** Half a second, growing to ten, with some chance so that a restarted server is not stormed. */
export function backoff(failures: number, random = Math.random()): number {
  return Math.min(10_000, 500 * 1.6 ** (failures - 1)) * (0.75 + random / 2);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    globalThis.addEventListener?.("online", done);
    signal.addEventListener("abort", done);
  });
}
