import { expect, test } from "vitest";
import { column, table } from "../../answers/test-tables";
import { breakdownOf, MOST_BARS } from "./breakdown";

test("each core is a bar of the parts that are taken, by its global chip id", () => {
  const cores = table([
    column("core", "name", ["w-0 · Chip 0", "w-0 · Chip 1", "w-1 · Chip 0"]),
    column("duration", "ticks", ["30", "30", "30"]),
    column("device_compute", "ticks", ["30", "30", "30"]),
    column("tpu_high_flops", "ticks", ["20", "10", "10"]),
    column("tpu_send", "ticks", ["0", "0", "0"]),
    column("tpu_idle", "ticks", ["10", "20", "20"]),
    column("host", "text", ["w-0", "w-0", "w-1"]),
    column("chip", "id", [0, 1, 4]),
    column("core_number", "id", [0, 0, 0]),
  ]);
  const { series, rows } = breakdownOf(cores)!;
  expect(series.x.values).toEqual(["0", "1", "4"]);
  expect(series.ys.map(({ id, values }) => [id, values])).toEqual([
    ["tpu_high_flops", ["20", "10", "10"]],
    ["tpu_idle", ["10", "20", "20"]],
  ]);
  expect(series.labels?.values).toEqual(["w-0 · Chip 0", "w-0 · Chip 1", "w-1 · Chip 0"]);
  expect(rows).toEqual([[0], [1], [2]]);
});

test("two cores of a chip are told apart, and of many cores each host is a bar: the mean of its cores", () => {
  const pair = table([
    column("core", "name", ["a", "b"]),
    column("tpu_idle", "ticks", ["1", "2"]),
    column("chip", "id", [7, 7]),
    column("core_number", "id", [0, 1]),
  ]);
  expect(breakdownOf(pair)!.series.x.values).toEqual(["7.0", "7.1"]);
  const count = MOST_BARS + 2;
  const many = table([
    column(
      "core",
      "name",
      Array.from({ length: count }, (_, k) => `core ${k}`),
    ),
    column(
      "tpu_idle",
      "ticks",
      Array.from({ length: count }, (_, k) => (k % 2 === 0 ? "10" : String(k))),
    ),
    column(
      "host",
      "text",
      Array.from({ length: count }, (_, k) => (k % 2 === 0 ? "even" : "odd")),
    ),
  ]);
  const { series, rows } = breakdownOf(many)!;
  expect(series.x.values).toEqual(["even", "odd"]);
  expect(series.ys[0]?.values).toEqual(["10", "65"]);
  expect(rows[1]?.slice(0, 3)).toEqual([1, 3, 5]);
  expect(breakdownOf(table([column("core", "name", ["a"]), column("duration", "ticks", ["1"])]))).toBeNull();
});

test("cores that have no chip id of their own are told apart by their names", () => {
  const cores = (chip: readonly (number | null)[], number: readonly number[]) =>
    breakdownOf(
      table([
        column("core", "name", ["a", "b"]),
        column("tpu_idle", "ticks", ["1", "2"]),
        column("chip", "id", chip),
        column("core_number", "id", number),
      ]),
    )!.series;
  expect(cores([1, null], [0, 0]).x.values).toEqual(["a", "b"]); // the row of b is 1, its chip is not
  expect(cores([3, 3], [0, 0]).x.values).toEqual(["a", "b"]);
  expect(cores([3, 3], [0, 0]).labels).toBeNull();
  expect(cores([3, 3], [0, 1]).x.values).toEqual(["3.0", "3.1"]);
  const noIds = table([column("core", "name", ["a", "b"]), column("tpu_idle", "ticks", ["1", "2"])]);
  expect(breakdownOf(noIds)!.series.x.values).toEqual(["a", "b"]);
});
