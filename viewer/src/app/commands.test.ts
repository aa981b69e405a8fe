import { ticks } from "@tilescope/client";
import { beforeEach, expect, it } from "vitest";
import { KEY_TABLE } from "../keys/table";
import { makePane } from "../state/pane";
import { NOTHING, type Selection } from "../state/selection";
import type { Trace } from "../state/trace";
import { reasonAgainst } from "./commands";

const pane = makePane();

const BIN: Selection = {
  kind: "bin",
  bin: {
    ...{ track: 3, row: 0, place: 2, level: 2, index: 0, startTicks: ticks(8), widthTicks: ticks(4) },
    ...{ count: 9, name: 1, share: 0.5, exact: null },
  },
};
const SEVERAL: Selection = {
  kind: "several",
  events: [
    { track: 3, ordinal: 1 },
    { track: 4, ordinal: 2 },
  ],
};

/** The intents of the palette that cannot be run. */
function unavailable(): readonly string[] {
  const trace = {} as Trace;
  return KEY_TABLE.filter((binding) => reasonAgainst(pane, binding, trace) !== null).map(({ intent }) => intent);
}

beforeEach(() => {
  pane.selection.value = NOTHING;
  pane.selectedRange.value = null;
});

it("offers for a bin and for several events what their keys do", () => {
  const ofSelection = ["focus-selection", "parent-slice", "child-slice", "slice-to-area", "pin-track", "track-figures"];
  expect(unavailable()).toEqual(expect.arrayContaining(ofSelection));
  pane.selection.value = BIN;
  pane.selectedRange.value = { startTicks: ticks(8), endTicks: ticks(12) };
  for (const intent of ofSelection) {
    expect(unavailable()).not.toContain(intent);
  }
  pane.selection.value = SEVERAL;
  expect(unavailable()).toContain("parent-slice");
  for (const intent of [
    "focus-selection",
    "slice-to-area",
    "pin-track",
    "hide-track",
    "track-figures",
    "first-event",
  ]) {
    expect(unavailable()).not.toContain(intent);
  }
  pane.selectedRange.value = { startTicks: ticks(8), endTicks: ticks(8) };
  expect(unavailable()).toContain("slice-to-area");
});
