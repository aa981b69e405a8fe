import { describe, expect, test, vi } from "vitest";
import { ticks } from "../base/time";
import { type View, visibleRange } from "../base/view";
import { type PageKey, pageName } from "../pages/key";
import { Overview } from "../pages/overview";
import { decodePage } from "../pages/page";
import { Pyramid, rollupTiles, sliceTiles } from "../testing/pyramid";
import { TileClient } from "./client";
import { ApiError, NetworkError } from "./error";
import type { FetchPage } from "./fetcher";
import { Shifts } from "./shifts";
import type { StreamEvents } from "./stream";

const OPTIONS = { rootLevel: 5, leafEvents: 12, tilesPerPage: 4 };
const events = Array.from({ length: 400 }, (_, k) => ({ start: 600 * k, duration: 100, row: 0, name: 0 }));
const pyramid = new Pyramid(sliceTiles(0, events, OPTIONS), OPTIONS.tilesPerPage);

const view: View = { startTicks: ticks(50_000), startFraction: 0, ticksPerPx: 40, widthPx: 800 };
const screen = { view, tracks: [{ track: 0, kind: "slice" as const }] };

interface More {
  readonly fetchResidual?: FetchPage;
  readonly budgetBytes?: number;
  readonly loadShape?: () => Promise<ReturnType<Pyramid["shape"]>>;
  readonly isGrowing?: boolean;
}

function setUp(more: More = {}) {
  let stream: StreamEvents | null = null;
  const lists: (readonly PageKey[])[] = [];
  const onChange = vi.fn();
  const onError = vi.fn();
  const onMissingBlocks = vi.fn();
  const loadShape = vi.fn(more.loadShape ?? (async () => pyramid.shape()));
  const client = new TileClient({
    rootLevel: OPTIONS.rootLevel,
    loadShape,
    connect: () => {
      throw new Error("not used");
    },
    fetchPage: () => Promise.reject(new Error("not used")),
    onChange,
    onError,
    onMissingBlocks,
    isGrowing: more.isGrowing ?? false,
    ...(more.budgetBytes === undefined ? {} : { budgetBytes: more.budgetBytes }),
    ...(more.fetchResidual === undefined ? {} : { fetchResidual: more.fetchResidual }),
    createStream: (handlers) => {
      stream = handlers;
      const close = () => lists.push([]);
      return {
        want: (keys) => lists.push(keys),
        forgetFailures: () => undefined,
        ping: () => true,
        reconnect: () => undefined,
        close,
      };
    },
  });
  const answer = (keys: readonly PageKey[], { pages } = pyramid): void => {
    for (const key of keys) {
      stream!.onPage(decodePage(pages.get(pageName(key))!.bytes, key));
    }
  };
  return { client, lists, onMissingBlocks, onChange, onError, loadShape, answer, events: () => stream! };
}

test("shape, then pages, then a complete picture", async () => {
  const { client, lists, onChange, loadShape, answer } = setUp();
  client.show(screen);
  expect(client.coverage(screen.tracks[0]!, view)).toEqual({
    draws: [],
    complete: false,
    missing: [visibleRange(view)],
  });
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled());
  const wanted = lists[lists.length - 1]!;
  expect(wanted.length).toBeGreaterThan(2);
  answer(wanted.slice(0, 1));
  const first = client.coverage(screen.tracks[0]!, view);
  expect([first.draws.length > 0, first.complete]).toEqual([true, false]);
  expect(client.status.missingPages).toBeGreaterThan(0);
  answer(wanted.slice(1));
  expect(client.coverage(screen.tracks[0]!, view).complete).toBe(true);
  expect(client.status.missingPages).toBe(0);
  client.show(screen);
  expect(lists[lists.length - 1]).toEqual([]);
  expect(loadShape).toHaveBeenCalledTimes(1);
});

