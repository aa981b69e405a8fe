import { Shifts, type ToolQuestion } from "@tilescope/client";
import { expect, it } from "vitest";
import { makePane } from "./pane";
import { stepSpan } from "./step-span";
import type { Trace } from "./trace";

const pane = makePane();
const TRACKS = new Map([0, 1, 2].map((id) => [id, { id, kind: "slice" }]));

it("finds a step as it is drawn where clocks of hosts are shifted, and needs no host to have it", async () => {
  const rows: Record<string, readonly [string, string]> = { "0": ["100", "200"], "1": ["150", "190"] };
  const ask = async (_: string, { tracks }: ToolQuestion) => {
    const [start, end] = rows[String(tracks)] ?? ["", ""];
    if (start === "") {
      throw new Error("there is no step 7");
    }
    const columnsOf = [
      { id: "start", values: [start] },
      { id: "end", values: [end] },
    ];
    return { facts: [], tables: [{ id: "steps", columns: columnsOf }] };
  };
  const trace = { api: { ask }, tracks: TRACKS } as unknown as Trace;
  pane.shifts.value = new Shifts(
    new Map([
      [1, -80n],
      [2, 5n],
    ]),
  );
  expect(await stepSpan(pane, trace, "7")).toEqual({ startTicks: 70n, endTicks: 200n });
  rows["0"] = ["", ""];
  rows["1"] = ["", ""];
  await expect(stepSpan(pane, trace, "7")).rejects.toThrow("there is no step 7");
  pane.shifts.value = null;
});
