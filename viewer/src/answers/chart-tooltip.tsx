/** The exact figures at a place of a chart. */

import type { ChartData, ChartPoint } from "./chart-data";
import { Swatch } from "./chart-legend";
import type { PlotColors } from "./chart-style";

interface Props {
  readonly data: ChartData;
  readonly pointed: ChartPoint;
  readonly isShown: (y: number) => boolean;
  readonly colors: PlotColors | null;
  /** Hint of what can be done here; empty: nothing more. */
  readonly hint: string;
}

const MOST_SERIES = 12;

export function ChartTooltip({ data, pointed, isShown, colors, hint }: Props) {
  const { place, row, leftPx, widthPx } = pointed;
  const isPoints = data.series.kind === "points";
  const shown = data.ys
    .map((_, y) => y)
    .filter((y) => isShown(y) && (row === null || y === row) && (!isPoints || data.has(y, place)));
  const total = row === null ? data.totalText(place, isShown) : null;
  return (
    <div
      class="chart-tooltip"
      style={leftPx < widthPx / 2 ? { left: `${leftPx + 16}px` } : { right: `calc(100% - ${leftPx - 16}px)` }}
    >
      <table>
        <caption>{data.placeText(place)}</caption>
        <tbody>
          {data.labels !== null && (
            <tr>
              <th scope="row">{data.x.title}</th>
              <td>{data.xText(place)}</td>
            </tr>
          )}
          {total !== null && (
            <tr class="is-total">
              <th scope="row">Total</th>
              <td>{total}</td>
            </tr>
          )}
          {shown.slice(0, MOST_SERIES).map((y) => (
            <tr key={data.ys[y]!.id}>
              <th scope="row">
                {colors !== null && row === null && <Swatch data={data} y={y} colors={colors} />} {data.ys[y]!.title}
              </th>
              <td>{data.yText(y, place)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length > MOST_SERIES && <span class="dim">and {shown.length - MOST_SERIES} more</span>}
      {hint !== "" && <p class="chart-hint">{hint}</p>}
    </div>
  );
}
