import { drawsOf, viewOf } from "@tilescope/client/testing/draw";
import { type EventInput, sliceTiles } from "@tilescope/client/testing/pyramid";
import { expect, test } from "vitest";
import { labels } from "./labels";
import { measureGlyphs, textWidthPx } from "./text";

const OPTIONS = { rootLevel: 3, leafEvents: 6, tilesPerPage: 4 };
const glyphs = measureGlyphs(() => 7);
const nameOf = (id: number): string | undefined => ["short", "a much longer name than fits", undefined][id];

function label(events: readonly EventInput[], start: number, ticksPerPx: number, widthPx = 400) {
  const view = viewOf(start, ticksPerPx, widthPx);
  return labels(drawsOf(sliceTiles(0, events, OPTIONS), view, OPTIONS), view, glyphs, nameOf, () => undefined);
}

test("wide slices are labelled in their middle, narrow ones not at all", () => {
  const events = [
    { start: 100, duration: 1000, row: 0, name: 0 },
    { start: 100, duration: 339, row: 1, name: 0 },
    { start: 500, duration: 420, row: 1, name: 1 },
  ];
  const labels = label(events, 0, 10);
  expect(labels).toEqual([
    { xPx: 10 + (100 - 35) / 2, row: 0, text: "short", nameId: 0, ordinal: 0, ticks: 1000 },
    { xPx: 53.5, row: 1, text: "a mu…", nameId: 1, ordinal: 2, ticks: 420 },
  ]);
});

test("a label stays in the visible part of its slice, cut to it", () => {
  const events = [{ start: 0, duration: 16_000, row: 0, name: 1 }];
  const [first] = label(events, 15_000, 10);
  expect(first!.xPx).toBeGreaterThanOrEqual(4);
  expect(first!.xPx + textWidthPx(first!.text, glyphs)).toBeLessThanOrEqual(96);
  expect(first!.text).toContain("…");
});

test("a slice that is in many tiles has one label", () => {
  const crowd = Array.from({ length: 40 }, (_, k) => ({ start: 300 * k, duration: 50, row: 1, name: 2 }));
  const events = [{ start: 10, duration: 15_000, row: 0, name: 0 }, ...crowd];
  const labels = label(events, 0, 40);
  expect(labels.map(({ text, row }) => [text, row])).toEqual([["short", 0]]);
});

test("names that have not arrived have no label yet", () => {
  expect(label([{ start: 0, duration: 4000, row: 0, name: 2 }], 0, 10)).toEqual([]);
});

test("a slice of 20 px carries a name that is short, or has a short form", () => {
  const view = viewOf(0, 10, 400);
  const draws = drawsOf(sliceTiles(0, [{ start: 0, duration: 200, row: 0, name: 0 }], OPTIONS), view, OPTIONS);
  const text = (head: string) =>
    labels(
      draws,
      view,
      glyphs,
      () => "aten::mm",
      () => ({ head, tail: "" }),
    ).map((each) => each.text);
  expect([text("mm"), text("matmul")]).toEqual([["mm"], []]);
});
