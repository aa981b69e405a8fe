import { ticks } from "@tilescope/client";
import { expect, test } from "vitest";
import { FirstView } from "./first-view";
import { makePane } from "./pane";
import type { Trace } from "./trace";

const pane = makePane();

test("a run with outliers opens on all else", async () => {
  const outliers = {
    startTicks: ticks(900),
    endTicks: ticks(1000),
    before: 1n,
    after: 0n,
    tooLong: 0n,
    overruns: 0n,
    events: [],
  };
  const manifest = { outliers, events: { total: 100n }, range: { startTicks: ticks(0), endTicks: ticks(1000) } };
  const shown: unknown[] = [];
  await new FirstView(pane).find({ manifest } as unknown as Trace, (range) => shown.push(range));
  expect(shown).toEqual([{ startTicks: 900n, endTicks: 1000n, share: 0.99, isOnly: true }]);
  expect(pane.busyPart.value?.share).toBe(0.99);
});
