import { type EventName, ticks } from "@tilescope/client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { reading } from "./reading";
import { Session, sessionState } from "./session";
import type { Trace } from "./trace";

/** A stream on which nothing comes. */
class SilentSocket {
  binaryType = "";
  send(): void {}
  close(): void {}
}

beforeAll(() => {
  vi.stubGlobal("location", { href: "http://127.0.0.1/" });
  vi.stubGlobal("WebSocket", SilentSocket);
});
afterAll(() => vi.unstubAllGlobals());

const NAMES: readonly EventName[] = ["aten::mm", "cudaLaunchKernel", "step 7", "ampere_sgemm"].map((name, k) => ({
  name,
  category: ["cpu_op", "cuda_runtime", "user_annotation", "kernel"][k]!,
}));
const COLORING = { theme: "light", by: "meaning", only: null } as const;

/** A build that grows: its names are all there at once, or a half of them at first. */
function traceOf(state: "indexing" | "ready", revision: number, count: number): Trace {
  return {
    overview: null,
    roots: [],
    tracks: new Map(),
    manifest: {
      ...{ run: "r", build: "b", state, revision, rootLevel: 4, time: { tickPs: 1, originNs: 0n } },
      names: { count, pageSize: 4 },
      range: { startTicks: ticks(0), endTicks: ticks(9) },
      limits: { maxPages: 10 },
    },
    api: { names: async () => NAMES.slice(0, count), streamUrl: () => "ws://127.0.0.1:1/" },
  } as unknown as Trace;
}

async function named(session: Session, count: number): Promise<readonly string[]> {
  await reading.load();
  await expect.poll(() => session.name(count - 1)).toBeDefined();
  return NAMES.slice(0, count).map((_, id) => session.colors(COLORING).css(id));
}

test("a name keeps its colour while its run is being indexed, and when that is done", async () => {
  const session = new Session(sessionState(), traceOf("indexing", 1, 2), COLORING, () => undefined);
  const first = await named(session, 2);
  expect(new Set(first).size).toBe(2);
  for (const [state, revision] of [
    ["indexing", 2],
    ["indexing", 3],
    ["ready", 4],
  ] as const) {
    session.renew(traceOf(state, revision, NAMES.length));
    const colors = await named(session, NAMES.length);
    expect(colors.slice(0, 2)).toEqual(first);
    expect(new Set(colors).size).toBe(NAMES.length);
  }
  session.close();
});

test("what is drawn does not turn grey for a moment when its run is done", async () => {
  const session = new Session(sessionState(), traceOf("indexing", 2, NAMES.length), COLORING, () => undefined);
  const before = await named(session, NAMES.length);
  session.renew(traceOf("ready", 0, NAMES.length));
  expect(NAMES.map((_, id) => session.colors(COLORING).css(id))).toEqual(before);
  session.close();
});
