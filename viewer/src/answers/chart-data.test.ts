import type { SeriesKind, ToolColumn, ToolSeries } from "@tilescope/client";
import { describe, expect, test } from "vitest";
import { contrast, type Rgb } from "../raster/color";
import { MEANINGS } from "../raster/meaning";
import { meaningColor } from "../raster/palette";
import { ChartData } from "./chart-data";
import { DASHES, seriesStyle, seriesStyles } from "./chart-style";
import { SeriesPlaces } from "./series-places";
import { column, PLAIN, table } from "./test-tables";

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
  expect(data.yText(0, 1)).toBe("9,007,199,254,740,993");
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

test("a level in another unit is drawn over stacked parts, and is no part of their total", () => {
  const x = column("at", "time", ["0", "1"]);
  const ys = [
    column("free", "bytes", ["1", "2"]),
    column("fragmentation", "fraction", [0.5, null]),
    column("heap", "bytes", ["10", "20"]),
  ];
  const data = chart("area", x, ys);
  expect(data.plotted(() => true).slice(1)).toEqual([
    [11, 22],
    [0.5, null],
    [10, 20],
  ]);
  expect(data.plotted((y) => y !== 2)[1]).toEqual([1, 2]);
  expect([0, 1, 2].map((y) => data.isLevel(y))).toEqual([false, true, false]);
  expect(data.totalText(1, () => true)).toBe("22 B");
  expect(chart("line", x, ys).isLevel(1)).toBe(false);
});

