import { describe, expect, test } from "vitest";
import { ticks } from "../base/time";
import { type View, visibleRange } from "../base/view";
import { type EventInput, Pyramid, rollupTiles, sliceTiles } from "../testing/pyramid";
import { Random } from "../testing/random";
import { binRows, checkComposed } from "../testing/rollups";
import { composeTile } from "./compose";
import { coverage, type DrawTile } from "./coverage";
import { binTicks, tileOrigin } from "./key";
import { Composer, MAX_PART_PAGES, partsOf, type TerminalTile } from "./parts";
import { coarseTerminals, resolve, sharpLevel } from "./resolver";
import { NO_NAME, type TileData, type TileLookup, tileEnd } from "./tile";

const ROOT_LEVEL = 5;
const OPTIONS = { rootLevel: ROOT_LEVEL, leafEvents: 12, tilesPerPage: 4 };
const ROLLUP = 9;

function randomTrack(random: Random, count: number): EventInput[] {
  let start = random.below(30_000);
  return Array.from({ length: count }, () => {
    const event = { start, duration: random.pick([0, 0, 1, 30, 700, 9000]), row: 0, name: random.below(5) };
    start += event.duration + Math.floor(random.next() ** 8 * 20_000);
    return event;
  });
}

function setUp(seed: number, terminalEvents: number) {
  const random = new Random(seed);
  const tracks = [0, 1, 2, 3].map((k) => randomTrack(random, [3, 40, 90, 200][k]!));
  const inputs = tracks.flatMap((events, slot) => sliceTiles(slot, events, OPTIONS));
  const rollup = rollupTiles(ROLLUP, tracks.flat(), OPTIONS, terminalEvents);
  const pyramid = new Pyramid([...inputs, ...rollup], OPTIONS.tilesPerPage);
  const byName = new Map(pyramid.exactTiles().map((tile) => [`${tile.track}/${tile.level}/${tile.index}`, tile]));
  const lookup = (track: number, level: number, index: number): TileData | undefined =>
    byName.get(`${track}/${level}/${index}`);
  const shapes = new Map([[0, pyramid.shape()]]);
  const terminals = [...byName.values()].filter((tile) => tile.track === ROLLUP && tile.kind === "terminal");
  return { tracks, pyramid, byName, lookup, shapes, terminals, random };
}

const CHILDREN = [0, 1, 2, 3];
const request = { track: ROLLUP, kind: "rollup", children: CHILDREN } as const;

function leavesOf(composer: Composer, lookup: TileLookup, terminal: TerminalTile, children: readonly number[]) {
  const parts = composer.partsOf(terminal, CHILDREN) ?? [];
  return parts
    .filter(({ track }) => children.includes(track))
    .map(({ track, level, index }) => lookup(track, level, index)!);
}

