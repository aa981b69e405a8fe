/** Outline around a gap on its track: dashed, as there is nothing in it. */

import { type TickRange, xOfTick } from "@tilescope/client";
import { nextVersion } from "./query-hits";
import type { OverTracks } from "./tracks-input";

/** Dashes and the spaces between them, in CSS pixels. */
const DASHES_PX = [5, 3];

export function gapOutline(track: number, { startTicks, endTicks }: TickRange): OverTracks {
  return {
    version: nextVersion(),
    paintTrack: (context, entry, { picture, theme }) => {
      if (entry.track.id !== track) {
        return;
      }
      const { ratio, deviceView } = picture;
      // An edge out of view is not drawn at the edge of the screen.
      const outside = 4 * ratio;
      const fromPx = Math.max(-outside, xOfTick(deviceView, startTicks));
      const toPx = Math.min(deviceView.widthPx + outside, xOfTick(deviceView, endTicks));
      const top = Math.round(entry.topPx * ratio);
      const bottom = Math.round((entry.topPx + entry.rows * entry.rowPx) * ratio);
      if (toPx < 0 || fromPx > deviceView.widthPx) {
        return;
      }
      context.strokeStyle = theme.accent;
      context.lineWidth = 2 * ratio;
      context.setLineDash(DASHES_PX.map((length) => length * ratio));
      context.strokeRect(fromPx, top + ratio, Math.max(toPx - fromPx, 2 * ratio), bottom - top - 2 * ratio);
      context.setLineDash([]);
    },
    paintLane: () => undefined,
  };
}
