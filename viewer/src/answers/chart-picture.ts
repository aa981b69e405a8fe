/** A chart as a picture file: title, range and legend above what is drawn. */

import type { ChartData } from "./chart-data";
import { type PlotColors, seriesStyles } from "./chart-style";

const LINE_PX = 20;
const MARGIN_PX = 12;

/** The picture, with the device's pixels. */
export function chartPicture(
  canvas: HTMLCanvasElement,
  data: ChartData,
  colors: PlotColors,
  rangeText: string,
  isShown: (y: number) => boolean,
): HTMLCanvasElement {
  const ratio = devicePixelRatio;
  const widthPx = canvas.width / ratio + 2 * MARGIN_PX;
  const picture = document.createElement("canvas");
  const context = picture.getContext("2d")!;
  context.font = `12px ${colors.font}`;
  const entries = data.ys
    .map((column, y) => ({ title: column.title, y, widthPx: context.measureText(column.title).width + 36 }))
    .filter(({ y }) => data.ys.length > 1 && isShown(y));
  let x = 0;
  let line = 0;
  const placed = entries.map((entry) => {
    if (x > 0 && x + entry.widthPx > widthPx - 2 * MARGIN_PX) {
      x = 0;
      line += 1;
    }
    const left = x;
    x += entry.widthPx;
    return { ...entry, left, line };
  });
  const headPx = MARGIN_PX + LINE_PX * (1 + (entries.length > 0 ? line + 1 : 0));
  picture.width = Math.round(widthPx * ratio);
  picture.height = Math.round(headPx * ratio) + canvas.height + Math.round(MARGIN_PX * ratio);
  context.scale(ratio, ratio);
  context.fillStyle = colors.ground;
  context.fillRect(0, 0, picture.width, picture.height);
  context.textBaseline = "middle";
  context.fillStyle = colors.text;
  context.font = `600 13px ${colors.font}`;
  context.fillText(`${data.series.title} (${rangeText})`, MARGIN_PX, MARGIN_PX + LINE_PX / 2);
  context.font = `12px ${colors.font}`;
  for (const { title, y, left, line: row } of placed) {
    const style = seriesStyles(data.ids, colors.theme, colors.forced)[y]!;
    const middle = MARGIN_PX + LINE_PX * (row + 1.5);
    context.strokeStyle = style.line;
    context.lineWidth = 3;
    context.setLineDash([...style.dash]);
    context.beginPath();
    context.moveTo(MARGIN_PX + left, middle);
    context.lineTo(MARGIN_PX + left + 20, middle);
    context.stroke();
    context.fillText(title, MARGIN_PX + left + 26, middle);
  }
  context.setLineDash([]);
  context.drawImage(canvas, MARGIN_PX, headPx, canvas.width / ratio, canvas.height / ratio);
  return picture;
}
