import type { MonitorSample } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { milliseconds, rowsOf } from "./figures";
import { sparkPaths, topOf } from "./sparkline";

function sample(change: Partial<MonitorSample>): MonitorSample {
  const none = { deviceType: null, devices: null, matrixUnitUtilization: null, deviceIdle: null, steps: null };
  const times = {
    stepMeanMs: null,
    stepMinMs: null,
    stepMaxMs: null,
    infeedMean: null,
    infeedMin: null,
    infeedMax: null,
  };
  return { type: "sample", timeNs: 0n, source: "monitor", durationMs: 1000, ...none, ...times, ...change };
}

describe("the rows of a monitor", () => {
  it("say the newest values, and what was seen of late", () => {
    const samples = [
      sample({ deviceIdle: 0.25, stepMeanMs: 120, stepMinMs: 110, stepMaxMs: 131.5, infeedMean: 0.004 }),
      sample({ deviceIdle: 0.5, stepMeanMs: 125, stepMinMs: 0.9, stepMaxMs: 12_000, infeedMean: 0.05 }),
    ];
    const [mxu, idle, step, infeed] = rowsOf(samples, 10);
    expect([mxu!.text, mxu!.range, mxu!.spoken]).toEqual([null, "", mxu!.missing]);
    expect([idle!.text, idle!.spoken]).toEqual(["50\u202f%", "25\u202f% to 50\u202f%"]);
    expect([step!.text, step!.range]).toEqual(["125.0\u202fms", "0.900\u202fms – 12.00\u202fs"]);
    expect(step!.values.top).toBe(20_000);
    expect(infeed!.spoken).toBe("0.4\u202f% to 5.0\u202f%");
    expect(rowsOf(samples.slice(0, 1), 10)[2]!.range).toBe("110.0 – 131.5\u202fms");
    expect(rowsOf([...samples, sample({})], 10).map(({ text }) => text)).toEqual([null, null, null, null]);
  });

  it("does not call a small share nought", () => {
    expect([0, 1e-7, 0.0006].map((deviceIdle) => rowsOf([sample({ deviceIdle })], 1)[1]!.text)).toEqual([
      "0\u202f%",
      "<0.1\u202f%",
      "0.1\u202f%",
    ]);
  });

  it("has times in the unit that fits", () => {
    expect([0.42, 1.234, 122.46, 9999, 12_345].map(milliseconds)).toEqual([
      "0.420\u202fms",
      "1.23\u202fms",
      "122.5\u202fms",
      "9999.0\u202fms",
      "12.35\u202fs",
    ]);
  });
});

describe("the lines of a small chart", () => {
  const size = { widthPx: 44, heightPx: 24 };

  it("end at the right, and have gaps where nothing was recorded", () => {
    const values = { line: [0, null, 0.5, 1], top: 1, places: 5 };
    expect(sparkPaths(values, size)).toEqual({ line: "M12 22h0.01M32 12L42 2", band: "", dot: [42, 2] });
    expect(sparkPaths({ ...values, line: [0.5, null] }, size).dot).toBeNull();
    expect(sparkPaths({ ...values, line: [] }, size)).toEqual({ line: "", band: "", dot: null });
  });

  it("have a band from the least to the greatest", () => {
    const band = [[0, 1] as const, [0.5, 0.5] as const];
    expect(sparkPaths({ line: [0.5, 0.5], band, top: 1, places: 2 }, size).band).toBe("M2 2L42 12L42 12L2 22Z");
  });

  it("stay within the chart", () => {
    expect(sparkPaths({ line: [-1, 9], top: 1, places: 2 }, size).line).toBe("M2 22L42 2");
    expect([0, 0.03, 1, 122, 5001, Number.NaN].map(topOf)).toEqual([1, 0.05, 1, 200, 10_000, 1]);
  });
});
