/**
 * Exact sums of the bins that one points at or selects. What is drawn of bins is rounded; the rest of a page is fetched when
 * the pointer rests on one of its tiles, and at once for what is selected. Pages know their sums from then on.
 */

import { effect, signal } from "@preact/signals";
import type { TileData, TileName } from "@tilescope/client";
import { exactSumsAt } from "../raster/hit";
import { failureOf } from "./failure";
import { retries } from "./link";
import type { Pane } from "./pane";
import { perPane } from "./per-pane";
import type { BinFacts, Selection } from "./selection";
import type { Session } from "./session";

/** Long enough that a pointer on its way to somewhere else fetches nothing, too short to be waited for. */
const DWELL_MS = 80;

/** Tiles whose exact sums could not be had when they were last asked for, and whether they are refused for good. */
const failedTiles = perPane(() => signal<ReadonlyMap<string, boolean>>(new Map()));

/** `all`: it is another run. Else what is refused for good stays so. */
export function forgetFailures(pane: Pane, all: boolean): void {
  failedTiles(pane).value = new Map(all ? [] : [...failedTiles(pane).peek()].filter(([, isFinal]) => isFinal));
}

/** True if the exact sums of a bin could not be fetched. */
export function isUnknown(pane: Pane, bin: BinFacts): boolean {
  return bin.exact === null && failedTiles(pane).value.has(nameOf(bin));
}

export class ExactLoader {
  readonly #pane: Pane;
  readonly #load: (tile: TileName) => Promise<TileData>;
  /** The bin that was pointed at last and whose sums are not known. */
  #pointed: BinFacts | null = null;
  #dwell: ReturnType<typeof setTimeout> | null = null;

  /** `load` gives a tile with exact bins, or rejects. */
  constructor(pane: Pane, load: (tile: TileName) => Promise<TileData>) {
    this.#pane = pane;
    this.#load = load;
  }

  /** Follows the pointer. After a failure that may pass the next bin tries again. */
  point(bin: BinFacts | null): void {
    const before = this.#pointed;
    this.#pointed = bin === null || bin.exact !== null ? null : bin;
    if (before !== null && this.#pointed !== null && nameOf(before) === nameOf(this.#pointed)) {
      if (this.#dwell !== null || isSameBin(before, this.#pointed)) {
        return;
      }
    }
    if (this.#dwell !== null) {
      clearTimeout(this.#dwell);
    }
    this.#dwell = null;
    if (this.#pointed === null || isRefused(this.#pane, this.#pointed)) {
      return;
    }
    this.#dwell = setTimeout(() => {
      this.#dwell = null;
      if (this.#pointed !== null) {
        void this.load(this.#pointed);
      }
    }, DWELL_MS);
  }

  /** Follows the selection: a bin is told its sums as soon as they are there. `isAgain`: nobody has selected it anew. */
  select(chosen: Selection, isAgain = false): void {
    if (chosen.kind === "bin" && chosen.bin.exact === null && !(isAgain && isRefused(this.#pane, chosen.bin))) {
      void this.load(chosen.bin);
    }
  }

  /** Never rejects: what cannot be had is among the failed tiles. */
  async load(bin: BinFacts): Promise<void> {
    let tile: TileData;
    try {
      tile = await this.#load(bin);
      failedTiles(this.#pane).value = others(this.#pane, bin);
    } catch (error) {
      failedTiles(this.#pane).value = new Map([...others(this.#pane, bin), [nameOf(bin), failureOf(error).isFinal]]);
      return;
    }
    const chosen = this.#pane.selection.peek();
    if (chosen.kind !== "bin" || chosen.bin.exact !== null) {
      return;
    }
    if (nameOf(chosen.bin) === nameOf(bin)) {
      const exact = exactSumsAt(tile, chosen.bin.row, chosen.bin.place);
      if (exact !== null) {
        this.#pane.selection.value = { kind: "bin", bin: { ...chosen.bin, exact } };
      }
    } else if (isUnknown(this.#pane, chosen.bin) && !isRefused(this.#pane, chosen.bin)) {
      // The server answers again.
      void this.load(chosen.bin);
    }
  }
}

/** Keeps what is shown of bins exact, for as long as the page is open. */
export function connectExact(pane: Pane): void {
  let before: Session | null = null;
  let selected: Selection | null = null;
  effect(() => {
    const current = pane.session.value;
    void retries.value; // what could not be had of a server that was away is asked for again
    forgetFailures(pane, current !== before);
    before = current;
    if (current === null) {
      return;
    }
    const loader = new ExactLoader(pane, (tile) => current.client.exact(tile));
    const stop = [
      effect(() => {
        const pointed = pane.hover.value?.pointed;
        loader.point(pointed?.kind === "bin" ? pointed.bin : null);
      }),
      effect(() => {
        const isAgain = pane.selection.value === selected;
        selected = pane.selection.value;
        loader.select(selected, isAgain);
      }),
    ];
    return () => {
      for (const end of stop) {
        end();
      }
      loader.point(null);
    };
  });
}

function isRefused(pane: Pane, tile: TileName): boolean {
  return failedTiles(pane).peek().get(nameOf(tile)) === true;
}

/** The failures of all tiles but one. */
function others(pane: Pane, tile: TileName): ReadonlyMap<string, boolean> {
  const now = failedTiles(pane).peek();
  return now.has(nameOf(tile)) ? new Map([...now].filter(([name]) => name !== nameOf(tile))) : now;
}

function nameOf({ track, level, index }: TileName): string {
  return `${track}/${level}/${index}`;
}

function isSameBin(a: BinFacts, b: BinFacts): boolean {
  return nameOf(a) === nameOf(b) && a.row === b.row && a.place === b.place;
}