test("parts of a memory look alike in every chart, whatever else is in it", () => {
  const x = column("at", "time", ["0"]);
  const looks = (ids: readonly string[]) => {
    const data = chart(
      "area",
      x,
      ids.map((id) => column(id, "bytes", ["1"])),
    );
    const styles = seriesStyles(data.ids, "light", null);
    return Object.fromEntries(ids.map((id, y) => [id, styles[y]!.fill]));
  };
  const all = looks(["free", "heap", "stack"]);
  expect(new Set(Object.values(all)).size).toBe(3);
  for (const ids of [["heap"], ["free"], ["heap", "stack"], ["stack", "heap"]]) {
    expect(all).toMatchObject(looks(ids));
  }
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
  expect(data.measures.map((measure) => measure.columns.map((column) => column.id))).toEqual([
    ["busy", "self"],
    ["rate"],
  ]);
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

test("on logarithmic scales what is not above zero has no place, and limits are no stops", () => {
  const series: ToolSeries = {
    ...{ id: "r", title: "R", kind: "points", scale: "log" },
    x: column("x", "number", [100, 0, 1, 10, 5]),
    ys: [column("y", "rate", [null, 3, 4, 0, 7], { unit: "FLOP/s" })],
    lines: [column("roof", "rate", [9, 9, 9, 9, null], { unit: "FLOP/s" })],
    labels: column("name", "name", [null, "a", "b", "c", "d"]),
  };
  const data = new ChartData(series, NAMES);
  expect(data.xs).toEqual([1, 5, 10, 100]);
  expect(data.plotted(() => true).slice(1)).toEqual([
    [4, 7, null, null],
    [9, null, 9, 9],
  ]);
  expect(data.stops.map((place) => data.placeText(place))).toEqual(["b", "d"]);
});

test("parts of steps are columns and have an exact total; over time they are areas", () => {
  const large = "9007199254740993";
  const ys = [column("a", "ticks", [large, "1"]), column("b", "ticks", ["1", null])];
  const steps = chart("area", column("step", "count", ["4", "5"], { title: "Step" }), ys);
  expect(steps.isColumns).toBe(true);
  expect(steps.totalText(0, () => true)).toBe(steps.ys[0]!.exact("9007199254740994").split(" · ")[0]);
  expect(steps.totalText(0, (y) => y === 0)).toBeNull(); // one part is no sum
  expect(steps.placeText(1)).toBe("Step 5");
  expect(chart("area", column("at", "time", ["4", "5"]), ys).isColumns).toBe(false);
});

test("points lead as rows do, or by the row of a table about the same", () => {
  const x = column("step", "count", ["1", "2", "3"]);
  const series: ToolSeries = {
    id: "s",
    title: "S",
    ...PLAIN,
    kind: "area",
    x,
    ys: [column("y", "ticks", ["1", "1", "1"])],
  };
  const steps = table([
    column("step", "count", ["3", "2"]),
    column("span", "span", ["5-9", null]),
    column("track", "track", [1, null]),
  ]);
  const places = new SeriesPlaces(series, [table([column("other", "count", ["1"])]), steps]);
  expect([0, 1, 2].map((row) => places.placeOf(row)?.kind ?? null)).toEqual([null, null, "span"]);
  expect([0, 1, 2].map((row) => places.rowOf(row))).toEqual([null, { table: "t", row: 1 }, { table: "t", row: 0 }]);
  const own = { ...series, ys: [...series.ys, column("event", "event", ["2.7", null, null])] };
  expect(new SeriesPlaces(own, [steps]).placeOf(0)).toEqual({ kind: "event", track: 2, ordinal: 7, span: null });
});

describe.each(["light", "dark"] as const)("kinds of work in a %s theme", (theme) => {
  const lookOf = (ids: readonly string[], id: string) => {
    const { fill, line } = seriesStyles(ids, theme, null)[ids.indexOf(id)]!;
    const kind = MEANINGS.find((meaning) => meaningColor(meaning, theme) === fill);
    return kind !== undefined && line === fill
      ? kind
      : Array.from({ length: 8 }, (_, hue) => hue).find((hue) => seriesStyle(hue, 8, theme, null).fill === fill);
  };
  const overlap = ["computation", "exposed_communication", "exposed_copies", "idle"];
  const steps = ["device_compute", "device_to_device", "device_collectives", "host_compute", "kernel_launch", "input"];
  const parts = ["device_compute_32", "device_compute_16", "send", "recv", "megacore", "others", "compile"];
  const traced = ["interval", "forward_backward", "tail", "collectives"];

  const path = [
    ...["computation", "communication", "copies", "operators", "between_operators", "launch_delay"],
    ...["between_kernels", "synchronisation"],
  ];

  test("they have the colours of the timeline in all charts, and others have none of theirs", () => {
    expect(overlap.slice(0, 3).map((id) => lookOf(overlap, id))).toEqual(["compute", "collective", "copy"]);
    expect(steps.map((id) => lookOf(steps, id))).toEqual(["compute", "copy", "collective", 7, "launch", "input"]);
    expect(parts.map((id) => lookOf(parts, id))).toEqual(["compute", "compute", 6, 7, 5, 5, 5]);
    expect(traced.map((id) => lookOf(traced, id))).toEqual(["input", "compute", 7, "collective"]);
    expect(path.map((id) => lookOf(path, id))).toEqual([
      "compute",
      "collective",
      "copy",
      "operator",
      7,
      "launch",
      6,
      "launch",
    ]);
    expect(["heap", "stack"].map((id) => lookOf(["heap", "stack"], id))).toEqual([0, 1]);
  });

  test("what is drawn together is told apart, and textures stand out from what they are drawn on", () => {
    for (const ids of [overlap, steps, parts, traced]) {
      const styles = seriesStyles(ids, theme, null);
      expect(new Set(styles.map(({ fill, texture }) => `${fill} ${texture}`)).size).toBe(ids.length);
      for (const { fill, ink, text } of styles) {
        expect(contrast(rgbOf(ink), rgbOf(fill))).toBeGreaterThan(1.5);
        expect(contrast(rgbOf(text), rgbOf(fill))).toBeGreaterThanOrEqual(4.5);
      }
    }
  });
});

function rgbOf(css: string): Rgb {
  const value = Number.parseInt(css.slice(1), 16);
  return { r: value >> 16, g: (value >> 8) & 255, b: value & 255 };
}

test("idle time has no hue, and a part of steps has the same hue on every page", () => {
  const steps = ["high_flops", "low_flops", "infeed", "all_reduce_sync", "idle"];
  const cores = [
    "tpu_high_flops",
    "tpu_low_flops",
    "tpu_infeed",
    "tpu_sparse_infeed",
    "tpu_all_reduce_sync",
    "tpu_idle",
  ];
  for (const theme of ["light", "dark"] as const) {
    const onSteps = seriesStyles(steps, theme, null);
    const onCores = seriesStyles(cores, theme, null);
    for (const id of steps) {
      const { line, fill, texture } = onSteps[steps.indexOf(id)]!;
      expect(onCores[cores.indexOf(`tpu_${id}`)]).toMatchObject({ line, fill, texture });
    }
    const [red, green, blue] = onSteps[4]!.fill.match(/\w\w/g)!;
    expect(red === green && green === blue).toBe(true);
    expect(new Set(onCores.map(({ fill, texture }) => `${fill} ${texture}`)).size).toBe(cores.length);
  }
});
