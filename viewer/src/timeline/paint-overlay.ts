/** Overlay that changes without new tiles: the selected area, outlines of the selected and the hovered event. */

import { formatDuration, minus, type TickRange, ticks, type View, xOfTick } from "@tilescope/client";
import { PINNED_EDGE_PX } from "../state/layout";
import type { AreaSelection, EventSelection, Selection } from "../state/selection";
import type { CanvasTheme } from "./canvas-theme";
import { type EdgeHint, HINT_PX, hintPlace } from "./edge-hints";
import type { TimelineExtension } from "./extension";
import { curveOf, type FlowArrow } from "./flow-arrows";
import { outlineOf, type Target } from "./outline";
import type { Picture } from "./picture";
import type { Scene } from "./scene";
import type { Surface } from "./surface";

export interface OverlayInput {
  readonly picture: Picture;
  readonly theme: CanvasTheme;
  readonly selection: Selection;
  readonly selectedRange: TickRange | null;
  /** The row of the selected event, where it is known. */
  readonly selectedRow: number | null;
  readonly draft: { readonly area: AreaSelection; readonly isZoom: boolean } | null;
  /** Tracks of the draft, or of the selected area. */
  readonly areaTracks: ReadonlySet<number>;
  readonly tickPs: number;
  readonly hovered: Target | null;
  /** True if keys lead: then one has to find at a glance where they have led to. */
  readonly isWalked: boolean;
  readonly arrows: readonly FlowArrow[];
  readonly hints: readonly EdgeHint[];
  readonly hoveredHint: EdgeHint | null;
  readonly extension: TimelineExtension | null;
}

export function paintOverlay(surface: Surface, input: OverlayInput): void {
  const { picture, theme, selection } = input;
  if (input.extension?.isBlank !== false && isEmpty(input)) {
    surface.blank(picture.view.widthPx, picture.heightPx, picture.ratio);
    return;
  }
  const context = surface.begin(picture.view.widthPx, picture.heightPx, picture.ratio);
  context.scale(picture.ratio, picture.ratio);
  input.extension?.paintOver(context, picture, theme);
  if (input.draft !== null) {
    paintArea(context, input, input.draft.area, input.draft.isZoom);
  } else if (selection.kind === "area") {
    paintArea(context, input, selection, false);
  }
  if (input.selectedRange !== null && (selection.kind === "event" || selection.kind === "several")) {
    paintEdges(context, picture, input.selectedRange, theme);
  }
  paintHints(context, input);
  paintArrows(context, input.arrows, theme);
  if (input.hovered !== null) {
    paintOutline(context, picture, input.hovered, theme.text, 1);
  }
  if (selection.kind === "event") {
    const target = selectedTarget(selection, input);
    if (input.isWalked) {
      paintOutline(context, picture, target, theme.ground, 6);
      paintOutline(context, picture, target, theme.accent, 5);
    }
    paintOutline(context, picture, target, theme.text, 2);
  } else if (selection.kind === "several") {
    for (const event of selection.events) {
      paintOutline(context, picture, { kind: "event", ...event }, theme.text, 2);
    }
  } else if (selection.kind === "bin") {
    paintOutline(context, picture, { kind: "bin", bin: selection.bin }, theme.text, 2);
  }
}

/** The selected event as it is drawn, or its place in the bin that stands for it. */
function selectedTarget(
  { track, ordinal }: EventSelection,
  { picture, selectedRange, selectedRow }: OverlayInput,
): Target {
  const target: Target = { kind: "event", track, ordinal };
  if (selectedRange === null || selectedRow === null || outlineOf(picture, target) !== null) {
    return target;
  }
  const { startTicks, endTicks } = selectedRange;
  return { kind: "bin", bin: { track, row: selectedRow, startTicks, widthTicks: ticks(endTicks - startTicks) } };
}

