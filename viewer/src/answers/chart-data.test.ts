import type { SeriesKind, ToolColumn, ToolSeries } from "@tilescope/client";
import { expect, test } from "vitest";
import { ChartData } from "./chart-data";
import { DASHES, seriesStyle } from "./chart-style";
import { column, PLAIN } from "./made-up";

const NAMES = { time: { tickPs: 1, originNs: 0n }, trackPath: () => [] };

function chart(kind: SeriesKind, x: ToolColumn, ys: readonly ToolColumn[]): ChartData {
  const series: ToolSeries = { id: "s", title: "S", ...PLAIN, kind, x, ys };
  return new ChartData(series, NAMES);
}

test("times beyond doubles keep their distances, and say themselves exactly", () => {
  const x = column("at", "time", ["9000000000000000003", "9000000000000000001", null]);
  const data = chart("line", x, [column("y", "count", ["9007199254740993", "5", "7"])]);
  expect([...data.rows]).toEqual([1, 0]);
  expect(data.xs).toEqual([0, 2]);
  expect(data.zero).toBe(9000000000000000001n);
  expect(data.gap).toBe(2);
  expect(data.yText(0, 1).replaceAll("\u202f", "")).toBe("9007199254740993");
});

test("areas stand on those after them that are shown; what was not recorded is a gap", () => {
  const x = column("step", "count", ["0", "1", "2"]);
  const ys = [
    column("a", "ticks", ["1", "2", "3"]),
    column("b", "ticks", ["10", null, "30"]),
    column("c", "ticks", ["100", "200", "300"]),
  ];
  const data = chart("area", x, ys);
  expect(data.plotted(() => true)).toEqual([
    [0, 1, 2],
    [111, 202, 333],
    [110, null, 330],
    [100, 200, 300],
  ]);
  expect(data.plotted((y) => y !== 2).slice(1)).toEqual([
    [11, 2, 33],
    [10, null, 30],
    [null, null, null],
  ]);
  expect(chart("line", x, ys).plotted(() => true)[1]).toEqual([1, 2, 3]);
});

test("names keep the answer's order, and what is measured alike shares an axis", () => {
  const x = column("op", "name", ["b", "a"]);
  const ys = [
    column("busy", "ticks", ["1", "2"]),
    column("rate", "rate", [1, 2], { unit: "1/s" }),
    column("self", "ticks", ["1", "2"]),
    column("note", "text", ["x", "y"]),
  ];
  const data = chart("bars", x, ys);
  expect([data.xKind, data.xs, data.xText(0)]).toEqual(["names", [0, 1], "b"]);
  expect(data.measures.map((measure) => measure.columns.map((one) => one.id))).toEqual([["busy", "self"], ["rate"]]);
  expect(chart("bars", x, [ys[3]!]).isEmpty).toBe(true);
  expect(chart("line", column("at", "time", []), [column("y", "count", [])]).isEmpty).toBe(true);
});

test("32 series are told apart by hue and dash, with no more than eight hues; forced colours leave the dash", () => {
  const styles = Array.from({ length: 32 }, (_, y) => seriesStyle(y, 32, "light", null));
  expect(new Set(styles.map((style) => style.line)).size).toBe(8);
  expect(new Set(styles.map((style) => `${style.line} ${style.dash}`)).size).toBe(32);
  expect(new Set(styles.map((style) => `${style.fill} ${style.texture}`)).size).toBe(32);
  expect(seriesStyle(3, 1, "dark", null).dash).toEqual(DASHES[0]);
  const forced = { ground: "black", text: "white" };
  expect(new Set(Array.from({ length: 4 }, (_, y) => `${seriesStyle(y, 4, "dark", forced).dash}`)).size).toBe(4);
});
