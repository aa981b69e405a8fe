import { expect, it } from "vitest";
import { handOver, type Mailbox, type PerfettoWindow, whenReady } from "./perfetto";

const ORIGIN = "https://perfetto.example.org";
const PATIENCE = { everyMs: 1, atMostMs: 40 };

/** A page that answers the third PING, and others that answer at once. */
class Pages implements Mailbox, PerfettoWindow {
  closed = false;
  answersFrom = 3;
  readonly heard: { message: unknown; origin: string; transfer: number }[] = [];
  readonly #listeners = new Set<(event: MessageEvent) => void>();

  addEventListener(_type: "message", listener: (event: MessageEvent) => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: "message", listener: (event: MessageEvent) => void): void {
    this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  postMessage(message: unknown, origin: string, transfer: Transferable[] = []): void {
    this.heard.push({ message, origin, transfer: transfer.length });
    const say = (source: unknown, from: string, data: string) => {
      for (const listener of this.#listeners) {
        listener({ source, origin: from, data } as MessageEvent);
      }
    };
    say({}, ORIGIN, "PONG");
    say(this, "https://evil.example.org", "PONG");
    say(this, ORIGIN, "hello");
    if (this.heard.length >= this.answersFrom) {
      say(this, ORIGIN, "PONG");
    }
  }
}

it("asks until that page answers, and gives the trace to its origin alone", async () => {
  const pages = new Pages();
  await whenReady(pages, ORIGIN, pages, PATIENCE);
  expect(pages.heard.map(({ message }) => message)).toEqual(["PING", "PING", "PING"]);
  expect(pages.listeners).toBe(0);
  const trace = { buffer: new ArrayBuffer(8), title: "a run", fileName: "a.json" };
  handOver(pages, ORIGIN, trace);
  expect(pages.heard.at(-1)).toEqual({ message: { perfetto: trace }, origin: ORIGIN, transfer: 1 });
});

it("gives up on a page that says nothing, or is closed", async () => {
  const mute = new Pages();
  mute.answersFrom = Number.POSITIVE_INFINITY;
  await expect(whenReady(mute, ORIGIN, mute, PATIENCE)).rejects.toThrow("does not answer as Perfetto does");
  const closed = new Pages();
  closed.closed = true;
  await expect(whenReady(closed, ORIGIN, closed, PATIENCE)).rejects.toThrow("closed");
  expect([mute.listeners, closed.listeners, closed.heard.length]).toEqual([0, 0, 0]);
});
