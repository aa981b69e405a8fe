/** Steps are chosen by dragging over a chart: uPlot draws the span, which ends at the borders of columns. */

import type uPlot from "uplot";
import type { PlotOptions } from "./plot-options";
import type { PlaceSpan } from "./step-brush";

/** A pointer that has moved less was pressed, not dragged. */
const LEAST_DRAG_PX = 5;

/** Dragging by the pointer, with a callback for its end; the click that ends a drag leads nowhere. */
export function brushParts(options: PlotOptions): { cursor: uPlot.Cursor; hooks: uPlot.Hooks.Arrays } {
  const { brush } = options;
  if (brush === null) {
    return { cursor: { drag: { x: false, y: false } }, hooks: {} };
  }
  let hasChosen = false;
  const cursor: uPlot.Cursor = {
    drag: {
      x: true,
      y: false,
      setScale: false,
      dist: LEAST_DRAG_PX,
      click: (_chart, event) => {
        if (hasChosen) {
          event.stopPropagation();
        }
      },
    },
    bind: {
      mousedown: (chart, _target, handle) => (event) => {
        hasChosen = false;
        if (event.button === 0) {
          showBrushed(chart, options, null);
          handle(event);
        }
        return null;
      },
    },
  };
  const setSelect = (chart: uPlot) => {
    if (chart.select.width > 0) {
      const places = placesOf(chart, brush);
      hasChosen = true;
      showBrushed(chart, options, places);
      options.onBrush(places, true);
    }
  };
  return { cursor, hooks: { setSelect: [setSelect] } };
}

/** The places that the pointer is being dragged over; null: it is not. */
export function brushed(chart: uPlot, { brush }: PlotOptions): PlaceSpan | null {
  return brush !== null && isDragging(chart) && chart.select.width > 0 ? placesOf(chart, brush) : null;
}

/** Draws the span of these places; null takes it away. */
export function showBrushed(chart: uPlot, { brush }: PlotOptions, places: PlaceSpan | null): void {
  if (brush === null || places === null) {
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    return;
  }
  const { from, to } = brush.reach(places);
  const inside = (x: number) => Math.max(0, Math.min(chart.over.clientWidth, chart.valToPos(x, "x")));
  const left = inside(from);
  chart.setSelect({ left, top: 0, width: inside(to) - left, height: chart.over.clientHeight }, false);
}

function placesOf(chart: uPlot, brush: NonNullable<PlotOptions["brush"]>): PlaceSpan {
  const { left, width } = chart.select;
  const insidePx = Math.min(0.5, width / 2); // the border of a column is none of the next one's
  return brush.touched(chart.posToVal(left + insidePx, "x"), chart.posToVal(left + width - insidePx, "x"));
}

/** Not in uPlot's types: whether the pointer has been dragged far enough along x. */
function isDragging(chart: uPlot): boolean {
  return (chart.cursor.drag as { readonly _x?: boolean } | undefined)?._x === true;
}
