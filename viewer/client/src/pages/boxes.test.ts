import { expect, test } from "vitest";
import { ticks } from "../base/time";
import type { View } from "../base/view";
import { type EventInput, Pyramid, sliceTiles } from "../testing/pyramid";
import { Random } from "../testing/random";
import { type Box, boxesOf } from "./boxes";
import { coverage } from "./coverage";

const ROOT_LEVEL = 5;
const END = 250_000;
const track = { track: 0, kind: "slice" } as const;

function setUp(events: readonly EventInput[]) {
  const options = { rootLevel: ROOT_LEVEL, leafEvents: 12, tilesPerPage: 4 };
  const pyramid = new Pyramid(sliceTiles(0, events, options), options.tilesPerPage);
  const byName = new Map(pyramid.tiles().map((tile) => [`${tile.level}/${tile.index}`, tile]));
  const shape = pyramid.shape();
  return (view: View): Box[] => {
    const lookup = (_: number, level: number, index: number) => byName.get(`${level}/${index}`);
    return [...boxesOf(coverage(lookup, shape, track, view, ROOT_LEVEL).draws, view)];
  };
}

/** Slices one after the other, some without a length. */
function randomEvents(random: Random): EventInput[] {
  const events: EventInput[] = [];
  for (let start = random.below(100); start < END; ) {
    const duration = random.pick([0, 1, 40, 900]);
    events.push({ start, duration, row: 0, name: 0 });
    start += duration + 1 + random.below(1500);
  }
  return events;
}

test.each([1, 2, 3, 4])(
  "every event of the view is in a box, and where no event is there is none (seed %i)",
  (seed) => {
    const random = new Random(seed);
    const events = randomEvents(random);
    const boxes = setUp(events);
    for (let round = 0; round < 40; round++) {
      const view = {
        ...{ startTicks: ticks(random.below(END)), startFraction: random.next() },
        ...{ ticksPerPx: 0.2 * 2000 ** random.next(), widthPx: 300 },
      };
      const x = (tick: number) => (tick - Number(view.startTicks) - view.startFraction) / view.ticksPerPx;
      const drawn = boxes(view);
      for (const { start, duration } of events) {
        const [from, to] = [Math.max(0, x(start)), Math.min(view.widthPx, x(start + duration))];
        if (from <= to && from < view.widthPx && to >= 0) {
          const around = drawn.some((box) => box.startPx <= from + 1e-6 && box.endPx >= from - 1e-6);
          expect(around, `event at ${start}`).toBe(true);
        }
      }
      for (const { startPx, endPx, busy } of drawn) {
        expect(endPx).toBeGreaterThanOrEqual(startPx);
        expect(busy >= 0 && busy <= 1).toBe(true);
        const touched = events.some(
          ({ start, duration }) => x(start) <= endPx + 1e-6 && x(start + duration) >= startPx - 1e-6,
        );
        expect(touched).toBe(true);
      }
    }
  },
);

test("slices are clipped to the part for which their tile is drawn", () => {
  const boxes = setUp([{ start: 1000, duration: 100_000, row: 2, name: 7 }]);
  const view = { startTicks: ticks(0), startFraction: 0, ticksPerPx: 500, widthPx: 500 };
  const drawn = boxes(view);
  expect(drawn.map(({ row, name, busy }) => [row, name, busy])).toEqual(drawn.map(() => [2, 7, 1]));
  expect(drawn[0]?.startPx).toBe(2);
  expect(drawn.at(-1)?.endPx).toBe(202);
  drawn.slice(1).forEach((box, k) => {
    expect(box.startPx).toBe(drawn[k]!.endPx);
  });
});
