import { expect, test } from "vitest";
import { AGGREGATE, INDIVIDUAL } from "./accumulator";
import type { RasterImage } from "./raster";
import { aggregateRuns } from "./texture";

test("runs of nothing but bins, from the least width on", () => {
  const letters = ["AAAA.IIAAA", "AAAAABAAAA"];
  const kinds: Record<string, number> = { A: AGGREGATE, I: INDIVIDUAL, B: AGGREGATE | INDIVIDUAL };
  const flags = new Uint8Array([...letters.join("")].map((letter) => kinds[letter] ?? 0));
  const image: RasterImage = {
    widthPx: 10,
    lanes: 2,
    flags,
    rows: 0,
    laneRows: { top: new Int32Array(0), count: new Uint8Array(0) },
    pixels: new Uint8ClampedArray(0),
    cover: new Float32Array(0),
  };
  expect(aggregateRuns(image)).toEqual([
    { lane: 0, fromPx: 0, toPx: 4 },
    { lane: 1, fromPx: 0, toPx: 5 },
    { lane: 1, fromPx: 6, toPx: 10 },
  ]);
  expect(aggregateRuns(image, 3).length).toBe(4);
});