describe("composed tiles", () => {
  test.each([1, 2, 3, 4])("add up to the terminal tile that they are in (seed %i)", (seed) => {
    const { lookup, shapes, terminals } = setUp(seed, 60);
    expect(terminals.length).toBeGreaterThan(2);
    for (const terminal of terminals) {
      for (let steps = 1; steps <= Math.min(3, terminal.level); steps++) {
        expect(checkComposed({ shapes, lookup, rootLevel: ROOT_LEVEL }, terminal, CHILDREN, steps)).toEqual([]);
      }
    }
  });

  test.each([5, 6])(
    "are those of a rollup that goes on to the last level, names and shares included (seed %i)",
    (seed) => {
      const { tracks, lookup, shapes, terminals } = setUp(seed, 60);
      const full = new Pyramid(rollupTiles(ROLLUP, tracks.flat(), OPTIONS, 0), 4).exactTiles();
      const composer = new Composer(shapes, lookup, ROOT_LEVEL);
      let compared = 0;
      for (const terminal of terminals) {
        for (const expected of full) {
          const steps = terminal.level - expected.level;
          if (steps > 0 && Math.floor(expected.index / 4 ** steps) === terminal.index) {
            const composed = composer.compose(terminal, CHILDREN, expected.level, expected.index) as TileData;
            expect(binRows(composed)).toEqual(binRows(expected));
            compared += 1;
          }
        }
      }
      expect(compared).toBeGreaterThan(50);
    },
  );

  test("are not named by tracks that only frame the others, except where nothing else is", () => {
    const { lookup, shapes, terminals, tracks } = setUp(5, 60);
    const composer = new Composer(shapes, lookup, ROOT_LEVEL);
    const framed = new Composer(shapes, lookup, ROOT_LEVEL);
    const own = new Set(tracks.slice(1).flatMap((slices) => slices.map(({ name }) => name)));
    let unnamed = 0;
    for (const terminal of terminals.filter(({ level }) => level > 0)) {
      for (let index = 4 * terminal.index; index < 4 * terminal.index + 4; index++) {
        const plain = composer.compose(terminal, CHILDREN, terminal.level - 1, index) as TileData | null;
        const tile = framed.compose(terminal, CHILDREN, terminal.level - 1, index, [0]) as TileData | null;
        const alone = composeTile(ROLLUP, terminal.level - 1, index, leavesOf(composer, lookup, terminal, [1, 2, 3]));
        expect(tile?.bins.exact).toEqual(plain?.bins.exact);
        const names = new Map(Array.from(alone?.bins.bin ?? [], (bin, k) => [bin, alone?.bins.name[k]]));
        for (let k = 0; k < (tile?.bins.length ?? 0); k++) {
          const name = tile?.bins.name[k];
          expect(name).toBe(names.get(tile!.bins.bin[k]!) ?? NO_NAME);
          expect(name === NO_NAME || own.has(name!)).toBe(true);
          unnamed += name === NO_NAME ? 1 : 0;
        }
      }
    }
    expect(unnamed).toBeGreaterThan(0);
  });

  test("are none where nothing is", () => {
    expect(composeTile(ROLLUP, 0, 7, [])).toBeNull();
  });
});

