import { expect, test } from "vitest";
import { cuts, LabelRoom, placesBeside, slantedBoxes } from "./plot-labels";

const PLOT = { left: 0, top: 0, right: 200, bottom: 100 };
const ROOF = { fromX: 0, fromY: 80, toX: 100, toY: 20 };
const box = (left: number, top: number) => ({ left, top, right: left + 40, bottom: top + 10 });

test("a line cuts a box that it crosses, ends in or lies in, and none beside it", () => {
  expect(cuts(ROOF, box(40, 45))).toBe(true);
  expect(cuts(ROOF, box(95, 15))).toBe(true);
  expect(cuts({ fromX: 45, fromY: 46, toX: 50, toY: 50 }, box(40, 45))).toBe(true);
  expect(cuts(ROOF, box(60, 70))).toBe(false);
  expect(cuts({ fromX: 0, fromY: 20, toX: 200, toY: 20 }, box(0, 21))).toBe(false);
  expect(cuts({ fromX: 0, fromY: 20, toX: 200, toY: 20 }, box(150, 15))).toBe(true);
});

test("a name goes to the first place that is on no line and no other name, within the plot", () => {
  const room = new LabelRoom(PLOT, [ROOF]);
  const place = (...places: readonly (readonly [number, number])[]) =>
    room.place(places, ([left, top]) => [box(left, top)]);
  expect(place([40, 45], [60, 70])).toEqual([60, 70]);
  expect(place([70, 75], [180, 70], [120, 70])).toEqual([120, 70]);
  expect(place([40, 45], [70, 75])).toBeNull();
});

test("hundreds of thousands of points take their room, too", () => {
  const room = new LabelRoom(PLOT, []);
  room.take(Array.from({ length: 300_000 }, () => box(0, 0)));
  const places = [
    [0, 0],
    [60, 70],
  ] as const;
  expect(room.place(places, ([left, top]) => [box(left, top)])).toEqual([60, 70]);
});

test("a slanted name beside its line is free, and on it is not", () => {
  const angle = Math.atan2(-60, 100);
  const along = (beside: number) =>
    new LabelRoom(PLOT, [ROOF]).place([beside], (side) => slantedBoxes(20, 68 + side, angle, 50, 12));
  expect(along(0)).toBeNull();
  expect(along(-14)).toBe(-14);
  expect(along(14)).toBe(14);
});

test("a name beside an upright line goes up until it lies on no curve, and to the left where the plot ends", () => {
  const rise = { fromX: 0, fromY: 95, toX: 200, toY: 5 };
  const size = { width: 40, height: 10 };
  const place = (x: number) => {
    const room = new LabelRoom(PLOT, [rise]);
    const box = room.place(placesBeside(x, size, PLOT, 4), (candidate) => [candidate]);
    return box === null ? null : [box.left, box.top];
  };
  expect(place(4)).toEqual([8, 56]); // the curve passes below
  expect(place(120)).toEqual([124, 86]);
  expect(place(190)).toEqual([146, 86]);
  expect(placesBeside(50, size, PLOT, 4).every(({ top, bottom }) => top >= 0 && bottom <= 96)).toBe(true);
});
