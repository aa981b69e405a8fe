import { expect, test } from "vitest";
import { column, table } from "../../answers/test-tables";
import { digestTexts, splitDigests } from "./digest-tables";

test("digests are told by their ids, and stand apart from the tables of the answer", () => {
  const tables = ["findings", "digest.step_trace", "digests"].map((id) => table([column("name", "name", [])], { id }));
  const { digests, rest } = splitDigests({
    facts: [],
    series: [],
    notes: [],
    complete: true,
    missing: [],
    headline: null,
    tables,
  });
  expect(digests).toEqual([{ tool: "step_trace", table: tables[1] }]);
  expect(rest.tables).toEqual([tables[0], tables[2]]);
});

test("a digest leads to a page that shows the same: the streams alone, by track", () => {
  const streams = table([column("name", "name", ["Stream 2", "Stream 7"]), column("track", "track", [4, 9])]);
  expect(digestTexts({ tool: "stats", table: streams })).toEqual({ by: "track", tracks: "4,9" });
  expect(digestTexts({ tool: "operators", table: streams })).toEqual({});
});
