import { afterEach, describe, expect, it, vi } from "vitest";
import { backoff, firstEvent, follow, type Connection } from "./stream";
import type { StreamEvent } from "./types";

/** An SSE answer that sends the chunks and then ends. */
function answer(...chunks: string[]): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

const line = (id: number) => `id: ${id}\nevent: usage\ndata: {"type":"usage","n":${id}}\n\n`;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("an event stream", () => {
  it("goes on from the last cursor after the connection ended", async () => {
    vi.useFakeTimers();
    const asked: (string | undefined)[] = [];
    const stop = new AbortController();
    const seen: StreamEvent[] = [];
    const states: Connection[] = [];
    vi.stubGlobal("fetch", async (_url: string, init: { headers: Record<string, string> }) => {
      asked.push(init.headers["Last-Event-ID"]);
      return asked.length === 1 ? answer(line(7), line(8).slice(0, 9), line(8).slice(9)) : answer(line(9));
    });
    const following = follow(
      {
        url: "/x",
        cursor: "6",
        onEvent(event) {
          seen.push(event);
          if (event.cursor === "9") stop.abort();
        },
        onState: (s) => states.push(s),
      },
      stop.signal,
    );
    await vi.runAllTimersAsync();
    await following;
    expect(asked).toEqual(["6", "8"]);
    expect(seen.map((e) => e.cursor)).toEqual(["7", "8", "9"]);
    expect(states).toContain("waiting");
    expect(states.at(-1)).toBe("closed");
  });

  it("outlives broken JSON and a server that is away", async () => {
    vi.useFakeTimers();
    const problem = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const stop = new AbortController();
    const seen: string[] = [];
    let calls = 0;
    vi.stubGlobal("fetch", async () => {
      calls++;
      if (calls === 1) throw new TypeError("network");
      if (calls === 2) return new Response("no", { status: 503 });
      return answer("id: 1\ndata: {oops\n\n", line(2));
    });
    const onEvent = (e: StreamEvent) => {
      seen.push(e.cursor);
      stop.abort();
    };
    const following = follow({ url: "/x", cursor: "", onEvent, onState: () => undefined }, stop.signal);
    await vi.runAllTimersAsync();
    await following;
    expect(seen).toEqual(["2"]);
    expect(problem).toHaveBeenCalledOnce();
    problem.mockRestore();
  });

  it("can be read for its first event alone", async () => {
    vi.stubGlobal("fetch", async () => answer(line(3), line(4)));
    const first = await firstEvent("/x", new AbortController().signal);
    expect(first?.cursor).toBe("3");
  });

  it("waits longer with each failure, but never longer than a quarter of a minute", () => {
    expect(backoff(1, 0)).toBeLessThan(backoff(3, 0));
    expect(backoff(50, 1)).toBeLessThanOrEqual(15_000);
  });
});
