/** What changes without new tiles: the selected area, outlines of the selected and the hovered event. */

import { type TickRange, type View, xOfTick } from "@tilescope/client";
import type { AreaSelection, Selection } from "../state/selection";
import type { CanvasTheme } from "./canvas-theme";
import { curveOf, type FlowArrow } from "./flow-arrows";
import type { Picture } from "./picture";
import { outlineOf, type Target } from "./pointing";
import type { Surface } from "./surface";

export interface OverlayInput {
  readonly picture: Picture;
  readonly theme: CanvasTheme;
  readonly selection: Selection;
  readonly selectedRange: TickRange | null;
  readonly draft: { readonly area: AreaSelection; readonly isZoom: boolean } | null;
  readonly hovered: Target | null;
  readonly arrows: readonly FlowArrow[];
}

export function paintOverlay(surface: Surface, input: OverlayInput): void {
  const { picture, theme, selection } = input;
  const context = surface.begin(picture.view.widthPx, picture.heightPx, picture.ratio);
  context.scale(picture.ratio, picture.ratio);
  if (input.draft !== null) {
    paintArea(context, picture, input.draft.area, theme, input.draft.isZoom);
  } else if (selection.kind === "area") {
    paintArea(context, picture, selection, theme, false);
  }
  if (input.selectedRange !== null && selection.kind === "event") {
    paintEdges(context, picture, input.selectedRange, theme);
  }
  paintArrows(context, input.arrows, theme);
  if (input.hovered !== null) {
    paintOutline(context, picture, input.hovered, theme.text, 1);
  }
  if (selection.kind === "event") {
    const { track, ordinal } = selection;
    paintOutline(context, picture, { kind: "event", track, ordinal }, theme.text, 2);
  } else if (selection.kind === "bin") {
    paintOutline(context, picture, { kind: "bin", bin: selection.bin }, theme.text, 2);
  }
}

function clippedSpan(view: View, range: TickRange): { readonly fromPx: number; readonly toPx: number } | null {
  const fromPx = Math.max(-4, xOfTick(view, range.startTicks));
  const toPx = Math.min(view.widthPx + 4, xOfTick(view, range.endTicks));
  return toPx < 0 || fromPx > view.widthPx ? null : { fromPx, toPx };
}

/** Faint lines from top to bottom where the selected event begins and ends, to compare with other tracks. */
function paintEdges(context: CanvasRenderingContext2D, picture: Picture, range: TickRange, theme: CanvasTheme): void {
  const span = clippedSpan(picture.view, range);
  if (span === null) {
    return;
  }
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.55;
  for (const x of [span.fromPx, span.toPx]) {
    context.fillRect(Math.round(x), 0, 1, picture.heightPx);
  }
  context.globalAlpha = 1;
}

function paintArea(
  context: CanvasRenderingContext2D,
  picture: Picture,
  area: AreaSelection,
  theme: CanvasTheme,
  isZoom: boolean,
): void {
  const span = clippedSpan(picture.view, area.range);
  if (span === null) {
    return;
  }
  const { fromPx, toPx } = span;
  const widthPx = Math.max(1, toPx - fromPx);
  let topPx = 0;
  let bottomPx = picture.heightPx;
  if (!isZoom) {
    const inside = picture.scene.tracks.filter(
      ({ track, place }) =>
        place !== "sticky" &&
        (track.kind === "rollup" ? track.children : [track.id]).some(
          (id) => id >= area.firstTrack && id <= area.lastTrack,
        ),
    );
    if (inside.length === 0) {
      return;
    }
    topPx = Math.min(...inside.map((entry) => entry.topPx)) - 1;
    bottomPx = Math.max(...inside.map((entry) => entry.topPx + entry.rows * entry.rowPx)) + 1;
  }
  context.fillStyle = theme.accent;
  context.globalAlpha = 0.14;
  context.fillRect(fromPx, topPx, widthPx, bottomPx - topPx);
  context.globalAlpha = 0.9;
  for (const x of [fromPx, toPx - 1]) {
    context.fillRect(Math.round(x), topPx, 1, bottomPx - topPx);
  }
  context.globalAlpha = 1;
}

const HEAD_PX = 7;

/** Curves that leave and arrive level; a light rim keeps them visible on events of any colour. */
function paintArrows(context: CanvasRenderingContext2D, arrows: readonly FlowArrow[], theme: CanvasTheme): void {
  for (const [lineWidth, color] of [
    [4, theme.ground],
    [1.6, theme.text],
  ] as const) {
    context.strokeStyle = color;
    context.fillStyle = color;
    context.lineWidth = lineWidth;
    const rim = (lineWidth - 1.6) / 2;
    for (const arrow of arrows) {
      const { fromXPx, fromYPx, toXPx, toYPx, direction } = arrow;
      const { bendPx } = curveOf(arrow);
      const endPx = toXPx - HEAD_PX + 1;
      context.setLineDash(direction === "in" ? [5, 3] : []);
      context.beginPath();
      context.moveTo(fromXPx, fromYPx);
      context.bezierCurveTo(fromXPx + bendPx, fromYPx, endPx - bendPx, toYPx, endPx, toYPx);
      context.stroke();
      context.setLineDash([]);
      context.beginPath();
      context.moveTo(toXPx + rim, toYPx);
      context.lineTo(toXPx - HEAD_PX - rim, toYPx - HEAD_PX / 2 - rim);
      context.lineTo(toXPx - HEAD_PX - rim, toYPx + HEAD_PX / 2 + rim);
      context.fill();
      context.beginPath();
      context.arc(fromXPx, fromYPx, 2.5 + rim, 0, 2 * Math.PI);
      context.fill();
    }
  }
}

function paintOutline(
  context: CanvasRenderingContext2D,
  picture: Picture,
  target: Target,
  color: string,
  lineWidth: number,
): void {
  const outline = outlineOf(picture, target);
  if (outline === null) {
    return;
  }
  const { fromPx, toPx, topPx, heightPx } = outline;
  const left = Math.max(-6, fromPx);
  const right = Math.min(picture.view.widthPx + 6, Math.max(toPx, fromPx + 2));
  context.strokeStyle = color;
  context.lineWidth = lineWidth;
  const inset = lineWidth / 2;
  context.strokeRect(left - inset, topPx - inset, right - left + lineWidth, heightPx + lineWidth);
}
