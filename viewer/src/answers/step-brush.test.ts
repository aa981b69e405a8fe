import { expect, test } from "vitest";
import { ChartData } from "./chart-data";
import { StepBrush, stepWords } from "./step-brush";
import { column, PLAIN } from "./test-tables";

const NAMES = { time: { tickPs: 1, originNs: 0n }, trackPath: () => [] };

function brushOf(values: readonly (string | null)[], kind: "count" | "name" = "count", id = "step") {
  const ys = [column("time", "ticks", values.map(String).fill("5"))];
  const series = { ...PLAIN, id: "steps", title: "", kind: "area" as const, x: column(id, kind, values), ys };
  const data = new ChartData(series, NAMES);
  return { data, brush: StepBrush.forSeries(series, data) };
}

test("a span chooses the columns that it touches, and one at least", () => {
  const { brush } = brushOf(["100", "101", "102", "103"]);
  expect(brush?.touched(100.6, 102.4)).toEqual({ first: 1, last: 2 });
  expect(brush?.touched(100.4, 102.6)).toEqual({ first: 0, last: 3 });
  expect(brush?.touched(101.9, 102.1)).toEqual({ first: 2, last: 2 });
  expect(brush?.touched(-50, -40)).toEqual({ first: 0, last: 0 });
  expect(brush?.touched(500, 600)).toEqual({ first: 3, last: 3 });
  expect(brush?.reach({ first: 1, last: 2 })).toEqual({ from: 100.5, to: 102.5 });
});

test("between steps that are far apart it chooses the one before", () => {
  const { brush } = brushOf(["1", "2", "90"]);
  expect(brush?.touched(40, 50)).toEqual({ first: 1, last: 1 });
});

test("the numbers of steps, however they are ordered and whatever else x says", () => {
  const counted = brushOf(["12", null, "10", "11"]);
  expect(counted.brush?.steps({ first: 0, last: 2 })).toEqual({ first: 10n, last: 12n });
  const named = brushOf(["7 · a", "7 · b", "8 · a", "none"], "name");
  expect(named.brush?.steps({ first: 1, last: 3 })).toEqual({ first: 7n, last: 8n });
  expect(named.brush?.steps({ first: 3, last: 3 })).toBeNull();
  const huge = brushOf(["999999999999999998", "999999999999999999"]);
  expect(huge.brush?.steps({ first: 1, last: 1 })?.first).toBe(999999999999999999n);
});

test("a chart that is not of steps has no brush", () => {
  expect(brushOf(["1", "2"], "count", "address").brush).toBeNull();
  expect(brushOf(["all", "none"], "name").brush).toBeNull();
});

test("steps in words", () => {
  expect(stepWords({ first: 3n, last: 3n })).toBe("step 3");
  expect(stepWords({ first: 3n, last: 9n })).toBe("steps 3 to 9");
});
