/**
 * The overview of a run: how busy every track is, in some hundred bins. What is drawn of a block until it is built.
 *
 * Its tiles look like others, so that whatever draws tiles draws them; but they are `provisional`: one band for all
 * rows of a track, accurate to a 255th at best.
 */

import type { OverviewGrid } from "../base/schema";
import { type View, visibleRange } from "../base/view";
import { INTS } from "./columns";
import { NO_COUNTER_BINS, NO_SAMPLES, NO_SLICES } from "./compose";
import { Container } from "./container";
import type { Coverage } from "./coverage";
import { FormatError } from "./error";
import { BINS_PER_TILE, binTicks, MAX_LEVEL, tileOrigin } from "./key";
import type { TrackRequest } from "./resolver";
import { NO_NAME, type TileData, tileEnd } from "./tile";

/** Entries of all columns have the same index. */
export interface OverviewPage {
  readonly length: number;
  /** Bin numbers, counted from the start of the run. */
  readonly bin: Uint32Array;
  readonly track: Uint32Array;
  /** 1 to 255: busy from end to end. Counters: the highest value, between the track's lowest and highest. */
  readonly utilisation: Uint8Array;
  /** Id of the dominant name, -1 where it is not known. */
  readonly name: Float64Array;
}

/** Decodes an inflated page of the overview. Throws FormatError. */
export function decodeOverview(
  bytes: Uint8Array,
  page: number,
  { level, bins, binsPerPage }: OverviewGrid,
): OverviewPage {
  const container = new Container(bytes);
  const n = container.tileCount;
  if (container.kind !== "overview" || container.block !== page || container.level !== level || level > MAX_LEVEL) {
    throw new FormatError(`not page ${page} of the overview`);
  }
  const first = page * binsPerPage;
  const last = Math.max(0, Math.min(binsPerPage, bins - first) - 1);
  const bin = container.ints(INTS.overviewBin, n).toUint32("overview bin", last);
  return {
    length: n,
    bin: bin.map((value) => first + value),
    track: container.ints(INTS.overviewTrack, n).toUint32("overview track"),
    utilisation: container.ints(INTS.utilisation, n).toUint8("utilisation"),
    name: container.ints(INTS.overviewName, n).toFloat64(),
  };
}

/** Tiles of all tracks, made of the pages of one overview. */
export class Overview {
  readonly #tiles = new Map<number, TileData[]>();
  readonly #grid: OverviewGrid;

  constructor(grid: OverviewGrid, pages: readonly OverviewPage[]) {
    this.#grid = grid;
    const entries = new Map<number, [bin: number, utilisation: number, name: number][]>();
    for (const { length, bin, track, utilisation, name } of pages) {
      for (let k = 0; k < length; k++) {
        const own = entries.get(track[k]!) ?? [];
        own.push([bin[k]!, utilisation[k]!, name[k]! < 0 ? NO_NAME : name[k]!]);
        entries.set(track[k]!, own);
      }
    }
    for (const [track, own] of entries) {
      const byTile = new Map<number, (typeof own)[number][]>();
      for (const entry of own) {
        const index = Math.floor(entry[0] / BINS_PER_TILE);
        byTile.set(index, [...(byTile.get(index) ?? []), entry]);
      }
      const tiles = [...byTile].map(([index, bins]) => this.#tile(track, index, bins));
      this.#tiles.set(
        track,
        tiles.sort((a, b) => a.index - b.index),
      );
    }
  }

  /** The tiles of a track in time order. */
  tilesOf(track: number): readonly TileData[] {
    return this.#tiles.get(track) ?? [];
  }

  /** Tiles of a track to draw in a view, in the place of those that are not there yet. */
  readonly coverage = ({ track }: Pick<TrackRequest, "track">, view: View): Coverage => {
    const { startTicks, endTicks } = visibleRange(view);
    const draws = this.tilesOf(track)
      .map((tile) => ({ tile, clipStart: tile.originTicks, clipEnd: tileEnd(tile.level, tile.index), sharp: false }))
      .filter(({ clipStart, clipEnd }) => clipEnd > startTicks && clipStart < endTicks);
    return { draws, complete: false, missing: [], provisional: true };
  };

  #tile(track: number, index: number, entries: readonly (readonly [number, number, number])[]): TileData {
    const { level } = this.#grid;
    const length = entries.length;
    const width = binTicks(level);
    const busy = Float64Array.from(entries, ([, utilisation]) => (utilisation / 255) * width);
    return {
      ...{ track, level, index, kind: "provisional", originTicks: tileOrigin(level, index), binTicks: width },
      ...{ slices: NO_SLICES, counterBins: NO_COUNTER_BINS, samples: NO_SAMPLES, carry: Number.NaN },
      bins: {
        ...{ length, row: new Uint32Array(length), count: new Float64Array(length), busy, exact: null },
        bin: Uint8Array.from(entries, ([bin]) => bin % BINS_PER_TILE),
        name: Uint32Array.from(entries, ([, , name]) => name),
        share: new Uint8Array(length),
      },
    };
  }
}
