/**
 * Shifts of clocks: tiles as they are drawn, so many ticks later than they were recorded. What was fetched stays as it is, and so do
 * its names.
 */

import { plus, type Ticks, ticks } from "../base/time";
import type { TickRange, View } from "../base/view";
import type { Coverage, DrawTile } from "../pages/coverage";
import type { TrackRequest } from "../pages/resolver";
import type { TileData } from "../pages/tile";
import type { Track } from "./model";

/** View and tracks of a `TileClient`. */
interface Shown {
  readonly view: View;
  readonly tracks: readonly TrackRequest[];
  readonly nearby?: readonly TrackRequest[];
}

/** Tiles that were shifted last, by those that were fetched: a frame draws the same again. */
const shiftedTiles = new WeakMap<TileData, { readonly shiftTicks: bigint; readonly tile: TileData }>();

/** Ticks by which tracks are drawn later than they were recorded. */
export class Shifts {
  static #made = 0;
  /** Another number for each: what is kept of a picture is of one. */
  readonly version = ++Shifts.#made;
  readonly #byTrack: ReadonlyMap<number, bigint>;

  constructor(byTrack: ReadonlyMap<number, bigint>) {
    this.#byTrack = byTrack;
  }

  /** Ticks by which a track is drawn later; 0 where it stands as it was recorded. */
  later(track: number): bigint {
    return this.#byTrack.get(track) ?? 0n;
  }

  /** A recorded span of a track as it is drawn. */
  range(track: number, { startTicks, endTicks }: TickRange): TickRange {
    const shiftTicks = this.later(track);
    return { startTicks: plus(startTicks, shiftTicks), endTicks: plus(endTicks, shiftTicks) };
  }

  /** A scene whose tracks have their times as they are drawn. */
  scene<Scene extends { readonly tracks: readonly { readonly track: Track }[] }>(recorded: Scene): Scene {
    return { ...recorded, tracks: recorded.tracks.map((entry) => ({ ...entry, track: this.track(entry.track) })) };
  }

  /** A track with the times of its first and last event as they are drawn. */
  track(recorded: Track): Track {
    const { id, firstTicks, lastTicks } = recorded;
    const shiftTicks = this.later(id);
    return shiftTicks === 0n || firstTicks === undefined || lastTicks === undefined
      ? recorded
      : { ...recorded, firstTicks: plus(firstTicks, shiftTicks), lastTicks: plus(lastTicks, shiftTicks) };
  }

  /** Coverage of a track as it is drawn; `recorded` has it in times that were recorded. */
  coverage(request: TrackRequest, view: View, recorded: (request: TrackRequest, view: View) => Coverage): Coverage {
    const shiftTicks = this.later(request.track);
    const plain = recorded(request, recordedView(view, shiftTicks));
    return shiftTicks === 0n ? plain : shiftedCoverage(plain, shiftTicks);
  }

  /** The screen, once for each shift of its tracks: their pages are those of another view. */
  screens({ view, tracks, nearby = [] }: Shown): readonly Required<Shown>[] {
    const shiftOf = ({ track }: TrackRequest) => this.later(track);
    return [...new Set([...tracks, ...nearby].map(shiftOf))].map((shiftTicks) => ({
      view: recordedView(view, shiftTicks),
      tracks: tracks.filter((request) => shiftOf(request) === shiftTicks),
      nearby: nearby.filter((request) => shiftOf(request) === shiftTicks),
    }));
  }
}

/** The view in times that were recorded. */
function recordedView(view: View, shiftTicks: bigint): View {
  return { ...view, startTicks: plus(view.startTicks, -shiftTicks) };
}

/** Coverage in times that were recorded, as it is drawn. */
function shiftedCoverage(recorded: Coverage, shiftTicks: bigint): Coverage {
  const later = (time: Ticks) => plus(time, shiftTicks);
  return {
    ...recorded,
    draws: recorded.draws.map(
      (draw): DrawTile => ({
        ...draw,
        tile: shiftedTile(draw.tile, shiftTicks),
        clipStart: later(draw.clipStart),
        clipEnd: later(draw.clipEnd),
      }),
    ),
    missing: recorded.missing.map(({ startTicks, endTicks }) => ({
      startTicks: later(startTicks),
      endTicks: later(endTicks),
    })),
  };
}

function shiftedTile(recorded: TileData, shiftTicks: bigint): TileData {
  const kept = shiftedTiles.get(recorded);
  if (kept?.shiftTicks === shiftTicks) {
    return kept.tile;
  }
  const { slices, samples } = recorded;
  const wideSlices =
    slices.wide === null ? null : { ...slices.wide, start: slices.wide.start.map((time) => ticks(time + shiftTicks)) };
  const wideSamples = samples.wide === null ? null : samples.wide.map((time) => ticks(time + shiftTicks));
  const tile: TileData = {
    ...recorded,
    originTicks: plus(recorded.originTicks, shiftTicks),
    slices: { ...slices, wide: wideSlices },
    samples: { ...samples, wide: wideSamples },
  };
  shiftedTiles.set(recorded, { shiftTicks, tile });
  return tile;
}
