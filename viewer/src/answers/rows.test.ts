import { expect, test } from "vitest";
import { naturalKey, ShownColumn } from "./columns";
import { scaleOf } from "./figures";
import { contentHeight, ROW_PX, scrollTo, slotsFor, windowAt } from "./row-window";
import { nextSort, sortRows } from "./sorting";
import { column } from "./test-tables";
import { Places } from "./timeline-places";
import { combine } from "./totals";
import { RowTree } from "./tree-rows";
import { inUnit, tsv } from "./tsv";

const NAMES = { time: { tickPs: 1, originNs: 0n }, trackPath: (track: number) => ["host", `Core ${track}`, "Ops"] };

function sorted(shown: ShownColumn, isDescending: boolean): readonly number[] {
  return [
    ...sortRows(
      Uint32Array.from(shown.column.values, (_, k) => k),
      shown.ranks,
      isDescending,
    ),
  ];
}

test("integers that doubles cannot tell apart are sorted exactly, what was not recorded last", () => {
  const shown = new ShownColumn(
    column("n", "ticks", ["9007199254740993", null, "9007199254740992", "-9007199254740993", "9007199254740993"]),
    NAMES,
  );
  expect(sorted(shown, false)).toEqual([3, 2, 0, 4, 1]);
  expect(sorted(shown, true)).toEqual([0, 4, 2, 3, 1]);
});

test("names are sorted by the numbers in them", () => {
  expect(["fusion.10", "fusion.9", "fusion.010", "Fusion.1"].map(naturalKey).sort()).toEqual(
    ["Fusion.1", "fusion.9", "fusion.10", "fusion.010"].map(naturalKey),
  );
  const shown = new ShownColumn(column("name", "name", ["b10", "b9", null, "A"]), NAMES);
  expect(sorted(shown, false)).toEqual([3, 1, 0, 2]);
  const tracks = new ShownColumn(column("t", "track", [10, 9]), NAMES);
  expect(sorted(tracks, false)).toEqual([1, 0]);
  expect(tracks.text(9)).toBe("Core 9 › Ops");
  expect(tracks.exact(9)).toBe("host › Core 9 › Ops");
});

test("a hundred thousand rows of exact integers are in order", () => {
  const values = Array.from({ length: 100_000 }, (_, k) => ((k * 2_654_435_761) % 4_294_967_296).toString());
  const order = sorted(new ShownColumn(column("n", "ticks", values), NAMES), false);
  expect(order.map((row) => values[row])).toEqual([...values].sort((a, b) => Number(a) - Number(b)));
});

test("clicks on a header: largest first for numbers, then the other way, then the answer's order", () => {
  const first = nextSort(null, "n", true);
  expect(first).toEqual({ column: "n", isDescending: true });
  expect(nextSort(first, "n", true)).toEqual({ column: "n", isDescending: false });
  expect(nextSort({ column: "n", isDescending: false }, "n", true)).toBeNull();
  expect(nextSort(first, "name", false)).toEqual({ column: "name", isDescending: false });
});

test("a tree shows children of open rows, in order, and what leads to rows that match", () => {
  const tree = new RowTree([-1, 0, 0, 1, -1, 4, null]);
  const reversed = (rows: readonly number[]) => [...rows].reverse();
  const all = tree.lines(
    () => true,
    null,
    (rows) => rows,
  );
  expect([...all.rows]).toEqual([0, 1, 3, 2, 4, 5, 6]);
  expect([...all.depths!]).toEqual([0, 1, 2, 1, 0, 1, 0]);
  expect([...tree.lines((row) => row === 0, null, reversed).rows]).toEqual([6, 4, 0, 2, 1]);
  expect([
    ...tree.lines(
      () => true,
      tree.withAncestors([3]),
      (rows) => rows,
    ).rows,
  ]).toEqual([0, 1, 3]);
  expect([...tree.openTo(1)]).toEqual([0, 4]);
  expect([...tree.openTo(2)]).toEqual([0, 1, 4]);
  expect(tree.parentOf(3)).toBe(1);
});

