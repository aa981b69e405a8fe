/**
 * Has some events stand out, while all others are veiled: those that a search finds are painted as its hits are, and all of
 * some tracks by a veil over the others. Loaded with who first asks for it.
 */

import { effect, untracked } from "@preact/signals";
import { searchKey } from "../state/search";
import { gapOutline } from "./gap-outline";
import { nextVersion, QueryHits } from "./query-hits";
import type { SceneTrack } from "./scene";
import type { Stage } from "./stage";
import type { OverTracks, TracksInput } from "./tracks-input";

/** Opacity of the veil over what does not stand out: as over what is no hit. */
const VEIL = 0.74;

const connected = new WeakSet<Stage>();

/** Keeps what stands out on the screen, for as long as the page is open. */
export function connectEmphasis(stage: Stage): void {
  if (connected.has(stage)) {
    return;
  }
  connected.add(stage);
  const hits = new QueryHits(stage, "highlight");
  effect(() => {
    const shown = stage.pane.highlight.value;
    const run = stage.pane.runView.value;
    untracked(() => {
      if (shown?.kind !== "query" || run.kind !== "open") {
        hits.clear();
      }
      if (shown === null || run.kind !== "open") {
        stage.emphasize(null);
      } else if (shown.kind === "query") {
        hits.follow(run.trace, searchKey(run.trace, shown.query), shown.query);
        stage.emphasize(hits.painter);
      } else if (shown.kind === "gap") {
        stage.emphasize(gapOutline(shown.track, shown.range));
      } else {
        stage.emphasize(veilBeside(shown.tracks));
      }
    });
  });
}

/** A veil over all tracks but these. */
function veilBeside(tracks: ReadonlySet<number>): OverTracks {
  return {
    version: nextVersion(),
    paintTrack: (context, entry, input) => {
      const { track } = entry;
      if (!tracks.has(track.id) && !track.children.some((id) => tracks.has(id))) {
        paintVeil(context, entry, input);
      }
    },
    paintLane: () => undefined,
  };
}

function paintVeil(context: CanvasRenderingContext2D, entry: SceneTrack, { picture, theme }: TracksInput): void {
  const { ratio, deviceView } = picture;
  const y0 = Math.round(entry.topPx * ratio);
  const y1 = Math.round((entry.topPx + entry.rows * entry.rowPx) * ratio);
  context.fillStyle = entry.place === "track" ? theme.ground : theme.panel;
  context.globalAlpha = VEIL;
  context.fillRect(0, y0, deviceView.widthPx, y1 - y0);
  context.globalAlpha = 1;
}