test("a jump asks once for all pages that it needs, and for two at a time around it, which change no picture", async () => {
  const { client, lists, onChange, answer } = setUp();
  client.show(screen);
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled());
  for (let list = lists.at(-1)!; list.length > 0; list = lists.at(-1)!) {
    answer(list.slice(0, 1));
  }
  const jumped = { ...screen, view: { ...view, startTicks: ticks(100_000), ticksPerPx: 20, widthPx: 4000 } };
  client.show(jumped);
  const first = lists.at(-1)!;
  const { missingPages } = client.status;
  expect(missingPages).toBeGreaterThan(1);
  expect(first.length).toBe(missingPages + 2);
  const named = new Set(first.map(pageName));
  const count = lists.length;
  for (const key of first.slice(0, missingPages)) {
    onChange.mockClear();
    answer([key]);
    expect(onChange).toHaveBeenCalled();
    client.show(jumped);
  }
  // What was asked meanwhile is nothing but what is left of that list.
  expect(lists.slice(count).every((list) => list.every((key) => named.has(pageName(key))))).toBe(true);
  expect(client.coverage(screen.tracks[0]!, jumped.view).complete).toBe(true);
  onChange.mockClear();
  while (lists.at(-1)!.length > 0) {
    expect(lists.at(-1)!.length).toBeLessThanOrEqual(2);
    answer(lists.at(-1)!.slice(0, 1));
  }
  expect(onChange).not.toHaveBeenCalled();
  expect(client.status.missingPages).toBe(0);
});

test("finer bins of a header come after a picture that is complete, and change it", async () => {
  const rolled = new Pyramid(
    [...sliceTiles(0, events, OPTIONS), ...rollupTiles(9, events, OPTIONS, 60)],
    OPTIONS.tilesPerPage,
  );
  const { client, lists, onChange, answer } = setUp({ loadShape: async () => rolled.shape() });
  const header = { track: 9, kind: "rollup" as const, children: [0] };
  const near: View = { ...view, ticksPerPx: 4, widthPx: 900 };
  const shown = { tracks: [header], view: near };
  client.show(shown);
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled());
  answer(lists.at(-1)!.slice(0, client.status.missingPages), rolled);
  const own = client.coverage(header, near);
  expect([own.complete, client.status.missingPages]).toEqual([true, 0]);
  expect(lists.at(-1)!.length).toBeGreaterThan(0);
  client.show(shown);
  client.coverage(header, near);
  onChange.mockClear();
  answer(lists.at(-1)!.slice(0, 1), rolled);
  expect(onChange).toHaveBeenCalled();
  while (lists.at(-1)!.length > 0) {
    answer(lists.at(-1)!.slice(0, 1), rolled);
  }
  client.show(shown);
  const fine = client.coverage(header, near);
  expect(fine.complete).toBe(true);
  expect(fine.draws[0]!.tile.level).toBe(own.draws[0]!.tile.level - 2);
});

const later = { ...screen, view: { ...view, startTicks: ticks(50_040) } };

test("a page that failed is told of, and asked for again when it is looked at again", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { client, lists, onChange, onError, events } = setUp();
  client.show(screen);
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled());
  const [gone] = lists[lists.length - 1]!;
  events().onFailed(gone!, new NetworkError("gone"));
  expect(onError).toHaveBeenCalledWith(new NetworkError("gone"));
  const requestedPages = () => lists[lists.length - 1]!.map(pageName);
  client.show(screen);
  client.show(later);
  expect(requestedPages()).not.toContain(pageName(gone!));
  expect(client.status.problem).toEqual(new NetworkError("gone"));
  vi.advanceTimersByTime(5000);
  client.show(later);
  expect(requestedPages()).not.toContain(pageName(gone!));
  client.show(screen);
  expect(requestedPages()).toContain(pageName(gone!));
  expect(client.status.problem).toBeNull();
  events().onFailed(gone!, new NetworkError("gone"));
  client.retry();
  expect(requestedPages()).toContain(pageName(gone!));
  vi.useRealTimers();
});

test("a shape that cannot be loaded is told of, and tried again when it is looked at again", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let attempts = 0;
  const { client, onError } = setUp({
    loadShape: async () => {
      attempts += 1;
      if (attempts === 1) {
        throw new NetworkError("offline");
      }
      return pyramid.shape();
    },
  });
  client.show(screen);
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
  expect(client.status.problem).toEqual(new NetworkError("offline"));
  client.show(screen);
  client.show(later);
  expect(attempts).toBe(1);
  vi.advanceTimersByTime(5000);
  client.show(screen);
  await vi.waitFor(() => expect(client.shape(0)).toBeDefined());
  expect(client.status.problem).toBeNull();
  vi.useRealTimers();
});

