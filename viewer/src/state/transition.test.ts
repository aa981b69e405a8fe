import { ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { easeOut, heldOctavesPerSecond, heldWidthsPerSecond, rangeBetween } from "./transition";

const range = (startTicks: bigint, endTicks: bigint) => ({ startTicks: ticks(startTicks), endTicks: ticks(endTicks) });

describe("rangeBetween", () => {
  it("starts and ends exactly, also where doubles are too coarse", () => {
    const from = range(0n, 2n ** 61n);
    const to = range(2n ** 60n + 1n, 2n ** 60n + 4n);
    expect(rangeBetween(from, to, 0)).toEqual(from);
    expect(rangeBetween(from, to, 1)).toEqual(to);
  });

  it("stays inside the wider range on the way in", () => {
    const from = range(0n, 1_000_000n);
    const to = range(700_000n, 700_100n);
    for (let t = 0.05; t < 1; t += 0.05) {
      const shown = rangeBetween(from, to, t);
      expect(shown.startTicks >= from.startTicks && shown.endTicks <= from.endTicks + 1n).toBe(true);
      expect(shown.startTicks <= to.startTicks && shown.endTicks >= to.endTicks - 1n).toBe(true);
    }
  });

  it("pans evenly where the width stays", () => {
    expect(rangeBetween(range(0n, 100n), range(1000n, 1100n), 0.5)).toEqual(range(500n, 600n));
  });

  it("never gets an empty range", () => {
    const shown = rangeBetween(range(0n, 1n), range(5n, 6n), 0.4);
    expect(shown.endTicks > shown.startTicks).toBe(true);
  });
});

describe("speeds", () => {
  it("grow while a key is held, and with shift", () => {
    expect(heldOctavesPerSecond(900, false)).toBeGreaterThan(heldOctavesPerSecond(0, false));
    expect(heldOctavesPerSecond(0, true)).toBeGreaterThan(heldOctavesPerSecond(0, false));
    expect(heldWidthsPerSecond(5000, false)).toBe(heldWidthsPerSecond(900, false));
  });

  it("ease from 0 to 1", () => {
    expect(easeOut(0)).toBe(0);
    expect(easeOut(1)).toBe(1);
  });
});
