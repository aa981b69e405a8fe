import { type ToolAnswer, type ToolColumn, type ToolTable, ticks } from "@tilescope/client";
import { expect, test } from "vitest";
import { mapPalette, mapPixels } from "./image";
import { type Layer, layerOf, type MapRow, partsByRow, rowsByTrack, rowTexts } from "./layer";
import { figuresByRow, orderOf, sortColumns } from "./order";
import { partsQuestion, roundSpan, spanQuestion } from "./wanted";

const row = (name: string, more: Partial<MapRow> = {}): MapRow => ({
  ...{ name, host: "", process: "", tracks: null, track: 0, lanes: 1, busyTicks: 0n, share: 0, lateTicks: 0n },
  gridRow: null,
  ...more,
});

const layer = (rows: readonly MapRow[], busy: readonly number[], late: readonly number[] = []): Layer => {
  const columns = busy.length / rows.length;
  return {
    ...{ level: "host", rows, columns, startTicks: ticks(0n), columnTicks: ticks(100n), together: 1 },
    ...{ busy: Uint8Array.from(busy), late: Uint8Array.from(late.length === 0 ? busy.map(() => 0) : late) },
  };
};

const column = (id: string, values: readonly (string | number | null)[]) => ({ id, values });

test("an answer is read as rows of hundredths", () => {
  const answer = {
    facts: ["level host", "start 300", "column_ticks 128", "together 2"].map((text) => {
      const [id, value] = text.split(" ");
      return { id, value };
    }),
    tables: [
      {
        id: "rows",
        columns: [
          ...[column("name", ["a", "b … c"]), column("host", ["a", null]), column("process", [null, null])],
          ...[column("tracks", ["7", null]), column("track", [7, 9]), column("lanes", ["4", "8"])],
          ...[column("busy", ["9007199254740993", "0"]), column("share", [0.5, 0]), column("late", ["3", "0"])],
        ],
      },
    ],
    series: [
      { id: "busy", x: column("time", ["256", "384"]), ys: [column("row0", [0.29, 1]), column("row1", [0, 0.01])] },
    ],
  } as unknown as ToolAnswer;
  const read = layerOf(answer)!;
  expect([...read.busy]).toEqual([29, 100, 0, 1]);
  expect([...read.late]).toEqual([0, 0, 0, 0]);
  expect(read.rows[0]).toEqual(
    row("a", { host: "a", tracks: "7", track: 7, lanes: 4, busyTicks: 9007199254740993n, share: 0.5, lateTicks: 3n }),
  );
  expect([read.startTicks, read.columnTicks, read.together]).toEqual([256n, 128n, 2]);
  expect(layerOf({ ...answer, tables: [] })).toBeNull();
});

test("neighbours as one have the mean of their lanes, and the greatest lateness", () => {
  const rows = [row("a", { lanes: 3 }), row("b"), row("c")];
  const palette = mapPalette("light");
  const pixels = mapPixels(layer(rows, [100, 40, 60, 0, 80, 0], [0, 0, 0, 50, 0, 0]), [0, 1, 2], 2, palette);
  const colours = Array.from({ length: 4 }, (_, k) => [...pixels.slice(4 * k, 4 * k + 3)]);
  const rgb = ({ r, g, b }: { r: number; g: number; b: number }) => [r, g, b];
  expect(colours).toEqual([palette.busy[90]!, palette.late[50]!, palette.busy[80]!, palette.busy[0]!].map(rgb));
});

test("lightness tells how busy a cell is, without hue", () => {
  for (const theme of ["light", "dark"] as const) {
    const greens = mapPalette(theme).busy.map(({ g }) => g);
    const sorted = [...greens].sort((a, b) => (theme === "light" ? b - a : a - b));
    expect(greens).toEqual(sorted);
  }
});

const AS_THEY_ARE = { sort: "", least: false, group: "", filter: "" } as const;

test("rows are sorted by a figure, filtered by name, and stand as they are otherwise", () => {
  const rows = [row("w-1", { share: 0.5 }), row("w-2", { share: 0.9, lateTicks: 5n }), row("x-3", { share: 0.1 })];
  const sorted = (fields: Partial<Parameters<typeof orderOf>[1]>, figures: ReadonlyMap<number, number> | null = null) =>
    orderOf(rows, { ...AS_THEY_ARE, ...fields }, figures).rows;
  expect(sorted({})).toEqual([0, 1, 2]);
  expect(sorted({ least: true })).toEqual([2, 1, 0]);
  expect(sorted({ sort: "chips" })).toEqual([0, 1, 2]);
  expect(sorted({ sort: "busy" })).toEqual([1, 0, 2]);
  expect(sorted({ sort: "busy", least: true, filter: "W-" })).toEqual([0, 1]);
  expect(sorted({ sort: "late" })).toEqual([1, 0, 2]);
  // Figures that have not come leave the order; rows without one come last, backwards too.
  expect(sorted({ sort: "pod.input" })).toEqual([0, 1, 2]);
  const figures = new Map([
    [2, 4],
    [1, 7],
  ]);
  expect(sorted({ sort: "pod.input" }, figures)).toEqual([1, 2, 0]);
  expect(sorted({ sort: "pod.input", least: true }, figures)).toEqual([2, 1, 0]);
});

