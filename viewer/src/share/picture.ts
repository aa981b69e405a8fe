/** The view as a picture: run and time above, names and tracks as they are on the screen, a legend below. */

import { formatDuration, formatTime, visibleRange } from "@tilescope/client";
import { percentDigits } from "../components/percent";
import { coloring } from "../state/coloring";
import type { Pane } from "../state/pane";
import { rootOf } from "../state/pane-root";
import { nameOf } from "../state/session";
import { treeWidthIn } from "../state/settings";
import type { Trace } from "../state/trace";
import { readCanvasTheme } from "../timeline/canvas-theme";
import type { Picture } from "../timeline/picture";
import { legendOf } from "./legend";
import { fitting, paintNames } from "./picture-names";

const TITLE_PX = 46;
const INSET_PX = 12;
const LEGEND_NAMES = 12;
const LEGEND_ROW_PX = 20;
const LEGEND_COLUMN_PX = 300;

/** A canvas with the device's pixels, in the theme of the page. Throws where no timeline is shown. */
export function pictureOfView(pane: Pane, trace: Trace, picture: Picture): HTMLCanvasElement {
  const timeline = rootOf(pane).querySelector<HTMLElement>(".timeline");
  const axis = rootOf(pane).querySelector<HTMLCanvasElement>(".axis canvas");
  const now = pane.session.peek();
  if (timeline === null || axis === null || now === null) {
    throw new Error("no timeline is shown");
  }
  const { ratio } = picture;
  const values = readCanvasTheme(timeline);
  const namesPx = Math.round(treeWidthIn(innerWidth));
  const widthPx = namesPx + picture.view.widthPx;
  const axisPx = axis.height / ratio;
  const tracksPx = Math.max(1, Math.min(picture.heightPx, picture.scene.endPx));
  const entries = legendOf(picture, LEGEND_NAMES);
  const columns = Math.max(1, Math.floor((widthPx - 2 * INSET_PX) / LEGEND_COLUMN_PX));
  const legendPx = Math.ceil(entries.length / columns) * LEGEND_ROW_PX + 2 * INSET_PX + LEGEND_ROW_PX;
  const tracksTopPx = TITLE_PX + axisPx;
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(widthPx * ratio);
  canvas.height = Math.round((tracksTopPx + tracksPx + legendPx) * ratio);
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  context.fillStyle = values.ground;
  context.fillRect(0, 0, widthPx, canvas.height);

  context.fillStyle = values.panel;
  context.fillRect(0, 0, widthPx, tracksTopPx);
  context.textBaseline = "middle";
  context.fillStyle = values.text;
  context.font = `650 14px ${values.font}`;
  context.fillText(fitting(context, trace.manifest.name, widthPx - 2 * INSET_PX), INSET_PX, 15);
  context.fillStyle = values.textDim;
  context.font = `12px ${values.font}`;
  context.fillText(fitting(context, timeText(trace, picture), widthPx - 2 * INSET_PX), INSET_PX, 34);

  context.drawImage(axis, namesPx, TITLE_PX, axis.width / ratio, axisPx);
  context.fillStyle = values.line;
  context.fillRect(0, tracksTopPx - 1, widthPx, 1);

  context.save();
  context.beginPath();
  context.rect(0, tracksTopPx, widthPx, tracksPx);
  context.clip();
  context.translate(0, tracksTopPx);
  paintNames(pane, context, values, namesPx, tracksPx);
  // Whatever lies over the tracks is on canvases of its own, in their order.
  for (const layer of timeline.querySelectorAll("canvas")) {
    context.drawImage(layer, namesPx, 0, layer.width / ratio, layer.height / ratio);
  }
  context.fillStyle = values.lineStrong;
  context.fillRect(namesPx, 0, 1, tracksPx);
  context.restore();

  const legendTopPx = tracksTopPx + tracksPx;
  context.fillStyle = values.line;
  context.fillRect(0, legendTopPx, widthPx, 1);
  const colors = now.colors(coloring.peek());
  context.font = `12px ${values.font}`;
  entries.forEach(({ name, share }, k) => {
    const leftPx = INSET_PX + (k % columns) * LEGEND_COLUMN_PX;
    const middlePx = legendTopPx + INSET_PX + (Math.floor(k / columns) + 0.5) * LEGEND_ROW_PX;
    context.fillStyle = colors.css(name);
    context.fillRect(leftPx, middlePx - 6, 12, 12);
    context.fillStyle = values.text;
    const shareText = ` ${percentDigits(share, 0)} %`;
    const roomPx = LEGEND_COLUMN_PX - 36 - context.measureText(shareText).width;
    const text = fitting(context, nameOf(pane, name) ?? "…", roomPx);
    context.fillText(text, leftPx + 18, middlePx);
    const afterPx = context.measureText(text).width;
    context.fillStyle = values.textDim;
    context.fillText(shareText, leftPx + 18 + afterPx, middlePx);
  });
  context.fillStyle = values.textDim;
  context.font = `11px ${values.font}`;
  const noteTopPx = legendTopPx + legendPx - INSET_PX - 4;
  context.fillText("Percentages are of the area drawn. Fine diagonals: bins of several events.", INSET_PX, noteTopPx);
  context.textAlign = "right";
  context.fillText("Tilescope", widthPx - INSET_PX, noteTopPx);
  return canvas;
}

/** "12 ms of 3 s, from 1.2 s on (2026-01-31 …)". */
function timeText(trace: Trace, picture: Picture): string {
  const { time, range } = trace.manifest;
  const shown = visibleRange(picture.view);
  const startTicks = shown.startTicks > range.startTicks ? shown.startTicks : range.startTicks;
  const endTicks = shown.endTicks < range.endTicks ? shown.endTicks : range.endTicks;
  const [part, whole] = [endTicks - startTicks, range.endTicks - range.startTicks];
  const lasts = formatDuration(part, time.tickPs);
  const share = part < whole ? `${lasts} of ${formatDuration(whole, time.tickPs)}` : lasts;
  return `${share}, from ${formatTime(startTicks, time, "relative")} on · ${formatTime(startTicks, time, "utc")}`;
}