test("a tree of a chain of a hundred thousand rows is walked without recursion", () => {
  const tree = new RowTree(Array.from({ length: 100_000 }, (_, k) => k - 1));
  expect(
    tree.lines(
      () => true,
      null,
      (rows) => rows,
    ).rows.length,
  ).toBe(100_000);
});

test("rows that would make a circle are roots", () => {
  expect([
    ...new RowTree([0, 2, 1]).lines(
      () => true,
      null,
      (rows) => rows,
    ).rows,
  ]).toEqual([0, 1, 2]);
});

test("totals of rows are exact, and are what the column says that they are", () => {
  const values = ["9007199254740993", "1", null];
  expect(combine(column("n", "ticks", values), [0, 1, 2])).toBe("9007199254740994");
  expect(combine(column("n", "ticks", values, { total: "max" }), [0, 1, 2])).toBe("9007199254740993");
  expect(combine(column("n", "ticks", values, { total: "min" }), [0, 1])).toBe("1");
  expect(combine(column("n", "ticks", values, { total: "none" }), [0, 1])).toBe(null);
  expect(combine(column("n", "ticks", values), [2])).toBeNull();
  expect(combine(column("f", "fraction", [0.5, null, 0.25]), [0, 1, 2])).toBe(0.75);
  expect(combine(column("f", "rate", [0.5, 3], { total: "max" }), [0, 1])).toBe(3);
});

test("TSV is in the unit of the screen, with all digits; text keeps to its cell", () => {
  const columns = [
    column("name", "name", ["a\tb\nc", null]),
    column("busy", "ticks", ["9007199254740993", "0"]),
    column("start_ticks", "time", ["-5", "1000001"]),
    column("used_bytes", "bytes", ["12345678", null]),
    column("part", "fraction", [0.07, 1]),
    column("rate", "rate", [0.1, null], { unit: "1/s" }),
    column("speed", "rate", [2_500_000, 1], { unit: "B/s" }),
  ];
  const time = { tickPs: 1000, originNs: 0n };
  expect(tsv(columns, [1, 0], time)).toBe(
    "name\tbusy [s]\tstart [ms]\tused [MB]\tpart [%]\trate [1/s]\tspeed [MB/s]\n" +
      "\t0\t1.000001\t\t100\t\t0.000001\n" +
      "a b c\t9007199.254740993\t-0.000005\t12.345678\t7\t0.1\t2.5\n",
  );
  expect(tsv(columns.slice(1, 2), [0], time, { depths: [2] })).toBe("depth\tbusy [s]\n2\t9007199.254740993\n");
});

test("sizes that are sums of doubles are written, however large", () => {
  const sizes = inUnit(
    { id: "busy", kind: "ticks", unit: "" },
    scaleOf({ kind: "ticks", unit: "" }, [2e22], { tickPs: 1000, originNs: 0n }),
  );
  expect(sizes.head).toBe("busy [s]");
  expect([2e22, 1500, null].map(sizes.cell)).toEqual(["20000000000000", "0.0000015", ""]);
});

test("TSV for people has the names of tracks, and TSV for programs their numbers", () => {
  const columns = [column("source", "track", [7, null])];
  const { time, trackPath } = NAMES;
  expect(tsv(columns, [0, 1], time, { trackPath })).toBe("source\nhost › Core 7 › Ops\n\n");
  expect(tsv(columns, [0], time, { trackPath, isRaw: true })).toBe("source\n7\n");
});

test("TSV in ticks says how long a tick is", () => {
  const columns = [column("busy", "ticks", ["9007199254740993"]), column("used", "bytes", ["12"])];
  expect(tsv(columns, [0], { tickPs: 1000, originNs: 0n }, { isRaw: true })).toBe(
    "busy [ticks of 1 ns]\tused [B]\n9007199254740993\t12\n",
  );
});

