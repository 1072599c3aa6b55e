/**
 * One event stream per browser. The tab that holds a Web Lock reads the stream and
 * hands each event to the others over a BroadcastChannel; when it closes, the next
 * tab gets the lock and goes on from the last cursor that it saw. A tab that comes
 * into view and hears nothing from a leader (a phone may have frozen it) takes over.
 * Without Web Locks (plain http on another host) every tab reads its own stream.
 */
import { follow, type Connection } from "./stream";
import type { StreamEvent } from "./types";

type Note =
  | { kind: "event"; cursor: string; event: StreamEvent["event"] }
  | { kind: "state"; state: Connection; cursor: string }
  | { kind: "ping" };

const lockName = "nanoclaw.events";

export interface Hub {
  close(): void;
}

export interface HubOptions {
  url: string;
  onEvent(event: StreamEvent): void;
  onState(state: Connection): void;
  /** Called when events flow: what is read from now on is followed by all that comes after. */
  onReady(): void;
  /** Milliseconds that a leader has for an answer. */
  patience?: number;
}

export function openHub(options: HubOptions): Hub {
  const closing = new AbortController();
  const shared = "locks" in navigator && "BroadcastChannel" in globalThis;
  const channel = shared ? new BroadcastChannel(lockName) : null;
  let cursor = "";
  let leading = false;
  let state: Connection = "connecting";
  let lastHeard = 0;

  function setState(next: Connection): void {
    state = next;
    options.onState(next);
  }

  function receive(event: StreamEvent): void {
    if (event.cursor) cursor = event.cursor;
    options.onEvent(event);
    options.onReady();
  }

  async function lead(signal: AbortSignal): Promise<void> {
    leading = true;
    try {
      await follow(
        {
          url: options.url,
          cursor,
          onEvent(event) {
            receive(event);
            channel?.postMessage({ kind: "event", ...event } satisfies Note);
          },
          onState(next) {
            setState(next);
            if (!signal.aborted) channel?.postMessage({ kind: "state", state: next, cursor } satisfies Note);
          },
        },
        signal,
      );
    } finally {
      leading = false;
    }
  }

  /** Waits for the lock, leads as long as it is held, and queues again when it was stolen. */
  async function queue(steal: boolean): Promise<void> {
    while (!closing.signal.aborted) {
      const term = new AbortController();
      const end = () => term.abort();
      closing.signal.addEventListener("abort", end);
      try {
        const how = steal ? { steal: true } : { signal: closing.signal };
        await navigator.locks.request(lockName, how, () => lead(term.signal));
      } catch {
        // Stolen by a tab in view, or closing.
      } finally {
        term.abort();
        closing.signal.removeEventListener("abort", end);
      }
      steal = false;
    }
  }

  function hear(message: globalThis.MessageEvent<Note>): void {
    const note = message.data;
    if (note.kind === "ping") {
      if (leading) channel?.postMessage({ kind: "state", state, cursor } satisfies Note);
      return;
    }
    lastHeard = Date.now();
    if (leading) return;
    if (note.kind === "event") receive(note);
    else {
      if (!cursor) cursor = note.cursor;
      setState(note.state);
      if (note.state === "open") options.onReady();
    }
  }

  function checkLeader(): void {
    if (document.visibilityState !== "visible" || leading || closing.signal.aborted) return;
    const asked = Date.now();
    channel?.postMessage({ kind: "ping" } satisfies Note);
    setTimeout(() => {
      if (!leading && lastHeard < asked && !closing.signal.aborted) void queue(true);
    }, options.patience ?? 2000);
  }

  if (channel) {
    channel.addEventListener("message", hear);
    document.addEventListener("visibilitychange", checkLeader);
    void queue(false);
    checkLeader();
  } else {
    void lead(closing.signal);
  }

  return {
    close() {
      closing.abort();
      document.removeEventListener("visibilitychange", checkLeader);
      channel?.close();
    },
  };
}
