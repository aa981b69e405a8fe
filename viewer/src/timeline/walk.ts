/** From slice to slice by keys: into a track, to the neighbours of a slice. Loaded with the first such key. */

import {
  type Coverage,
  type EventDetails,
  formatDuration,
  type TickRange,
  ticks,
  visibleRange,
  xOfTick,
} from "@tilescope/client";
import { type BinHit, hitTest, type SliceHit } from "../raster/hit";
import { layoutItem } from "../state/layout";
import type { Pane } from "../state/pane";
import { type BinFacts, tracksOf as tracksOfSelection } from "../state/selection";
import { announcement } from "../state/shell";
import { recordedRange } from "../state/shifts";
import type { Trace } from "../state/trace";
import { trackKey } from "../state/track-keys";
import { tracksOf, tracksOnScreen } from "../state/tracks-on-screen";
import { type Direction, NEVER, type Neighbour, neighbourOf } from "./navigate";
import { drawsOf } from "./picture";
import { binFacts } from "./pointing";
import { drawnBeside } from "./row-drawn";
import { searchRow } from "./row-search";
import type { Stage } from "./stage";
import { detailsWhenHere, type StepPort, sayWhyNot } from "./steps";

export { Steps } from "./steps";

const WORDS: Readonly<Record<Direction, string>> = {
  previous: "previous slice in this row",
  next: "next slice in this row",
  parent: "slice above",
  child: "slice below",
};

const DRAWN_WORDS: Readonly<Record<Direction, string>> = {
  previous: "bin or slice before it on this row",
  next: "bin or slice after it on this row",
  parent: "bin or slice above it",
  child: "bin or slice below it",
};

const NOTHING_DRAWN: Coverage = { draws: [], complete: false, missing: [] };

/** Tracks that are asked, one after the other, for what they have in view. */
const MOST_ASKED = 24;

/** Goes to a neighbour of the selected slice or bin. */
export async function stepFrom(stage: Stage, viewNavigator: StepPort, direction: Direction): Promise<void> {
  const chosen = stage.pane.selection.peek();
  if (chosen.kind === "bin") {
    stepFromBin(stage, viewNavigator, chosen.bin, direction);
    return;
  }
  const details = await detailsWhenHere(stage.pane);
  if (details === null) {
    return;
  }
  const signal = viewNavigator.startAnew();
  let neighbour: Neighbour | null;
  try {
    neighbour = await lookFor(stage, details, direction, signal);
  } catch (error) {
    if (!signal.aborted) {
      fail(`The ${WORDS[direction]} could not be looked up`, error);
    }
    return;
  }
  if (signal.aborted) {
    return;
  }
  if (neighbour === null) {
    announcement.value = `There is no ${WORDS[direction]}.`;
    return;
  }
  viewNavigator.show(details.track, neighbour);
}

/**
 * Selects the first slice in view: of the track or group with this key, else of the first track on the screen that has one.
 * Where a track has none in view, its nearest one after that, or before.
 */
export async function enter(viewNavigator: StepPort, key: string | null): Promise<void> {
  const { pane } = viewNavigator;
  const shown = pane.runView.peek();
  if (shown.kind !== "open") {
    return;
  }
  const signal = viewNavigator.startAnew();
  const { trace } = shown;
  const range = visibleRange(pane.view.peek());
  const own = key === null ? undefined : layoutItem(pane.layout.peek(), key);
  const tracks = own == null ? tracksOnScreen(pane) : tracksOf(own);
  const candidates = tracks.filter((id) => mayHold(trace, id, recorded(pane, id, range)));
  try {
    for (const id of candidates.slice(0, MOST_ASKED)) {
      const place = await firstIn(trace, id, recorded(pane, id, range), signal);
      if (place !== null && layoutItem(pane.layout.peek(), trackKey(id)) !== null) {
        viewNavigator.select({ kind: "event", track: id, ordinal: place });
        return;
      }
      if (place !== null) {
        viewNavigator.goTo(id, place);
        return;
      }
    }
    const [first] = own == null ? [] : tracks;
    const nearest = first === undefined ? null : await nearestTo(trace, first, recorded(pane, first, range), signal);
    if (first !== undefined && nearest !== null) {
      viewNavigator.goTo(first, nearest);
    } else {
      announcement.value = own == null ? "No slice is in view." : "This track has no events.";
    }
  } catch (error) {
    if (!signal.aborted) {
      fail("The first slice could not be looked up", error);
    }
  }
}

