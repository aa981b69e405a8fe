/** Names on the wide slices of a derived lane with several rows, as those of tracks have them. Pure. */

import { type View, xOfTick } from "@tilescope/client";
import { LABEL_DEFAULTS } from "../raster/labels";
import { ShortNames } from "../raster/reading";
import { elideName, type GlyphWidths, textWidthPx } from "../raster/text";
import type { SliceLane } from "./lane-bins";

export interface LaneLabel {
  /** The left end of the text. */
  readonly xPx: number;
  readonly row: number;
  readonly name: number;
  readonly text: string;
}

/** Kept, as labels are made for each frame. */
const shortNames = new WeakMap<readonly string[], ShortNames>();

function shortNamesOf(names: readonly string[]): ShortNames {
  let forms = shortNames.get(names);
  if (forms === undefined) {
    forms = new ShortNames();
    forms.add(names);
    shortNames.set(names, forms);
  }
  return forms;
}

/** Each stays in the visible part of its slice, centred where the whole name fits. */
export function laneLabels(bins: SliceLane, seen: View, glyphs: GlyphWidths): readonly LaneLabel[] {
  const { minPx, paddingPx } = LABEL_DEFAULTS;
  const forms = shortNamesOf(bins.names);
  return bins.pieces.slice(0, bins.slices).flatMap(({ startTicks, endTicks, row, name }) => {
    const fromPx = Math.max(0, xOfTick(seen, startTicks));
    const roomPx = Math.min(seen.widthPx, xOfTick(seen, endTicks)) - fromPx - 2 * paddingPx;
    const whole = bins.names[name]!;
    const text = roomPx + 2 * paddingPx < minPx ? "" : elideName(whole, forms.form(whole), roomPx, glyphs);
    const freePx = Math.max(0, roomPx - textWidthPx(text, glyphs));
    return text === "" ? [] : [{ xPx: fromPx + paddingPx + freePx / 2, row, name, text }];
  });
}
