/** The exact figures at a place of a chart. */

import type { ChartData, ChartPoint } from "./chart-data";
import { Swatch } from "./chart-legend";
import type { PlotColors } from "./chart-style";

interface Props {
  readonly data: ChartData;
  readonly pointed: ChartPoint;
  readonly isShown: (y: number) => boolean;
  readonly colors: PlotColors | null;
}

const MOST_SERIES = 12;

export function ChartTooltip({ data, pointed, isShown, colors }: Props) {
  const { place, row, leftPx, widthPx } = pointed;
  const shown = data.ys.map((_, y) => y).filter((y) => isShown(y) && (row === null || y === row));
  const title = data.x.title === "" ? "" : `${data.x.title} `;
  return (
    <div
      class="chart-tooltip"
      style={leftPx < widthPx / 2 ? { left: `${leftPx + 16}px` } : { right: `calc(100% - ${leftPx - 16}px)` }}
    >
      <table>
        <caption>{title + data.xText(place)}</caption>
        <tbody>
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
    </div>
  );
}