describe("a rollup closer than its own tiles", () => {
  const { pyramid, byName, lookup, shapes, tracks, terminals } = setUp(7, 60);
  const view: View = { startTicks: ticks(20_000), startFraction: 0.5, ticksPerPx: 1.5, widthPx: 900 };
  const wants = resolve({ view, tracks: [request], rootLevel: ROOT_LEVEL, shapes, marginPx: 0 });

  test("wants what it is made of, and is complete with it", () => {
    const here = new Set(wants.filter(({ tier }) => tier !== "root").flatMap(({ name }) => pagesTiles(pyramid, name)));
    const composer = new Composer(
      shapes,
      (...key) => (here.has(key.join("/")) ? lookup(...key) : undefined),
      ROOT_LEVEL,
    );
    const expected = (track: number, level: number, index: number) =>
      here.has(`${track}/${level}/${index}`) ? lookup(track, level, index) : undefined;
    const { draws, complete } = coverage(expected, shapes.get(0)!, request, view, ROOT_LEVEL, composer);
    expect(complete).toBe(true);
    const level = sharpLevel(view.ticksPerPx, ROOT_LEVEL);
    // Its own tiles serve one level above the sharp one, and no further up.
    expect(draws.every(({ tile, sharp }) => tile.level <= level + 1 && sharp)).toBe(true);
    expect(draws.some(({ tile }) => tile.level === level)).toBe(true);
    for (const { start, duration } of tracks.flat()) {
      if (start < 20_001 || start + duration >= 21_350) {
        continue;
      }
      expect(draws.some(({ clipStart, clipEnd }) => clipStart <= start && start < clipEnd)).toBe(true);
    }
  });

  test("wants no part outside of the tiles that are made for the view", () => {
    const level = sharpLevel(view.ticksPerPx, ROOT_LEVEL);
    const { startTicks, endTicks } = visibleRange(view);
    const terminalsInView = coarseTerminals(shapes, request, visibleRange(view), level, ROOT_LEVEL);
    const parts = terminalsInView.flatMap((terminal) => partsOf(shapes, CHILDREN, terminal, ROOT_LEVEL)!);
    const span = 256n * BigInt(binTicks(level));
    const [from, to] = [(startTicks / span) * span, ((endTicks - 1n) / span + 1n) * span];
    const isInside = (part: { level: number; index: number }) =>
      tileOrigin(part.level, part.index) < to && tileEnd(part.level, part.index) > from;
    const inside = new Set(parts.filter(isInside).map(({ name }) => name));
    const outside = parts.filter(({ name }) => !inside.has(name));
    expect([inside.size > 0, outside.length > 0]).toEqual([true, true]);
    const own = new Set(
      resolve({ view, tracks: [{ track: ROLLUP, kind: "rollup" }], rootLevel: ROOT_LEVEL, shapes }).map(
        ({ name }) => name,
      ),
    );
    const wanted = new Set(wants.map(({ name }) => name));
    expect([...inside].every((name) => wanted.has(name))).toBe(true);
    expect(outside.filter(({ name }) => wanted.has(name) && !own.has(name))).toEqual([]);
  });

  test("is drawn from its terminal tile while a part is missing", () => {
    const onlyRollup = (track: number, level: number, index: number) =>
      track === ROLLUP ? lookup(track, level, index) : undefined;
    const composer = new Composer(shapes, onlyRollup, ROOT_LEVEL);
    const { draws, complete } = coverage(onlyRollup, shapes.get(0)!, request, view, ROOT_LEVEL, composer);
    expect(complete).toBe(false);
    expect(draws.length).toBeGreaterThan(0);
    expect(draws.every(({ tile, sharp }) => tile.kind === "terminal" && !sharp)).toBe(true);
  });

  test("is complete with its own bins where those are no wider than 32 px, and finer with its parts", () => {
    const shape = shapes.get(0)!;
    const isTerminal = (track: number, level: number, index: number) =>
      shape.kindAt(shape.find(track, level, index)) === "terminal";
    const lowest = Math.min(...terminals.map(({ level }) => level));
    const { level, index } = terminals.find((terminal) => terminal.level === lowest)!;
    const startTicks = tileOrigin(level, index);
    const levelOf = (levels: number) => {
      const near: View = { startTicks, startFraction: 0, ticksPerPx: 4 ** (level - levels), widthPx: 200 };
      const here = new Set(
        resolve({ view: near, tracks: [request], rootLevel: ROOT_LEVEL, shapes, marginPx: 0 })
          .filter(({ tier }) => tier === "coarse" || tier === "sharp")
          .flatMap(({ name }) => pagesTiles(pyramid, name)),
      );
      const needed = (...key: [number, number, number]) => (here.has(key.join("/")) ? lookup(...key) : undefined);
      const own = (...key: [number, number, number]) => (key[0] === ROLLUP ? lookup(...key) : undefined);
      return [needed, own, lookup].map((tiles) => {
        const composer = new Composer(shapes, tiles, ROOT_LEVEL);
        const { draws, complete } = coverage(tiles, shape, request, near, ROOT_LEVEL, composer);
        expect(draws.length).toBeGreaterThan(0);
        return [draws[0]!.tile.level, complete, composer.isWaiting];
      });
    };
    expect(isTerminal(ROLLUP, level, index)).toBe(true);
    expect(levelOf(2)).toEqual([
      [level, true, true],
      [level, true, true],
      [level - 2, true, false],
    ]);
    expect(levelOf(3)).toEqual([
      [level - 3, true, false],
      [level, false, true],
      [level - 3, true, false],
    ]);
  });

  test("is composed in turns that take no longer than the budget, with what is there in between", () => {
    let nowMs = 0;
    const now = () => {
      nowMs += 3;
      return nowMs;
    };
    const composer = new Composer(shapes, lookup, ROOT_LEVEL, now);
    const shape = shapes.get(0)!;
    const coarse: View = { ...view, ticksPerPx: 4 * view.ticksPerPx };
    const drawsOf = (shown: View): (readonly DrawTile[])[] => {
      const out: (readonly DrawTile[])[] = [];
      for (let turn = 0; turn < 50; turn++) {
        composer.begin(4);
        const { draws, complete } = coverage(lookup, shape, request, shown, ROOT_LEVEL, composer);
        out.push(draws);
        expect(complete).toBe(!composer.isBehind);
        if (complete) {
          return out;
        }
      }
      throw new Error("never complete");
    };
    const wide = { ...coarse, widthPx: 4000 };
    const first = drawsOf(wide);
    expect(first.length).toBeGreaterThan(1);
    expect(first[0]!.some(({ sharp }) => !sharp)).toBe(true);
    expect(first.at(-1)!.every(({ sharp }) => sharp)).toBe(true);
    // Closer: what is not composed yet is drawn from the composed tiles of the level above.
    const [closer] = drawsOf({ ...wide, ticksPerPx: wide.ticksPerPx / 4 });
    const level = sharpLevel(wide.ticksPerPx, ROOT_LEVEL);
    expect(closer!.filter(({ sharp }) => !sharp).some(({ tile }) => tile.level === level)).toBe(true);
  });

  test("is left as it is where its children are not known", () => {
    const plain = { track: ROLLUP, kind: "rollup" } as const;
    expect(resolve({ view, tracks: [plain], rootLevel: ROOT_LEVEL, shapes }).length).toBeLessThan(wants.length);
    const composer = new Composer(shapes, lookup, ROOT_LEVEL);
    const { draws, complete } = coverage(lookup, shapes.get(0)!, plain, view, ROOT_LEVEL, composer);
    expect(complete).toBe(true);
    expect(draws.every(({ tile }) => byName.has(`${ROLLUP}/${tile.level}/${tile.index}`))).toBe(true);
  });
});

