import { Shifts, type ToolQuestion } from "@tilescope/client";
import { expect, it } from "vitest";
import { makePane } from "./pane";
import { stepSpan } from "./step-span";
import type { Trace } from "./trace";

const pane = makePane();
const GROUPS = new Map(
  ["a", "b", "c"].map((name, id) => [id, { id, parent: null, kind: "host", name, detail: "", rollup: null }]),
);
const TRACKS = new Map([0, 1, 2].map((id) => [id, { id, group: id, kind: "slice" }]));

function traceOf(rows: readonly (readonly [string, string, string | null, string])[]): Trace {
  const columns = ["start", "end", "event", "host"].map((id, k) => ({ id, values: rows.map((row) => row[k]) }));
  const ask = async (_: string, { tracks, limit }: ToolQuestion) => {
    expect([tracks, limit], "all that count, of the first pass alone").toEqual([undefined, 1]);
    return { facts: [], tables: [{ id: "devices", columns }] };
  };
  return { api: { ask }, tracks: TRACKS, groups: GROUPS } as unknown as Trace;
}

it("finds a step as it is drawn where clocks of hosts are shifted, and needs no host to have it", async () => {
  const trace = traceOf([
    ["100", "200", "0.4", "a"],
    ["150", "190", "1.7", "b"],
  ]);
  expect(await stepSpan(pane, trace, "7")).toEqual({ startTicks: 100n, endTicks: 200n });
  pane.shifts.value = new Shifts(
    new Map([
      [1, -80n],
      [2, 5n],
    ]),
  );
  expect(await stepSpan(pane, trace, "7")).toEqual({ startTicks: 70n, endTicks: 200n });
  // A step that is no slice stands where its host does.
  expect(await stepSpan(pane, traceOf([["10", "20", null, "c"]]), "7")).toEqual({ startTicks: 15n, endTicks: 25n });
  expect(await stepSpan(pane, traceOf([["10", "20", null, "z"]]), "7")).toEqual({ startTicks: 10n, endTicks: 20n });
  pane.shifts.value = null;
});

it("says that there is no such step, and what the server says", async () => {
  await expect(stepSpan(pane, traceOf([]), "7")).rejects.toThrow("there is no such step");
  const ask = () => Promise.reject(new Error("the server does not answer"));
  const trace = { api: { ask }, tracks: TRACKS, groups: GROUPS } as unknown as Trace;
  await expect(stepSpan(pane, trace, "7")).rejects.toThrow("the server does not answer");
});
