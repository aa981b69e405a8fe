/**
 * The picture of hits that is laid over the tracks: what is no hit is veiled, hits of some width keep their colours, and of all others
 * bars in the colour of hits say how busy each pixel is with them. A pixel with but one hit has a bar. Pure.
 */

import { placeSlices, type View, xOfTick } from "@tilescope/client";
import type { HitGrid, HitLane } from "./hit-grid";
import type { RasterTrack } from "./raster";

export const HIT_ROWS = 8;

/** From this width on a slice shows its own colour; narrower ones are bars. */
const OWN_PX = 6;

/** The lowest bar, in rows, and the lowest one with nothing beside it: one is looking for these. */
const LEAST_ROWS = 2;
const LONELY_ROWS = 4;

/** Sums of parts are a little less than they should be. */
const FULL = 0.995;

export interface HitTrack extends RasterTrack {
  readonly id: number;
  /** Packed colour of what veils its lanes. */
  readonly veil: number;
  /** Its hits as they are drawn. Null: all of it is veiled, as nothing is known of its hits yet. */
  readonly grid: HitGrid | null;
}

/** A hit that keeps its colour, on a lane, in pixels of the image. */
export interface HitSpan {
  readonly lane: number;
  readonly fromPx: number;
  readonly toPx: number;
}

export interface HitImage {
  readonly widthPx: number;
  readonly lanes: number;
  /** Packed RGBA, `HIT_ROWS` rows to a lane. */
  readonly pixels: Uint32Array<ArrayBuffer>;
  readonly spans: readonly HitSpan[];
}

export class HitRaster {
  #pixels = new Uint32Array(0);
  #parts = new Float32Array(0);
  #seen = new Uint8Array(0);

  /** Valid until the next call. */
  draw(tracks: readonly HitTrack[], view: View, lanes: number, mark: number): HitImage {
    const widthPx = Math.max(1, Math.round(view.widthPx));
    const size = widthPx * lanes * HIT_ROWS;
    if (this.#pixels.length !== size) {
      this.#pixels = new Uint32Array(size);
    }
    if (this.#parts.length !== widthPx) {
      this.#parts = new Float32Array(widthPx);
      this.#seen = new Uint8Array(widthPx);
    }
    const pixels = this.#pixels;
    const spans: HitSpan[] = [];
    for (const track of tracks) {
      const lanePx = widthPx * HIT_ROWS;
      pixels.fill(track.veil, track.firstLane * lanePx, (track.firstLane + track.rows) * lanePx);
      const { grid } = track;
      if (grid === null) {
        continue;
      }
      for (let row = 0; row < track.rows; row++) {
        const hits = grid.lane(track.id, track.firstRow + row);
        if (hits !== null) {
          this.#addBars(hits, grid, view, track);
          this.#drawBars(track.firstLane + row, widthPx, track.kind === "instant", mark);
        }
      }
      addSpans(track, grid, view, widthPx, spans);
    }
    for (const { lane, fromPx, toPx } of spans) {
      for (let row = 0; row < HIT_ROWS; row++) {
        const line = (lane * HIT_ROWS + row) * widthPx;
        pixels.fill(0, line + Math.round(fromPx), line + Math.max(Math.round(toPx), Math.round(fromPx) + 1));
      }
    }
    return { widthPx, lanes, pixels, spans };
  }

  /** Sums up how busy each pixel of a lane is with hits, and which pixels have some. */
  #addBars({ bin, count, part }: HitLane, grid: HitGrid, view: View, { lanes }: RasterTrack): void {
    const [parts, seen] = [this.#parts, this.#seen];
    const widthPx = parts.length;
    parts.fill(0);
    seen.fill(0);
    const originPx = xOfTick(view, grid.originTicks);
    const binPx = grid.binTicks / view.ticksPerPx;
    for (let k = 0; k < bin.length; k++) {
      const x0 = originPx + bin[k]! * binPx;
      const x1 = x0 + binPx;
      if (x1 <= 0 || x0 >= widthPx || (count[k] === 0 && part[k] === 0)) {
        continue;
      }
      const first = Math.max(0, Math.floor(x0));
      const last = Math.min(widthPx - 1, Math.ceil(x1) - 1);
      for (let x = first; x <= last; x++) {
        const covered = Math.min(x1, x + 1) - Math.max(x0, x);
        parts[x]! += (covered * part[k]!) / lanes;
        seen[x]! |= covered >= 0.5 ? 1 : 0;
      }
      // However the bin lies on the pixels, one of them has it.
      seen[Math.max(0, Math.min(widthPx - 1, Math.floor((x0 + x1) / 2)))] = 1;
    }
  }

  #drawBars(lane: number, widthPx: number, isInstant: boolean, mark: number): void {
    const [parts, seen, pixels] = [this.#parts, this.#seen, this.#pixels];
    for (let x = 0; x < widthPx; x++) {
      const isSeen = seen[x] === 1;
      if (!isSeen && parts[x] === 0) {
        continue;
      }
      const isLonely = seen[x - 1] !== 1 && seen[x + 1] !== 1;
      const least = isSeen ? (isLonely ? LONELY_ROWS : LEAST_ROWS) : 0;
      const isFull = parts[x]! >= FULL || (isInstant && isSeen);
      const rows = isFull ? HIT_ROWS : Math.max(least, Math.min(HIT_ROWS - 1, Math.round(parts[x]! * HIT_ROWS)));
      for (let row = HIT_ROWS - rows; row < HIT_ROWS; row++) {
        pixels[(lane * HIT_ROWS + row) * widthPx + x] = mark;
      }
    }
  }
}

/** The hits of a track that are wide enough to keep their colours. */
function addSpans(track: HitTrack, grid: HitGrid, view: View, widthPx: number, spans: HitSpan[]): void {
  for (const { tile, clipStart, clipEnd } of track.draws) {
    const { length, row } = tile.slices;
    const { start, end, shift } = placeSlices(tile, view.startTicks);
    const inGrid = placeSlices(tile, grid.originTicks);
    const from = Math.max(0, xOfTick(view, clipStart));
    const to = Math.min(widthPx, xOfTick(view, clipEnd));
    for (let k = 0; k < length; k++) {
      const onTrack = row[k]! - track.firstRow;
      const x0 = (start[k]! + shift - view.startFraction) / view.ticksPerPx;
      const x1 = (end[k]! + shift - view.startFraction) / view.ticksPerPx;
      if (onTrack < 0 || onTrack >= track.rows || x1 - x0 < OWN_PX || x1 <= from || x0 >= to) {
        continue;
      }
      const lane = grid.lane(track.id, row[k]!);
      if (lane !== null && grid.isHit(lane, inGrid.start[k]! + inGrid.shift, inGrid.end[k]! + inGrid.shift) === true) {
        spans.push({ lane: track.firstLane + onTrack, fromPx: Math.max(from, x0), toPx: Math.min(to, x1) });
      }
    }
  }
}
