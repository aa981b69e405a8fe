import { ticks } from "@tilescope/client";
import { expect, test } from "vitest";
import { FIELDS, figureOf, placeOf, placeText } from "./fields";

test("what is written is read again, and what is malformed is the default", () => {
  const fields = { counted: "tracks", sort: "pod.input", least: true, group: "name", filter: "worker-1" } as const;
  expect(FIELDS.parse(FIELDS.format(fields))).toEqual(fields);
  const plain = FIELDS.parse({});
  expect(FIELDS.format(plain)).toEqual({});
  expect(FIELDS.parse({ counted: "spam", sort: "spam", least: "yes", group: "spam" })).toEqual(plain);
});

test("rows are sorted by a column of any tool, or by its first", () => {
  expect(FIELDS.parse({ sort: "stats.busy" }).sort).toBe("stats.busy");
  expect(figureOf("stats.busy")).toEqual({ tool: "stats", column: "busy" });
  expect(figureOf("stats.")).toEqual({ tool: "stats", column: "" });
  for (const text of ["", "late", "chips", ".busy", "stats", "a.b.c", "Stats.busy"]) {
    expect(figureOf(text)).toBeNull();
  }
});

test("a place keeps ticks beyond what a double holds, and names with any letters", () => {
  const span = { startTicks: ticks(9007199254740993n), endTicks: ticks(9007199254740995n) };
  const place = { span, rows: { from: 1.25, to: 7 }, chosen: "a;b, c·%" };
  expect(placeOf(placeText(place))).toEqual(place);
  expect(placeText({ span: null, rows: null, chosen: "" })).toBe("");
});

test("a malformed place is all of the map", () => {
  for (const text of ["", "x", "5-3;9-1;%", "1-;-2", "99999999999999999999-1"]) {
    expect(placeOf(text)).toEqual({ span: null, rows: null, chosen: text.startsWith("5") ? "" : placeOf(text).chosen });
  }
});