test("a page or a shape that is refused for good is not asked for again, however often it is looked at", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const { client, lists, onChange, events } = setUp();
  client.show(screen);
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled());
  const [gone] = lists[lists.length - 1]!;
  events().onFailed(gone!, new ApiError(404, "not_found", "no such page"));
  const refused = setUp({ loadShape: () => Promise.reject(new ApiError(500, "internal", "broken")) });
  refused.client.show(screen);
  await vi.waitFor(() => expect(refused.onError).toHaveBeenCalled());
  for (const next of [later, screen, later]) {
    vi.advanceTimersByTime(5000);
    client.show(next);
    client.retry();
    refused.client.show(next);
    refused.client.retry();
  }
  expect(lists[lists.length - 1]!.map(pageName)).not.toContain(pageName(gone!));
  expect(client.status.problem).toMatchObject({ status: 404 });
  expect(refused.loadShape).toHaveBeenCalledTimes(1);
  expect(refused.client.status.problem).toMatchObject({ status: 500 });
  vi.useRealTimers();
});

describe("a cache that the view fills", () => {
  test("asks for no pages around the view", async () => {
    const { client, lists, onChange, answer } = setUp({ budgetBytes: 5000 });
    client.show(screen);
    await vi.waitFor(() => expect(onChange).toHaveBeenCalled());
    answer(lists[lists.length - 1]!);
    client.show(screen);
    expect(lists[lists.length - 1]).toEqual([]);
    expect(client.coverage(screen.tracks[0]!, view).complete).toBe(true);
  });
});

describe("exact bins", () => {
  const residualOf = async (key: PageKey) => pyramid.pages.get(pageName(key))!.residual;
  const root = { track: 0, level: OPTIONS.rootLevel, index: 0 };

  async function setUpDrawn(fetchResidual?: FetchPage) {
    const all = setUp(fetchResidual === undefined ? {} : { fetchResidual });
    all.client.show(screen);
    await vi.waitFor(() => expect(all.onChange).toHaveBeenCalled());
    all.answer(all.lists.at(-1)!);
    return all;
  }

  test("come with one request for their page, and stay in the cache", async () => {
    const fetchResidual = vi.fn(residualOf);
    const { client, onChange } = await setUpDrawn(fetchResidual);
    expect(client.tile(0, root.level, 0)!.bins.exact).toBeNull();
    expect(fetchResidual).not.toHaveBeenCalled();
    onChange.mockClear();
    const [tile, same] = await Promise.all([client.exact(root), client.exact(root)]);
    expect(same).toBe(tile);
    expect(client.tile(0, root.level, 0)).toBe(tile);
    expect(onChange).toHaveBeenCalled();
    await client.exact(root);
    expect(fetchResidual).toHaveBeenCalledTimes(1);
    expect([tile.bins.exact!.busy[0], tile.bins.exact!.longest[0]]).toEqual([200n, 100n]);
  });

  test("that cannot be had are asked for again", async () => {
    const fetchResidual = vi.fn(residualOf).mockRejectedValueOnce(new Error("offline"));
    const { client } = await setUpDrawn(fetchResidual);
    await expect(client.exact(root)).rejects.toThrow("offline");
    expect(client.tile(0, root.level, 0)!.bins.exact).toBeNull();
    expect((await client.exact(root)).bins.exact).not.toBeNull();
  });

  test("of a page that was replaced meanwhile are known, but not kept", async () => {
    let answerLate: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      answerLate = resolve;
    });
    const { client, answer } = await setUpDrawn(async (key) => late.then(() => residualOf(key)));
    const exactTile = client.exact(root);
    answer([{ block: 0, slot: 0, level: root.level, index: 0 }]);
    answerLate();
    expect((await exactTile).bins.exact).not.toBeNull();
    expect(client.tile(0, root.level, 0)!.bins.exact).toBeNull();
  });

  test("are none of tiles that do not exist or are not there, or without anybody to ask", async () => {
    const { client } = await setUpDrawn(residualOf);
    await expect(client.exact({ ...root, index: 1 })).rejects.toThrow("there is no tile 1");
    await expect(client.exact({ ...root, track: 64 })).rejects.toThrow("there is no tile 0");
    const without = await setUpDrawn();
    await expect(without.client.exact(root)).rejects.toThrow("no residuals");
  });

  test("are given up when the client is closed", async () => {
    const { client } = await setUpDrawn(
      (_, signal) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    const exactTile = client.exact(root);
    client.close();
    await expect(exactTile).rejects.toThrow();
  });
});

