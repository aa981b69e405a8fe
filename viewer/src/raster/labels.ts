/** Names to write on the slices of a track, and their positions. */

import { type DrawTile, placeSlices, type TileData, type View, xOfTick } from "@tilescope/client";
import type { ShortForm } from "./short-name";
import { elideName, type GlyphWidths, textWidthPx } from "./text";

export interface Label {
  /** The left end of the text. */
  readonly xPx: number;
  readonly row: number;
  readonly text: string;
  readonly nameId: number;
  readonly ordinal: number;
  /** Duration of the slice. */
  readonly ticks: number;
}

export interface LabelOptions {
  /** Slices that are narrower carry no label. */
  readonly minPx: number;
  /** Free space at both ends. */
  readonly paddingPx: number;
}

export const LABEL_DEFAULTS: LabelOptions = { minPx: 20, paddingPx: 3 };

/**
 * Labels of all wide slices, each slice once though it may be in several tiles. A label stays in the visible part of its
 * slice, centred where it fits. `nameOf` gives undefined for names that have not arrived, `formOf` for those without a short form yet.
 */
export function labels(
  draws: readonly DrawTile[],
  view: View,
  glyphs: GlyphWidths,
  nameOf: (nameId: number) => string | undefined,
  formOf: (nameId: number) => ShortForm | undefined,
  options: LabelOptions = LABEL_DEFAULTS,
): Label[] {
  const out: Label[] = [];
  const seen = new Set<number>();
  for (const draw of draws) {
    labelTile(draw, view, options, seen, (tile, k, fromPx, toPx, ticks) => {
      const text = nameOf(tile.slices.name[k]!);
      const roomPx = toPx - fromPx - 2 * options.paddingPx;
      const shown = text === undefined ? "" : elideName(text, formOf(tile.slices.name[k]!), roomPx, glyphs);
      if (shown !== "") {
        const freePx = Math.max(0, roomPx - textWidthPx(shown, glyphs));
        out.push({
          xPx: fromPx + options.paddingPx + freePx / 2,
          row: tile.slices.row[k]!,
          text: shown,
          nameId: tile.slices.name[k]!,
          ordinal: tile.slices.ordinal[k]!,
          ticks,
        });
      }
    });
  }
  return out;
}

type Visit = (tile: TileData, k: number, fromPx: number, toPx: number, ticks: number) => void;

function labelTile(draw: DrawTile, view: View, options: LabelOptions, seen: Set<number>, visit: Visit): void {
  const { tile } = draw;
  const { length, ordinal } = tile.slices;
  const { start, end, shift } = placeSlices(tile, view.startTicks);
  const minTicks = options.minPx * view.ticksPerPx;
  const clipFrom = xOfTick(view, draw.clipStart);
  const clipTo = xOfTick(view, draw.clipEnd);
  for (let k = 0; k < length; k++) {
    if (end[k]! - start[k]! < minTicks) {
      continue;
    }
    const x0 = (start[k]! + shift - view.startFraction) / view.ticksPerPx;
    const x1 = (end[k]! + shift - view.startFraction) / view.ticksPerPx;
    const fromPx = Math.max(0, x0);
    const toPx = Math.min(view.widthPx, x1);
    if (toPx - fromPx >= options.minPx && x1 > clipFrom && x0 < clipTo && !seen.has(ordinal[k]!)) {
      seen.add(ordinal[k]!);
      visit(tile, k, fromPx, toPx, end[k]! - start[k]!);
    }
  }
}