describe("what is kept", () => {
  const { shapes, lookup, terminals } = setUp(8, 60);
  const level = Math.max(0, terminals[0]!.level - 2);
  const lookAtAll = (composer: Composer): number => {
    let most = 0;
    for (const terminal of terminals) {
      const steps = 4 ** (terminal.level - level);
      for (let index = steps * terminal.index; index < steps * (terminal.index + 1); index++) {
        composer.compose(terminal, CHILDREN, level, index);
        most = Math.max(most, composer.sizeBytes);
      }
    }
    return most;
  };

  test("takes no more memory than it may, however many tiles were looked at", () => {
    const everything = lookAtAll(new Composer(shapes, lookup, ROOT_LEVEL));
    const limits = { tiles: 1000, tileBytes: 20_000, parts: 4 };
    const limited = new Composer(shapes, lookup, ROOT_LEVEL, undefined, limits);
    const bytesOfFour = lookAtAll(limited);
    expect(bytesOfFour).toBeLessThan(everything / 2);
    const most = Math.max(...terminals.map((terminal) => partsOf(shapes, CHILDREN, terminal, ROOT_LEVEL)!.length));
    expect(bytesOfFour).toBeLessThanOrEqual(limits.tileBytes + 10_000 + 200 * Math.max(limits.parts, most));
    lookAtAll(limited);
    expect(limited.sizeBytes).toBeLessThanOrEqual(bytesOfFour);
  });
});

describe("the parts of a terminal tile", () => {
  const { shapes, terminals } = setUp(8, 60);

  test("wait for all shape records", () => {
    expect(partsOf(shapes, [...CHILDREN, 77], terminals[0]!, ROOT_LEVEL)).toBeNull();
    expect(coarseTerminals(shapes, { ...request, track: 40 }, WHOLE, 0, ROOT_LEVEL)).toEqual([]);
  });

  test("are none where they would be in too many pages", () => {
    const slots = Array.from({ length: MAX_PART_PAGES + 1 }, (_, k) => k);
    const events = [{ start: 5, duration: 10, row: 0, name: 0 }];
    const blocks = new Map(
      Array.from({ length: Math.ceil(slots.length / 32) }, (_, block) => {
        const tiles = slots.slice(32 * block, 32 * block + 32).flatMap((id) => sliceTiles(id % 32, events, OPTIONS));
        return [block, new Pyramid(tiles, 1, block).shape()] as const;
      }),
    );
    const tile = { level: ROOT_LEVEL, index: 0 };
    expect(partsOf(blocks, slots, tile, ROOT_LEVEL)).toEqual([]);
    expect(partsOf(blocks, slots.slice(1), tile, ROOT_LEVEL)?.length).toBe(MAX_PART_PAGES);
    const composer = new Composer(blocks, () => undefined, ROOT_LEVEL);
    expect(composer.compose({ ...tile, track: 999 }, slots, 0, 0)).toBe("whole");
  });
});

const WHOLE = { startTicks: ticks(0), endTicks: ticks(262_144) };

/** `track/level/index` of the tiles in a page. */
function pagesTiles(pyramid: Pyramid, name: string): string[] {
  const shape = pyramid.shape();
  const out: string[] = [];
  for (let position = 0; position < shape.length; position++) {
    const { block, level, index, slot } = shape.pageAt(position);
    if (`${block}/${level}/${index}/${slot}` === name) {
      out.push(`${shape.slotAt(position)}/${shape.levelAt(position)}/${shape.indexAt(position)}`);
    }
  }
  return out;
}
