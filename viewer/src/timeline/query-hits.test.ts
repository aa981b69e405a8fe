import { ApiError, NetworkError, Shifts, type ToolAnswer, type ToolQuestion, ticks } from "@tilescope/client";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { column, table } from "../answers/test-tables";
import { retries } from "../state/link";
import { makePane } from "../state/pane";
import type { Trace } from "../state/trace";
import type { Picture } from "./picture";
import { QueryHits } from "./query-hits";
import type { Stage } from "./stage";

const pane = makePane();

const VIEW_TRACK = 1;
const RUN_TRACK = 9;

vi.mock("./minimap", () => ({ minimapTracks: () => [{ id: RUN_TRACK }] }));

type Answer = (query: string) => Promise<ToolAnswer>;

/** The hit of a track. */
function marked(track: number): ToolAnswer {
  const names = ["track", "row", "start", "count", "busy"];
  const columns = names.map((name, k) => column(name, "count", [[track, 0, "0", 1, "10"][k]!]));
  const facts = [{ id: "bin_ticks", value: "10" }];
  return { facts, tables: [table(columns, { id: "bins" })], series: [], notes: [] } as unknown as ToolAnswer;
}

const here = (track: number) => async () => marked(track);
const refuse = (query: string) => Promise.reject(new ApiError(422, "bad_query", `${query} is refused`));

let inView: Answer = here(VIEW_TRACK);
let inRun: Answer = here(RUN_TRACK);
const ask = vi.fn((_tool: string, { query, tracks }: ToolQuestion) => {
  const answer = (tracks as readonly number[]).includes(RUN_TRACK) ? inRun : inView;
  return answer(String(query));
});
const manifest = { run: "r", build: "b", state: "ready", revision: 0 };
const range = { startTicks: ticks(0), endTicks: ticks(1000) };
const trace = { manifest: { ...manifest, range }, api: { ask } } as unknown as Trace;
const picture = {
  view: { startTicks: ticks(0), startFraction: 0, ticksPerPx: 10, widthPx: 100 },
  scene: { tracks: [{ firstLane: 0, track: { id: VIEW_TRACK, kind: "slice", rows: 1 } }] },
} as unknown as Picture;

/** Hits that look for a query, and have been painted and answered. */
async function search(hits: QueryHits, query: string): Promise<void> {
  hits.follow(trace, `r b ready 0 ${query}`, query);
  hits.want(picture);
  await vi.advanceTimersByTimeAsync(200);
}

function marks(hits: QueryHits) {
  const hitsOf = ({ gridOf, isStale, isBlind }: QueryHits["inView"], track: number) => ({
    ...{ isMarked: (gridOf(track)?.lane(track, 0) ?? null) !== null, isStale, isBlind },
  });
  return { inView: hitsOf(hits.inView, VIEW_TRACK), inRun: hitsOf(hits.inRun, RUN_TRACK) };
}

const RIGHT = { isMarked: true, isStale: false, isBlind: false };
const BLIND = { isMarked: false, isStale: false, isBlind: true };

function setUp(): QueryHits {
  return new QueryHits({ pane, invalidate: () => undefined } as unknown as Stage);
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { createElement: () => ({}) });
  [inView, inRun] = [here(VIEW_TRACK), here(RUN_TRACK)];
  ask.mockClear();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("marks view and minimap, and is pending until both are there", async () => {
  const hits = setUp();
  hits.follow(trace, "r b ready 0 a", "a");
  hits.want(picture);
  expect([...pane.pending.value]).toEqual(["hits"]);
  await vi.advanceTimersByTimeAsync(200);
  expect([...pane.pending.value]).toEqual([]);
  expect(marks(hits)).toEqual({ inView: RIGHT, inRun: RIGHT });
  expect(pane.problems.value.get("hits")).toBeUndefined();
});

it("asks about tracks of shifted clocks in the times that these showed, and has their hits drawn later", async () => {
  const hits = setUp();
  const shifts = new Shifts(new Map([[3, 200n]]));
  const track = (id: number) => ({ firstLane: 0, track: { id, kind: "slice", rows: 1 } });
  const view = { startTicks: ticks(300), startFraction: 0, ticksPerPx: 1, widthPx: 100 };
  const shifted = { view, scene: { tracks: [track(VIEW_TRACK), track(2), track(3)] }, shifts } as unknown as Picture;
  hits.follow(trace, "r b ready 0 a", "a");
  hits.want(shifted);
  await vi.advanceTimersByTimeAsync(200);
  const questions = ask.mock.calls.map(([, { tracks, start, end }]) => ({ tracks, start, end }));
  expect(questions).toContainEqual({ tracks: [VIEW_TRACK, 2], start: 250n, end: 450n });
  expect(questions).toContainEqual({ tracks: [3], start: 50n, end: 250n });
  const [plain, later] = [hits.inView.gridOf(2)!, hits.inView.gridOf(3)!];
  expect([plain.originTicks, later.originTicks]).toEqual([250n, 250n]);
  hits.want({ ...shifted, shifts: null });
  await vi.advanceTimersByTimeAsync(200);
  expect(ask.mock.calls.at(-1)![1]).toMatchObject({ tracks: [VIEW_TRACK, 2, 3] });
});

it("leaves the marks of the view where only those of the minimap are refused, and says so", async () => {
  const hits = setUp();
  inRun = refuse;
  await search(hits, "a");
  expect(marks(hits)).toEqual({ inView: RIGHT, inRun: BLIND });
  expect(pane.problems.value.get("hits")).toBe("Hits could not be marked in the minimap: a is refused");
});

it("leaves the marks of the minimap where only those of the view are refused, and says so", async () => {
  const hits = setUp();
  inView = refuse;
  await search(hits, "a");
  expect(marks(hits)).toEqual({ inView: BLIND, inRun: RIGHT });
  expect(pane.problems.value.get("hits")).toBe("Hits could not be marked: a is refused");
});

it("keeps nothing of the search before where the next one is refused", async () => {
  const hits = setUp();
  await search(hits, "a");
  [inView, inRun] = [refuse, refuse];
  hits.follow(trace, "r b ready 0 b", "b");
  expect(marks(hits).inView).toEqual({ isMarked: true, isStale: true, isBlind: false });
  await search(hits, "b");
  expect(marks(hits)).toEqual({ inView: BLIND, inRun: BLIND });
});

it("keeps what is known of the same search where another part of it cannot be had", async () => {
  const hits = setUp();
  await search(hits, "a");
  inView = () => Promise.reject(new NetworkError("lost"));
  hits.want({ ...picture, view: { ...picture.view, ticksPerPx: 1 } });
  await vi.advanceTimersByTimeAsync(200);
  expect(marks(hits).inView).toEqual(RIGHT);
  expect(pane.problems.value.get("hits")).toContain("lost");
});

it("asks again for what was lost when the server is back, and not for what is refused for good", async () => {
  const hits = setUp();
  [inView, inRun] = [() => Promise.reject(new NetworkError("lost")), refuse];
  await search(hits, "a");
  expect(ask).toHaveBeenCalledTimes(2);
  retries.value += 1;
  hits.want(picture);
  await vi.advanceTimersByTimeAsync(200);
  expect(ask).toHaveBeenCalledTimes(3);
});
