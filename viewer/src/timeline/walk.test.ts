import { type EventDetails, Shifts, type TileData, ticks } from "@tilescope/client";
import { beforeEach, expect, it, vi } from "vitest";
import { makePane, type Pane } from "../state/pane";
import type { RunView } from "../state/run";
import type { Session } from "../state/session";
import type { Picture } from "./picture";
import type { Stage } from "./stage";
import type { StepPort } from "./steps";
import { goBeside, stepFrom } from "./walk";

const TRACK = 7;
const LATER = 1000n;
const NONE = { length: 0, bin: new Uint8Array(), row: new Uint32Array() };

/** Three slices one after the other, as they were recorded: from 10, 20 and 30 on. */
const LEAF = {
  ...{ track: TRACK, level: 0, index: 0, kind: "leaf", originTicks: ticks(0), binTicks: 1, bins: NONE },
  slices: {
    length: 3,
    startOffset: Float64Array.of(10, 20, 30),
    endOffset: Float64Array.of(15, 25, 35),
    row: new Uint32Array(3),
    ordinal: Float64Array.of(0, 1, 2),
    wide: null,
  },
} as unknown as TileData;

const shifts = new Shifts(new Map([[TRACK, LATER]]));
const loadLeaf = vi.fn(async () => LEAF);
let pane: Pane;
let port: StepPort;

beforeEach(() => {
  loadLeaf.mockClear();
  pane = makePane();
  pane.shifts.value = shifts;
  pane.runView.value = { kind: "open", trace: {} } as RunView;
  pane.session.value = { client: { loadLeaf, load: async () => null } } as unknown as Session;
  port = {
    ...{ pane, startAnew: () => new AbortController().signal, select: vi.fn(), show: vi.fn(), goTo: vi.fn() },
    revealSelection: vi.fn(),
  };
});

it("a step from a slice of a shifted track is one of the slices as they were recorded, and leads to the next of them", async () => {
  const event = { kind: "event", track: TRACK, ordinal: 1 } as const;
  const times = { startTicks: ticks(20), durationTicks: ticks(5) };
  pane.selection.value = event;
  pane.detailsView.value = {
    ...{ kind: "ready", event },
    details: { track: TRACK, ordinal: 1n, kind: "slice", row: 0, ...times } as EventDetails,
  };
  const tile = { ...LEAF, originTicks: ticks(LATER) };
  const draw = { tile, clipStart: ticks(LATER), clipEnd: ticks(LATER + 256n), sharp: true };
  const coverage = { draws: [draw], complete: true, missing: [] };
  const deviceView = { startTicks: ticks(LATER), startFraction: 0, ticksPerPx: 1, widthPx: 256 };
  const picture = { shifts, deviceView, coverages: new Map([[TRACK, coverage]]) } as unknown as Picture;
  const stage = { pane, picture } as unknown as Stage;
  await stepFrom(stage, port, "next");
  await stepFrom(stage, port, "previous");
  expect(vi.mocked(port.show).mock.calls).toEqual([
    [TRACK, { ordinal: 2, row: 0, startTicks: 30n, endTicks: 35n }],
    [TRACK, { ordinal: 0, row: 0, startTicks: 10n, endTicks: 15n }],
  ]);
});

it("what is beside the view is looked for where the clock of its track had the view", async () => {
  const drawn = { startTicks: ticks(LATER + 16n), endTicks: ticks(LATER + 18n) };
  await goBeside(port, TRACK, "next", drawn);
  await goBeside(port, TRACK, "previous", drawn);
  expect(loadLeaf.mock.calls.map((call) => (call as unknown[])[1])).toEqual([18n, 16n]);
  expect(vi.mocked(port.show).mock.calls.map(([, { ordinal }]) => ordinal)).toEqual([1, 0]);
});