/** Selects the event of a track that is nearest to a drawn range in which it has none, before it or behind it. */
export async function goBeside(
  viewNavigator: StepPort,
  track: number,
  side: "previous" | "next",
  drawn: TickRange,
): Promise<void> {
  const { pane } = viewNavigator;
  const client = pane.session.peek()?.client;
  if (client === undefined) {
    return;
  }
  const { startTicks, endTicks } = recorded(pane, track, drawn);
  const signal = viewNavigator.startAnew();
  const tiles = {
    tile: (level: number, index: number) => client.load({ track, level, index }, signal),
    leafAt: (tick: bigint) => client.loadLeaf(track, ticks(tick), signal),
  };
  const isForward = side === "next";
  // What begins or ends idleness is in the first row: rows below it nest, or overlap what is there.
  const neighbour = searchRow(tiles, isForward ? endTicks : startTicks, {
    ...{ row: 0, isForward, first: isForward ? endTicks : 0n, last: isForward ? NEVER : startTicks },
    accepts: (slice) => (isForward ? slice.startTicks >= endTicks : slice.endTicks <= startTicks),
  });
  try {
    const slice = await neighbour;
    if (slice !== null && !signal.aborted) {
      viewNavigator.show(track, slice);
    }
  } catch (error) {
    if (!signal.aborted) {
      fail(`The ${isForward ? "next event" : "event before"} could not be looked up`, error);
    }
  }
}

/** Selects the time of the selected slice or bin, on its track. */
export async function sliceToArea(viewNavigator: StepPort): Promise<void> {
  const { pane } = viewNavigator;
  const chosen = pane.selection.peek();
  if (chosen.kind === "event" && (await detailsWhenHere(pane)) === null) {
    return;
  }
  const range = pane.selectedRange.peek();
  if (chosen.kind !== "area" && range !== null && range.endTicks > range.startTicks) {
    viewNavigator.select({ kind: "area", range, tracks: new Set(tracksOfSelection(chosen)) });
  }
}

/** Goes on from a bin to what is drawn beside it, or above or below it. */
function stepFromBin(stage: Stage, viewNavigator: StepPort, from: BinFacts, direction: Direction): void {
  const { picture } = stage;
  if (picture === null) {
    return;
  }
  const { track, row, startTicks } = from;
  const draws = drawsOf(picture, track);
  const range = { startTicks, endTicks: ticks(startTicks + from.widthTicks) };
  const middlePx = (xOfTick(picture.view, range.startTicks) + xOfTick(picture.view, range.endTicks)) / 2;
  const hit =
    direction === "parent" || direction === "child"
      ? hitTest(draws, picture.view, middlePx, row + (direction === "child" ? 1 : -1))
      : drawnBeside(draws, row, range, direction);
  if (hit === null) {
    announcement.value = `There is no ${DRAWN_WORDS[direction]} in view.`;
  } else {
    selectDrawn(stage.pane, viewNavigator, hit);
  }
}

/** Selects the first bin or slice that begins in view: of the track or group with this key, else of the first with one. */
export function enterDrawn(stage: Stage, viewNavigator: StepPort, key: string | null): void {
  const { picture } = stage;
  if (picture === null) {
    return;
  }
  const before = ticks(visibleRange(picture.view).startTicks - 1n);
  const own = key === null ? null : layoutItem(stage.pane.layout.peek(), key)?.node;
  const wanted = own == null ? null : own.kind === "track" ? own.track.id : own.rollup?.id;
  for (const { track } of picture.scene.tracks) {
    for (let row = 0; row < track.lanes && (wanted === null || wanted === track.id); row++) {
      const hit = drawnBeside(drawsOf(picture, track.id), row, { startTicks: before, endTicks: before }, "next");
      if (hit !== null) {
        selectDrawn(stage.pane, viewNavigator, hit);
        return;
      }
    }
  }
  announcement.value = "Nothing begins in view.";
}