function isEmpty({ draft, selection, hints, arrows, hovered }: OverlayInput): boolean {
  const isMarked = draft !== null || selection.kind !== "none" || hovered !== null;
  return !isMarked && hints.length === 0 && arrows.length === 0;
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

/** Each track of an area is shaded by itself: what lies between them and is not shaded is not in it. */
function paintArea(context: CanvasRenderingContext2D, input: OverlayInput, area: AreaSelection, isZoom: boolean): void {
  const { picture, theme } = input;
  const span = clippedSpan(picture.view, area.range);
  if (span === null) {
    return;
  }
  const { fromPx, toPx } = span;
  const widthPx = Math.max(1, toPx - fromPx);
  const bands = isZoom ? [{ topPx: 0, bottomPx: picture.heightPx }] : bandsOf(picture.scene, input.areaTracks);
  context.fillStyle = theme.accent;
  for (const { topPx, bottomPx } of bands) {
    context.globalAlpha = 0.16;
    context.fillRect(fromPx, topPx, widthPx, bottomPx - topPx);
    context.globalAlpha = 1;
    for (const x of [fromPx, toPx - 2]) {
      context.fillRect(Math.round(x), topPx, 2, bottomPx - topPx);
    }
  }
  const first = bands[0];
  const last = bands[bands.length - 1];
  if (first !== undefined && last !== undefined) {
    context.globalAlpha = 0.4;
    for (const x of [fromPx, toPx - 1]) {
      context.fillRect(Math.round(x), first.topPx, 1, last.bottomPx - first.topPx);
    }
    context.globalAlpha = 1;
    const middlePx = tagMiddle(picture.view.widthPx, fromPx, toPx);
    if (middlePx !== null) {
      const text = formatDuration(minus(area.range.endTicks, area.range.startTicks), input.tickPs);
      paintTag(context, picture, text, middlePx, tagTop(picture.scene, first.topPx), theme);
    }
  }
}

/** Middle of the part of an area that is seen, where its length is written. Null: it fills the view, and its length would cover a name. */
export function tagMiddle(viewPx: number, fromPx: number, toPx: number): number | null {
  return fromPx <= 0 && toPx >= viewPx ? null : (Math.max(0, fromPx) + Math.min(viewPx, toPx)) / 2;
}

/** Upper edge of its length: on the header of the group, which has no names, if the first track of the area is the first of its group. */
export function tagTop({ headers }: Pick<Scene, "headers">, topPx: number): number {
  const isFirst = headers.some((header) => Math.abs(header.topPx + header.heightPx - topPx) <= 2);
  return isFirst ? topPx - TAG_PX - 5 : topPx;
}

/** Paints the hints of lanes that are empty in view. */
function paintHints(context: CanvasRenderingContext2D, { picture, hints, hoveredHint, theme }: OverlayInput): void {
  const { view, heightPx, scene } = picture;
  context.font = `${HINT_PX}px ${theme.font}`;
  context.textBaseline = "middle";
  for (const isPinned of [false, true]) {
    const those = hints.filter(({ track }) => track.isPinned === isPinned);
    if (those.length === 0) {
      continue;
    }
    context.save();
    context.beginPath();
    context.rect(0, isPinned ? 0 : scene.pinnedPx, view.widthPx, isPinned ? scene.pinnedPx : heightPx - scene.pinnedPx);
    context.clip();
    for (const hint of those) {
      const { xPx, yPx, align } = hintPlace(hint, view.widthPx);
      context.textAlign = align;
      context.fillStyle = hint === hoveredHint ? theme.accent : theme.textDim;
      context.fillText(hint.text, xPx, yPx);
    }
    context.restore();
  }
}

interface Band {
  readonly topPx: number;
  readonly bottomPx: number;
}

/** The heights of the tracks of an area that are on the screen; a closed group stands for its tracks. */
function bandsOf({ tracks, headers, pinnedPx }: Scene, inside: ReadonlySet<number>): readonly Band[] {
  const sticky = headers.filter((header) => header.isSticky).map((header) => header.topPx + header.heightPx);
  const stickyPx = Math.max(pinnedPx, ...sticky);
  const pinnedEndPx = pinnedPx - PINNED_EDGE_PX;
  return tracks
    .filter(({ track, place, isCounted }) => {
      const ids = track.kind === "rollup" ? track.children : [track.id];
      return place !== "sticky" && isCounted && ids.some((id) => inside.has(id));
    })
    .map(({ topPx, rows, rowPx, isPinned }) => {
      const bottomPx = topPx + rows * rowPx + 1;
      return isPinned
        ? { topPx: Math.max(0, topPx - 1), bottomPx: Math.min(pinnedEndPx, bottomPx) }
        : { topPx: Math.max(stickyPx, topPx - 1), bottomPx };
    })
    .filter(({ topPx, bottomPx }) => bottomPx > topPx);
}

const TAG_PX = 18;

/** A short text on the accent's colour, within the view. */
export function paintTag(
  context: CanvasRenderingContext2D,
  { view, heightPx }: Picture,
  text: string,
  middlePx: number,
  topPx: number,
  theme: CanvasTheme,
): void {
  context.font = `600 11px ${theme.font}`;
  context.textBaseline = "middle";
  const widthPx = context.measureText(text).width + 14;
  const leftPx = Math.min(view.widthPx - widthPx - 2, Math.max(2, middlePx - widthPx / 2));
  const tagPx = Math.min(heightPx - TAG_PX - 2, topPx + 3);
  context.fillStyle = theme.accent;
  context.beginPath();
  context.roundRect(leftPx, tagPx, widthPx, TAG_PX, 4);
  context.fill();
  context.fillStyle = theme.ground;
  context.fillText(text, leftPx + 7, tagPx + TAG_PX / 2 + 0.5);
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
  context.save();
  // Not over what lies over it.
  context.beginPath();
  context.rect(0, outline.fromYPx, picture.view.widthPx, outline.toYPx - outline.fromYPx);
  context.clip();
  context.strokeRect(left - inset, topPx - inset, right - left + lineWidth, heightPx + lineWidth);
  context.restore();
}
