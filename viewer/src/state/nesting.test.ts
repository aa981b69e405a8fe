import type { ToolAnswer } from "@tilescope/client";
import { expect, it, vi } from "vitest";
import {
  childrenBefore,
  fewerChildren,
  firstChildren,
  moreChildren,
  NestingLoader,
  nestingOf,
  nestingView,
  parseNesting,
} from "./nesting";
import { makePane } from "./pane";
import type { Trace } from "./trace";

const pane = makePane();

function answer(count: number, listed: number, more: string | null = null): ToolAnswer {
  const figures = { self: "5", row: 2, children: `${count}`, launched: "3", launched_time: "9007199254740993" };
  const facts = Object.entries(figures).map(([id, value]) => ({ id, value }));
  const table = (id: string, n: number) => ({
    id,
    more: id === "children" ? more : null,
    columns: Object.entries({
      event: Array.from({ length: n }, (_, k) => `7.${k + 1}`),
      name: Array(n).fill("f"),
      start: Array(n).fill("9007199254740993"),
      duration: Array(n).fill("12"),
      around: Array.from({ length: n }, (_, k) => (k === 0 ? "9.4" : null)),
      around_name: Array.from({ length: n }, (_, k) => (k === 0 ? "op" : null)),
      frame: Array(n).fill(null),
      frame_name: Array(n).fill(null),
      after: Array(n).fill("9007199254740995"),
    }).map(([column, values]) => ({ id: column, values })),
  });
  const tables = [table("parents", 1), table("children", listed), table("launches", 2), table("waits", 1)];
  tables.push(table("callers", 1), table("launched", 1));
  const notes = [{ severity: "info", text: "1 more launch is not listed." }];
  return { complete: true, facts, tables, series: [], notes } as unknown as ToolAnswer;
}

it("is read of the tool's answer, to the tick", () => {
  const nesting = parseNesting(answer(1000, 2, "1,7,2"), firstChildren("time"));
  expect(nesting).toMatchObject({ selfTicks: 5n, depth: 2, childCount: 1000n, more: "1,7,2" });
  expect(nesting.parents).toEqual([
    { track: 7, ordinal: 1, name: "f", startTicks: 9007199254740993n, durationTicks: 12n },
  ]);
  expect(nesting.callers).toEqual(nesting.parents);
  expect(nesting.children.map(({ ordinal }) => ordinal)).toEqual([1, 2]);
  const event = { track: 7, ordinal: 1, name: "f", startTicks: 9007199254740993n, durationTicks: 12n };
  expect(nesting.launches).toEqual([
    { launch: event, around: { track: 9, ordinal: 4, name: "op" }, frame: null },
    { launch: { ...event, ordinal: 2 }, around: null, frame: null },
  ]);
  expect(nesting.waits).toEqual([{ ...event, afterTicks: 9007199254740995n }]);
  expect(nesting.launched).toEqual({ count: 3n, ticks: 9007199254740993n, listed: [event] });
  const unknown = answer(1, 1).facts.map(({ id, value }) => ({ id, value: id.startsWith("launched") ? null : value }));
  const many = { ...answer(1, 1), facts: unknown } as unknown as ToolAnswer;
  expect(parseNesting(many, firstChildren("time")).launched).toBeNull();
  expect(nesting.notes).toEqual(["1 more launch is not listed."]);
  expect(() => parseNesting({ ...answer(0, 0), tables: [] }, firstChildren("time"))).toThrow("no table of launches");
});

it("lists more of the longest, up to a thousand", () => {
  const first = firstChildren("longest");
  const second = moreChildren(parseNesting(answer(5000, 12), first))!;
  expect(second).toMatchObject({ limit: 100, pages: [] });
  const third = moreChildren(parseNesting(answer(5000, 100), second))!;
  expect(third.limit).toBe(1000);
  expect(moreChildren(parseNesting(answer(5000, 1000), third))).toBeNull();
  expect(moreChildren(parseNesting(answer(3, 3), first))).toBeNull();
  expect(fewerChildren(second)).toBeNull();
});

it("goes through all by time, page by page and back", () => {
  const first = firstChildren("time");
  const second = moreChildren(parseNesting(answer(300, 12, "1,7,12"), first))!;
  const third = moreChildren(parseNesting(answer(300, 100, "1,7,112"), second))!;
  expect([first, second, third].map(childrenBefore)).toEqual([0, 12, 112]);
  expect(third.pages).toEqual(["1,7,12", "1,7,112"]);
  expect(moreChildren(parseNesting(answer(300, 88), third))).toBeNull();
  expect(fewerChildren(third)).toEqual(second);
  expect(fewerChildren(second)).toEqual(first);
  expect(fewerChildren(first)).toBeNull();
});

const SLICE = { track: 7, ordinal: 3n };

function trace(ask: () => Promise<ToolAnswer>, revision: number): Trace {
  return { manifest: { run: "r", build: "b", state: "indexing", revision }, api: { ask } } as unknown as Trace;
}

it("is of the build as far as it has grown: what was known before is stale", async () => {
  const ask = vi.fn(async () => answer(1, 1));
  const [before, now] = [trace(ask, 1), trace(ask, 2)];
  const loader = new NestingLoader(nestingView(pane));
  const list = firstChildren("time");
  await loader.load(before, SLICE, list);
  expect(nestingOf(nestingView(pane).value, before, SLICE)).toMatchObject({ childCount: 1n });
  expect(nestingOf(nestingView(pane).value, now, SLICE)).toBeNull();
  expect(nestingOf(nestingView(pane).value, before, { ...SLICE, ordinal: 30n })).toBeNull();
  expect(loader.about(now, SLICE, list)).toMatchObject({ kind: "waiting", stale: { answer: { childCount: 1n } } });
  expect(loader.about(now, { ...SLICE, ordinal: 30n }, list)).toMatchObject({ kind: "waiting", stale: null });
  await loader.load(now, SLICE, list);
  expect(ask).toHaveBeenCalledTimes(2);
  expect(loader.about(now, SLICE, list).kind).toBe("answered");
  loader.close();
});

it("asks for each list once", async () => {
  const ask = vi.fn(async () => answer(1, 1));
  const loader = new NestingLoader(nestingView(pane));
  await loader.load(trace(ask, 1), SLICE, firstChildren("time"));
  await loader.load(trace(ask, 1), SLICE, firstChildren("longest"));
  await loader.load(trace(ask, 1), SLICE, firstChildren("time"));
  expect(ask).toHaveBeenCalledTimes(2);
  expect(ask).toHaveBeenLastCalledWith(
    "nesting",
    { track: 7, ordinal: 3n, limit: 12, order: "longest", after: undefined },
    expect.anything(),
  );
  expect(nestingView(pane).value).toMatchObject({ kind: "answered", answer: { childCount: 1n } });
  loader.close();
  expect(nestingView(pane).value).toEqual({ kind: "none" });
});

it("leaves the state of the selected slice as it is where it has one of its own", async () => {
  const loader = new NestingLoader(nestingView(pane));
  await loader.load(
    trace(async () => answer(1, 1), 1),
    SLICE,
    firstChildren("time"),
  );
  const shown = nestingView(pane).value;
  const other = new NestingLoader();
  await other.load(
    trace(async () => answer(1, 1), 1),
    { ...SLICE, ordinal: 4n },
    firstChildren("time"),
  );
  expect(nestingView(pane).value).toBe(shown);
  other.close();
  expect(nestingView(pane).value).toBe(shown);
  loader.close();
});