function selectDrawn(pane: Pane, viewNavigator: StepPort, hit: BinHit | SliceHit): void {
  viewNavigator.select(
    hit.kind === "bin"
      ? { kind: "bin", bin: binFacts(hit) }
      : { kind: "event", track: hit.track, ordinal: hit.ordinal },
  );
  viewNavigator.revealSelection();
  const shown = pane.runView.peek();
  if (hit.kind === "bin" && shown.kind === "open") {
    const { manifest, tracks } = shown.trace;
    const time = (span: bigint) => formatDuration(span, manifest.time.tickPs);
    const width = time(hit.endTicks - hit.startTicks);
    const where = `row ${hit.row} of ${tracks.get(hit.track)?.name ?? "a track"}`;
    announcement.value = `Bin of ${width} at ${time(hit.startTicks)}: events that start in it: ${hit.count}, on ${where}`;
  }
}

function fail(what: string, error: unknown): void {
  sayWhyNot(`${what}: ${error instanceof Error ? error.message : String(error)}`);
}

/** A range of the screen as the clock of a track had it: tiles and questions have times that were recorded. */
function recorded({ shifts }: Pane, track: number, range: TickRange): TickRange {
  return recordedRange(shifts.peek(), range, [track]).range;
}

function mayHold(trace: Trace, id: number, { startTicks, endTicks }: TickRange): boolean {
  const { firstTicks, lastTicks } = trace.tracks.get(id) ?? {};
  return firstTicks !== undefined && lastTicks !== undefined && firstTicks < endTicks && lastTicks >= startTicks;
}

/** The ordinal of the first event of a track that overlaps a range; null where there is none. */
async function firstIn(trace: Trace, track: number, range: TickRange, signal: AbortSignal): Promise<number | null> {
  const span = { start: range.startTicks, end: range.endTicks };
  const { columns } = await trace.api.events({ tracks: String(track), ...span, limit: 1 }, signal);
  const [ordinal] = columns.ordinal;
  return ordinal === undefined ? null : Number(ordinal);
}

async function nearestTo(trace: Trace, track: number, range: TickRange, signal: AbortSignal): Promise<number | null> {
  const after = { startTicks: range.endTicks, endTicks: ticks(trace.manifest.range.endTicks + 1n) };
  const next = after.startTicks < after.endTicks ? await firstIn(trace, track, after, signal) : null;
  const events = Number(trace.tracks.get(track)?.events ?? 0n);
  return next ?? (events > 0 ? events - 1 : null);
}

async function lookFor(
  stage: Stage,
  event: EventDetails,
  direction: Direction,
  signal: AbortSignal,
): Promise<Neighbour | null> {
  const shown = stage.pane.runView.peek();
  const { picture } = stage;
  const client = stage.pane.session.peek()?.client;
  if (shown.kind !== "open" || picture === null || client === undefined) {
    return null;
  }
  const { track, startTicks, durationTicks, row } = event;
  const from = { ordinal: Number(event.ordinal), row, startTicks, endTicks: startTicks + durationTicks };
  if (event.kind === "counter") {
    return sampleBeside(shown.trace, from.ordinal, track, direction, signal);
  }
  // What is drawn of a shifted track has other times than its slices: these are searched in the tiles.
  const isAsRecorded = (picture.shifts?.later(track) ?? 0n) === 0n;
  const coverage = (isAsRecorded ? picture.coverages.get(track) : undefined) ?? NOTHING_DRAWN;
  const drawn = { coverage, range: visibleRange(picture.deviceView) };
  return neighbourOf(from, direction, drawn, {
    tile: (level, index) => client.load({ track, level, index }, signal),
    leafAt: (tick) => client.loadLeaf(track, ticks(tick), signal),
  });
}

/** Samples of a counter follow each other by their ordinals. */
async function sampleBeside(
  trace: Trace,
  from: number,
  track: number,
  direction: Direction,
  signal: AbortSignal,
): Promise<Neighbour | null> {
  const ordinal = from + (direction === "next" ? 1 : direction === "previous" ? -1 : Number.NaN);
  if (!(ordinal >= 0 && ordinal < Number(trace.tracks.get(track)?.events ?? 0n))) {
    return null;
  }
  const { row, startTicks } = await trace.api.event(track, ordinal, signal);
  return { ordinal, row, startTicks, endTicks: startTicks };
}