test("rows of a group stand side by side, groups in the order of their first rows", () => {
  const rows = [
    row("job-a-worker-0", { host: "h", share: 0.2, gridRow: 1 }),
    row("job-b-worker-1", { host: "i", share: 0.9, gridRow: 0 }),
    row("job-a-worker-10", { host: "h", share: 0.5, gridRow: 1 }),
    row("17", { share: 0.7 }),
  ];
  const grouped = (group: "host" | "name" | "grid") => orderOf(rows, { ...AS_THEY_ARE, sort: "busy", group }, null);
  const bands = (...names: string[]) => [0, 1, 2].map((from, k) => ({ from, name: names[k] }));
  expect(grouped("name")).toEqual({ rows: [1, 3, 2, 0], bands: bands("job-b-worker", "others", "job-a-worker") });
  expect(grouped("host").bands).toEqual(bands("i", "others", "h"));
  expect(grouped("grid").bands).toEqual(bands("Row 0 of the chips", "others", "Row 1 of the chips"));
  expect(orderOf(rows, AS_THEY_ARE, null).bands).toEqual([]);
});

test("a host has what the table's total has of the rows on its tracks: the greatest of means, sums of sums", () => {
  const figure = (id: string, kind: string, total: string, values: readonly (string | number | null)[]) => ({
    ...{ id, title: id, kind, total, unit: "" },
    values,
  });
  const columns = [
    figure("input", "ticks", "none", ["5", null, "9", "7"]),
    figure("busy", "ticks", "sum", ["5", null, "9", "7"]),
    figure("name", "text", "none", ["a", "b", "c", "d"]),
    figure("start", "time", "none", ["1", "2", "3", "4"]),
    figure("track", "track", "none", [1, 2, 3, 30]),
  ];
  const others = [figure("count", "count", "sum", ["1"])];
  const tables = [
    { id: "no tracks", columns: others },
    { id: "cores", columns },
  ] as unknown as readonly ToolTable[];
  const sorts = sortColumns(tables);
  expect(sorts.map(({ id }) => id)).toEqual(["input", "busy"]);
  const figures = (column: ToolColumn) => [...figuresByRow(tables, column, (track) => (track < 9 ? 0 : 1))];
  expect(sorts.map(figures)).toEqual([
    [
      [0, 9],
      [1, 7],
    ],
    [
      [0, 14],
      [1, 7],
    ],
  ]);
});

test("rows with one name are told apart in an address", () => {
  expect(rowTexts([row("a", {}), row("b", {}), row("a", {}), row("a", {})])).toEqual(["a", "b", "a #2", "a #3"]);
});

test("parts are found by the tracks of their rows", () => {
  const coarse = [row("a", { tracks: "1-3,9" }), row("b", { tracks: "4" })];
  const finder = rowsByTrack(coarse);
  const fine = [row("x", { track: 9 }), row("y", { track: 4 }), row("z", { track: 2 }), row("?", { track: 77 })];
  expect(partsByRow(fine, (track) => finder.get(track))).toEqual(
    new Map([
      [0, [0, 2]],
      [1, [1]],
    ]),
  );
});

test("a span is rounded so that it is kept while one moves a little", () => {
  const round = roundSpan({ startTicks: ticks(1000n), endTicks: ticks(1300n) });
  expect(round).toEqual({ startTicks: 768n, endTicks: 1536n });
  expect(roundSpan({ startTicks: ticks(900n), endTicks: ticks(1200n) })).toEqual(round);
  for (const [start, end] of [
    [0n, 1n],
    [5n, 700n],
    [123_456n, 130_000n],
  ] as const) {
    const { startTicks, endTicks } = roundSpan({ startTicks: ticks(start), endTicks: ticks(end) });
    expect(startTicks <= start && endTicks >= end && endTicks - startTicks <= 4n * (end - start) + 2n).toBe(true);
  }
});

test("finer answers are asked for where columns are wide and rows are high", () => {
  const rows = [row("a", { tracks: "100" }), row("b", { tracks: "101" })];
  const base = layer(rows, [1, 2, 3, 4]);
  const span = { startTicks: ticks(0n), endTicks: ticks(200n) };
  expect(spanQuestion(base, { ...span, endTicks: ticks(200_000n) }, 1000)).toBeNull();
  expect(spanQuestion(base, span, 1000)).toMatchObject({ level: "host", start: "0", end: "384" });
  const parts = (from: number, to: number, heightPx: number, processes = 4) =>
    partsQuestion(base, [1, 0], { from, to }, span, heightPx, () => processes);
  expect(parts(0, 2, 60)).toBeNull();
  expect(parts(0, 2, 100)).toMatchObject({ level: "process", tracks: "101,100" });
  expect(parts(0, 0.5, 100)).toMatchObject({ level: "track", tracks: "101" });
  expect(partsQuestion({ ...base, level: "track" }, [0], { from: 0, to: 1 }, span, 900, () => 1)).toBeNull();
});