test("the stream's status is passed on", () => {
  const { client, onChange, events } = setUp();
  events().onStatus("open");
  expect(client.status).toEqual({ stream: "open", missingPages: 0, problem: null });
  expect(onChange).toHaveBeenCalledTimes(1);
  client.close();
});

describe("a build that grows", () => {
  const bins = { bin: Uint32Array.of(0, 3), track: Uint32Array.of(0, 0), utilisation: Uint8Array.of(255, 51) };
  const grid = { level: 4, bins: 256, binsPerPage: 32, pages: 8 };
  const overview = new Overview(grid, [{ length: 2, ...bins, name: Float64Array.of(-1, -1) }]);

  test("is drawn from the overview until the block is built, and asks for nothing before", async () => {
    const { client, loadShape, lists, onMissingBlocks, onChange, answer } = setUp({ isGrowing: true });
    client.setOverview(overview);
    const near = { ...screen, view: { ...view, startTicks: ticks(0) } };
    client.show({ ...near, nearby: [{ track: 70, kind: "slice" }] });
    expect(loadShape).not.toHaveBeenCalled();
    expect(lists.flat()).toEqual([]);
    expect(onMissingBlocks).toHaveBeenLastCalledWith([0, 2]);
    const rough = client.coverage(near.tracks[0]!, near.view);
    expect(rough).toMatchObject({ complete: false, provisional: true });
    expect(rough.draws.map(({ tile }) => tile.kind)).toEqual(["provisional"]);
    client.setBuilt([0]);
    expect(onMissingBlocks).toHaveBeenLastCalledWith([2]);
    onChange.mockClear();
    await vi.waitFor(() => expect(onChange).toHaveBeenCalled());
    answer(lists.at(-1)!);
    const sharp = client.coverage(near.tracks[0]!, near.view);
    expect([sharp.complete, sharp.provisional]).toEqual([true, undefined]);
    client.setBuilt("all");
    expect(loadShape).toHaveBeenCalledTimes(2);
  });
});

test("a shifted track shows in a moved view what another shows where it was recorded", async () => {
  const [plain, moved] = [setUp(), setUp()];
  const shiftTicks = 12_345n;
  const movedView = { ...view, startTicks: ticks(view.startTicks + shiftTicks) };
  moved.client.setShifts(new Shifts(new Map([[0, shiftTicks]])));
  for (const [{ client, lists, answer, loadShape }, shown] of [
    [plain, view],
    [moved, movedView],
  ] as const) {
    client.show({ ...screen, view: shown });
    await loadShape.mock.results[0]!.value;
    await Promise.resolve();
    client.show({ ...screen, view: shown });
    answer(lists.at(-1)!);
  }
  expect(moved.lists.at(-1)).toEqual(plain.lists.at(-1));
  const [recorded, drawn] = [
    plain.client.coverage(screen.tracks[0]!, view),
    moved.client.coverage(screen.tracks[0]!, movedView),
  ];
  expect(drawn.complete).toBe(true);
  expect(drawn.draws.length).toBeGreaterThan(0);
  expect(drawn.draws.map(({ tile }) => [tile.level, tile.index])).toEqual(
    recorded.draws.map(({ tile }) => [tile.level, tile.index]),
  );
  for (const [k, { tile, clipStart, clipEnd }] of drawn.draws.entries()) {
    const other = recorded.draws[k]!;
    expect([clipStart, clipEnd]).toEqual([other.clipStart + shiftTicks, other.clipEnd + shiftTicks]);
    expect(tile.originTicks).toBe(other.tile.originTicks + shiftTicks);
    expect(tile.slices.startOffset).toEqual(other.tile.slices.startOffset);
  }
  expect(moved.client.coverage(screen.tracks[0]!, movedView).draws[0]!.tile).toBe(drawn.draws[0]!.tile);
});
