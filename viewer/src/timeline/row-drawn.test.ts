import { ticks } from "@tilescope/client";
import { drawsOf, viewOf } from "@tilescope/client/testing/draw";
import { sliceTiles } from "@tilescope/client/testing/pyramid";
import { expect, test } from "vitest";
import { drawnBeside } from "./row-drawn";

const OPTIONS = { rootLevel: 3, leafEvents: 20, tilesPerPage: 4 };
const crowd = Array.from({ length: 300 }, (_, k) => ({
  start: 20 + 40 * k,
  duration: k % 50 === 7 ? 900 : 16,
  row: 0,
  name: 0,
}));
const events = [...crowd, { start: 16_000, duration: 4, row: 0, name: 1 }, { start: 70, duration: 8, row: 1, name: 2 }];
const view = viewOf(0, 64, 256);
const draws = drawsOf(sliceTiles(0, events, OPTIONS), view, OPTIONS);

/** All that one comes to, from a range on: kind, start and end. */
function walked(from: bigint, direction: "previous" | "next", row = 0): string[] {
  const names: string[] = [];
  let range = { startTicks: ticks(from), endTicks: ticks(from) };
  for (;;) {
    const hit = drawnBeside(draws, row, range, direction);
    if (hit === null || names.length > 2000) {
      return names;
    }
    const endTicks = hit.kind === "bin" ? hit.endTicks : ticks(hit.startTicks + hit.durationTicks);
    names.push(`${hit.kind} ${hit.startTicks} ${endTicks}`);
    range = { startTicks: hit.startTicks, endTicks };
  }
}

test("from bin to bin, past slices, to both ends of what is drawn", () => {
  const onwards = walked(0n, "next");
  expect(onwards.length).toBeGreaterThan(50);
  expect(onwards.filter((text) => text.startsWith("bin")).length).toBeGreaterThan(40);
  expect(onwards.filter((text) => text.startsWith("slice")).length).toBeGreaterThan(2);
  const starts = onwards.map((text) => Number(text.split(" ")[1]));
  expect(starts).toEqual([...starts].sort((a, b) => a - b));
  expect(new Set(starts).size).toBe(starts.length);
  const backwards = walked(1n << 40n, "previous");
  expect(backwards[0]).toBe(onwards.at(-1));
  expect(backwards.at(-1)).toBe(onwards[0]);
});

test("other rows do not count", () => {
  expect(walked(0n, "next", 1)).toHaveLength(1);
  expect(walked(0n, "next", 2)).toEqual([]);
});
