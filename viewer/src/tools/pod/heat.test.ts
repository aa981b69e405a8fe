import { expect, test } from "vitest";
import { heatColor } from "../../answers/chart-style";
import { column, table } from "../../answers/test-tables";
import { contrast } from "../../raster/color";
import { heatOf, inkOn } from "./heat";
import { legendWords, partGroups } from "./parts";

const CORES = table([
  column("duration", "ticks", ["100", "200", "0", null]),
  column("recorded_duration", "ticks", ["100", "200", "0", null]),
  column("input", "ticks", ["10", "80", "0", null]),
  column("tpu_idle", "ticks", [null, null, null, null]),
]);

test("cores have their share of the range", () => {
  const heat = heatOf(CORES, "input");
  expect(heat.values).toEqual([0.1, 0.4, null, null]);
  expect(heat.parts).toEqual([0, 1, Number.NaN, Number.NaN]);
  expect([heat.least, heat.most]).toEqual([0.1, 0.4]);
  expect(heatOf(CORES, "duration").parts).toEqual([0.5, 1, 0, Number.NaN]);
  expect(heatOf(CORES, "tpu_idle").most).toBeNull();
});

test("what differs by nearly nothing looks alike", () => {
  const even = table([
    column("recorded_duration", "ticks", ["100000", "100000"]),
    column("input", "ticks", ["10000", "10001"]),
  ]);
  expect(heatOf(even, "input").parts[1]).toBeLessThan(0.01);
});

test("all can be read on any colour", () => {
  const rgb = (hex: string) => {
    const value = Number.parseInt(hex.slice(1), 16);
    return { r: value >> 16, g: (value >> 8) & 255, b: value & 255 };
  };
  for (const theme of ["light", "dark"] as const) {
    for (let part = 0; part <= 1; part += 0.02) {
      const color = heatColor(part, theme);
      expect(contrast(rgb(color), rgb(inkOn(color)))).toBeGreaterThan(4.5);
    }
  }
});

test("the picker has what was recorded, and the legend says what it is worth", () => {
  expect(partGroups(CORES)).toEqual([{ title: "Classes", parts: [{ id: "input", title: "input" }] }]);
  expect(legendWords("device_compute", "Darker")).toBe("Darker is better");
  expect(legendWords("tpu_low_flops", "Brighter")).toBe("Brighter: more of it");
  expect(legendWords("tpu_all_reduce_sync", "Darker")).toBe("Darker: waits longer for other cores");
});
