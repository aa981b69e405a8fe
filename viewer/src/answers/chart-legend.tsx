/** The legend of a chart: a click hides a series or shows it again, with Alt it shows that one alone. */

import type { ChartData } from "./chart-data";
import { heatColor, MARKERS, type PlotColors, type SeriesStyle, seriesStyles, TEXTURE_PATHS } from "./chart-style";

interface SwatchProps {
  readonly data: ChartData;
  readonly y: number;
  readonly colors: PlotColors;
}

/** Sample of the series' look in the chart. */
export function Swatch({ data, y, colors }: SwatchProps) {
  const style = seriesStyles(data.ids, colors.theme, colors.forced)[y]!;
  return (
    <svg class="legend-swatch" viewBox="0 0 20 12" aria-hidden="true">
      {data.series.kind === "points" ? (
        <path
          d={MARKERS[y % MARKERS.length]}
          fill={style.fill}
          stroke={style.ink}
          stroke-width="0.3"
          transform="translate(10 6) scale(5)"
        />
      ) : data.series.kind === "line" || data.isLevel(y) ? (
        <path d="M0 6h20" stroke={style.line} stroke-width="3" stroke-dasharray={style.dash.join(" ")} />
      ) : (
        <AreaSample style={style} />
      )}
    </svg>
  );
}

/** Sample of an area's look, in a box of 20 × 12. */
export function AreaSample({ style }: { readonly style: SeriesStyle }) {
  return (
    <>
      <rect x="0.5" y="0.5" width="19" height="11" fill={style.fill} stroke={style.ink} />
      <path d={TEXTURE_PATHS[style.texture]} stroke={style.ink} transform="translate(2 2)" />
      <path d={TEXTURE_PATHS[style.texture]} stroke={style.ink} transform="translate(10 2)" />
    </>
  );
}

interface Props {
  readonly data: ChartData;
  readonly hidden: ReadonlySet<number>;
  readonly colors: PlotColors | null;
  readonly onToggle: (y: number, isOnly: boolean) => void;
}

export function ChartLegend({ data, hidden, colors, onToggle }: Props) {
  if (colors === null) {
    return <div class="chart-legend" />;
  }
  if (data.series.kind === "heat") {
    return (
      <div class="chart-legend">
        <span class="legend-item">
          less
          <svg class="legend-swatch" viewBox="0 0 20 12" aria-hidden="true">
            {[0, 1, 2, 3, 4].map((step) => (
              <rect key={step} x={4 * step} width="4" height="12" fill={heatColor(step / 4, colors.theme)} />
            ))}
          </svg>
          more · blank: not recorded
        </span>
      </div>
    );
  }
  return (
    <fieldset class="chart-legend">
      <legend class="visually-hidden">Series</legend>
      {data.ys.map((column, y) => (
        <button
          key={column.id}
          type="button"
          class="legend-item"
          aria-pressed={!hidden.has(y)}
          title={`${column.title}: click to hide or show, Alt+click to show it alone`}
          onClick={(event) => onToggle(y, event.altKey)}
        >
          <Swatch data={data} y={y} colors={colors} />
          <span>{column.title}</span>
        </button>
      ))}
    </fieldset>
  );
}
