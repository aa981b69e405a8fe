/**
 * Has some events stand out, while all others are dimmed: by their names in the colours of the raster, by their tracks, and hits
 * inside of aggregates by strips at the lower edge of their rows. Loaded with who first asks for it.
 */

import { effect } from "@preact/signals";
import { visibleRange } from "@tilescope/client";
import { DimmedColors } from "../raster/dimmed";
import type { ColorTable } from "../raster/palette";
import { type Highlight, highlight } from "../state/highlight";
import { HitBinsLoader, hitBins, laneKey, NO_HITS } from "../state/hit-bins";
import { rangesText } from "../state/ranges-text";
import { namesVersion, session } from "../state/session";
import { view } from "../state/view";
import type { CanvasTheme } from "./canvas-theme";
import { hitStrips } from "./hit-strips";
import type { SceneTrack } from "./scene";
import type { Stage } from "./stage";
import type { Emphasis, TracksInput } from "./tracks-input";

/** How much of what is dimmed is still to be seen. */
const LEFT_OF_IT = 0.24;

/** Of the strips that mark hits, at the lower edge of a row. */
const STRIP_PX = 2;

const connected = new WeakSet<Stage>();

/** Keeps what stands out on the screen, for as long as the page is open. */
export function connectEmphasis(stage: Stage): void {
  if (connected.has(stage)) {
    return;
  }
  connected.add(stage);
  effect(() => {
    const shown = highlight.value;
    void hitBins.value;
    void namesVersion.value;
    stage.emphasize(shown === null ? null : emphasisOf(shown));
  });
  effect(() => {
    const current = session.value;
    if (current === null) {
      highlight.value = null;
      return;
    }
    const { api } = current.trace;
    const loader = new HitBinsLoader((question, signal) => api.ask("hit_bins", question, signal));
    const stop = effect(() => {
      const query = highlight.value?.query ?? null;
      const now = view.value;
      const tracks = query === null ? "" : tracksOnScreen(stage);
      if (query === null || tracks === "") {
        loader.close();
        hitBins.value = NO_HITS;
      } else {
        loader.follow(query, visibleRange(now), tracks, now.widthPx);
      }
    });
    return () => {
      stop();
      loader.close();
    };
  });
}

/** As a question names them. */
function tracksOnScreen(stage: Stage): string {
  const shown = stage.picture?.scene.tracks ?? [];
  const ids = shown.flatMap(({ track }) => (track.kind === "counter" ? [] : [track.id]));
  return rangesText([...new Set(ids)]);
}

function emphasisOf(shown: Highlight): Emphasis {
  const { keeps, tracks, query } = shown;
  // Made once, not in each frame: what stands out is told anew when names arrive.
  let dimmed: { readonly of: ColorTable; readonly colors: ColorTable } | null = null;
  return {
    colors: (colors, current, theme) => {
      if (keeps === null) {
        return colors;
      }
      if (dimmed?.of !== colors) {
        const isKept = (id: number) => keeps(id, current.name(id));
        dimmed = { of: colors, colors: new DimmedColors(colors, isKept, groundOf(theme), LEFT_OF_IT, theme.textDim) };
      }
      return dimmed.colors;
    },
    paint: (context, entry, input) => {
      const { track } = entry;
      const stands =
        tracks === null
          ? keeps === null || track.kind !== "counter"
          : tracks.has(track.id) || track.children.some((id) => tracks.has(id));
      if (!stands) {
        paintVeil(context, entry, input);
      }
      if (query !== null) {
        paintStrips(context, entry, input);
      }
    },
  };
}

function paintVeil(context: CanvasRenderingContext2D, entry: SceneTrack, { picture, theme }: TracksInput): void {
  const { ratio, deviceView } = picture;
  const y0 = Math.round(entry.topPx * ratio);
  const y1 = Math.round((entry.topPx + entry.rows * entry.rowPx) * ratio);
  context.fillStyle = entry.place === "track" ? theme.ground : theme.panel;
  context.globalAlpha = 1 - LEFT_OF_IT;
  context.fillRect(0, y0, deviceView.widthPx, y1 - y0);
  context.globalAlpha = 1;
}

function paintStrips(context: CanvasRenderingContext2D, entry: SceneTrack, { picture, theme }: TracksInput): void {
  const { ratio, deviceView } = picture;
  const highPx = Math.round(STRIP_PX * ratio);
  context.fillStyle = theme.text;
  for (let row = 0; row < entry.rows; row++) {
    const y1 = Math.round((entry.topPx + (row + 1) * entry.rowPx) * ratio);
    for (const { fromPx, toPx } of hitStrips(
      hitBins.peek(),
      laneKey(entry.track.id, entry.firstRow + row),
      deviceView,
    )) {
      context.fillRect(fromPx, y1 - highPx, toPx - fromPx, highPx);
    }
  }
}

const grounds = new Map<string, number>();

/** The ground as a packed colour, `0x00bbggrr`. */
function groundOf({ ground }: CanvasTheme): number {
  const known = grounds.get(ground);
  if (known !== undefined) {
    return known;
  }
  const pen = document.createElement("canvas").getContext("2d")!;
  pen.fillStyle = ground;
  pen.fillRect(0, 0, 1, 1);
  const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
  const packed = red! | (green! << 8) | (blue! << 16);
  grounds.set(ground, packed);
  return packed;
}