test.each([0, 1, 27, 28, 1000, 27_999, 2_800_000])("the window covers the screen at %i px", (scrollPx) => {
  const lines = 100_000;
  const rows = windowAt(lines, scrollPx, 560);
  const scroll = Math.min(scrollPx, contentHeight(lines) - 560);
  expect(rows.topPx).toBe(rows.first * ROW_PX);
  expect(rows.topPx).toBeLessThanOrEqual(scroll);
  expect(rows.topPx + (rows.end - rows.first) * ROW_PX).toBeGreaterThanOrEqual(scroll + 560);
  expect(rows.end - rows.first).toBeLessThanOrEqual(slotsFor(560));
});

test("short tables are in the page as a whole", () => {
  expect(windowAt(5, 0, 560)).toEqual({ first: 0, end: 5, topPx: 0, heightPx: 140 });
  expect(windowAt(0, 0, 560)).toEqual({ first: 0, end: 0, topPx: 0, heightPx: 0 });
});

test("a table of ten million rows is no higher than browsers allow, and its last row can be reached", () => {
  const lines = 10_000_000;
  const heightPx = contentHeight(lines);
  expect(heightPx).toBeLessThan(16_000_000);
  for (const line of [0, 1, 5_000_000, lines - 1]) {
    const scroll = scrollTo(line, lines, heightPx / 3, 560);
    const rows = windowAt(lines, scroll, 560);
    const topPx = rows.topPx + (line - rows.first) * ROW_PX;
    expect(rows.first).toBeLessThanOrEqual(line);
    expect(rows.end).toBeGreaterThan(line);
    expect(topPx).toBeGreaterThanOrEqual(scroll - ROW_PX);
    expect(topPx).toBeLessThanOrEqual(scroll + 560);
  }
});

test("scrolling to a line moves no further than needed", () => {
  expect(scrollTo(0, 100, 280, 560)).toBe(0);
  expect(scrollTo(15, 100, 280, 560)).toBe(280);
  expect(scrollTo(40, 100, 280, 560)).toBe(41 * ROW_PX - 560);
});

test("rows lead to their event, or else to their span and track", () => {
  const event = column("event", "event", ["3.17", null]);
  const track = column("track", "track", [4, null]);
  const start = column("start", "time", ["-10", null]);
  const duration = column("duration", "ticks", ["5", null]);
  const places = new Places([event, track, start, duration]);
  expect(places.placeOf(0)).toEqual({ kind: "event", track: 3, ordinal: 17, span: null });
  const around = new Places([event, track, start, column("end", "time", ["7", null])]);
  expect(around.placeOf(0)).toEqual({
    kind: "event",
    track: 3,
    ordinal: 17,
    span: { startTicks: -10n, endTicks: 7n },
  });
  expect(places.placeOf(1)).toBeNull();
  expect(new Places([track, start, duration]).placeOf(0)).toEqual({
    kind: "span",
    span: { startTicks: -10n, endTicks: -5n },
    track: 4,
    query: "",
  });
  expect(new Places([start]).placeOf(0)).toEqual({
    kind: "span",
    span: { startTicks: -10n, endTicks: -9n },
    track: null,
    query: "",
  });
  expect(new Places([column("s", "span", ["-20--10", "5-9"])]).placeOf(1)).toEqual({
    kind: "span",
    span: { startTicks: 5n, endTicks: 9n },
    track: null,
    query: "",
  });
  const gap = column("gap", "span", ["5-9"]);
  const endedBy = column("ended_by", "event", ["3.4"]);
  expect(new Places([endedBy, gap, track]).placeOf(0)).toEqual({
    kind: "span",
    span: { startTicks: 5n, endTicks: 9n },
    track: 4,
    query: "",
  });
  const query = column("query", "text", ['"fusion.1"', null]);
  expect(new Places([query]).placeOf(0)).toEqual({ kind: "span", span: null, track: null, query: '"fusion.1"' });
  expect(new Places([query]).placeOf(1)).toBeNull();
  expect(new Places([duration]).areThere).toBe(false);
});
