import { expect, test } from "vitest";
import { unitOf, withUnit } from "./counter-unit";

test.each([
  ["HBM bandwidth utilisation (%)", "%"],
  ["HBM bandwidth · percent", "percent"],
  ["Memory [MiB] · used", "MiB"],
  ["Wavefronts Launched (Count) #2", "Count"],
  ["Total Reserved · Bytes", "Bytes"],
  ["gpu_clock_MHz", "MHz"],
  ["Temp (°C)", "°C"],
  ["metric 1", null],
  ["bytes", null],
  ["steps", null],
  ["a name (with a whole sentence in brackets)", null],
])("%s is counted in %s", (name, unit) => {
  expect(unitOf(name)).toBe(unit);
});

test("a value stands before its unit", () => {
  expect(withUnit(97.5, "HBM (%)")).toBe("97.5 %");
  expect(withUnit(3, "queue")).toBe("3");
});
