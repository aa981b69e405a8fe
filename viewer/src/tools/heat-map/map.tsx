/** The map on a canvas: the wheel zooms and scrolls, a drag zooms to what it frames, keys do all of it. */

import { signal, useSignalEffect } from "@preact/signals";
import { fit, pan, resize, type TickRange, type TimeBase, tickAtX, ticks, type View, zoomAt } from "@tilescope/client";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { plotColors } from "../../answers/chart-colors";
import type { PlotColors } from "../../answers/chart-style";
import { useForced } from "../../answers/use-forced";
import { theme } from "../../state/settings";
import { timeFormat } from "../../state/time-format";
import { mapPalette } from "./image";
import { AXIS_PX, type MapDrawing, MapPainter, NAMES_PX } from "./painter";
import { clampRows, moveRows, type RowView, showRow, zoomPart, zoomRows } from "./row-view";

export interface MapView {
  readonly time: View;
  readonly rows: RowView;
}

interface Props extends Pick<MapDrawing, "layers" | "names" | "bands" | "chosen"> {
  readonly bounds: TickRange;
  readonly base: TimeBase;
  /** Span and rows that are shown at first, and when it is another object. */
  readonly place: { readonly span: TickRange; readonly rows: RowView };
  readonly label: string;
  readonly onView: (view: MapView, heightPx: number) => void;
  readonly onChoose: (row: number) => void;
  readonly onEnter: (row: number, span: TickRange, part: number) => void;
}

const ZOOM = 1.5;
const WHEEL = 0.0025;
const REST_MS = 80;
/** Height of a line for wheels that count in lines. */
const LINE_PX = 18;

export function HeatMap(props: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const painter = useRef<MapPainter | null>(null);
  const view = useMemo(() => signal<MapView | null>(null), []);
  const brush = useMemo(() => signal<MapDrawing["brush"]>(null), []);
  const latest = useRef(props);
  latest.current = props;
  const frame = useRef(0);
  const isForced = useForced();
  const palettes = useMemo(() => ({ light: mapPalette("light"), dark: mapPalette("dark") }), []);
  // Styles are read when they may be others, not with each frame.
  const colors = useRef<PlotColors | null>(null);
  const paint = () => {
    frame.current ||= requestAnimationFrame(() => {
      frame.current = 0;
      const shown = view.peek();
      if (shown !== null && canvas.current !== null) {
        painter.current ??= new MapPainter(canvas.current);
        const { layers, names, bands, chosen, base } = latest.current;
        const drawing = { layers, names, bands, chosen, view: shown.time, rows: shown.rows, brush: brush.peek() };
        colors.current ??= plotColors(canvas.current.parentElement!, theme.peek());
        painter.current.paint(drawing, palettes[theme.peek()], colors.current, base, timeFormat.peek());
      }
    });
  };
  useSignalEffect(() => {
    theme.value;
    isForced.value;
    colors.current = null;
    paint();
  });
  useSignalEffect(() => {
    for (const seen of [view, brush, timeFormat]) {
      seen.value;
    }
    paint();
  });
  useEffect(paint, [props.layers, props.names, props.bands, props.chosen]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  // While a view moves it is drawn alone: address and questions follow when it rests.
  const rest = useRef(0);
  // As soon as there is a map: one that goes before it is painted has no effects yet that could end.
  useLayoutEffect(() => () => clearTimeout(rest.current), []);
  const set = (next: MapView) => {
    view.value = next;
    clearTimeout(rest.current);
    rest.current = window.setTimeout(() => {
      latest.current.onView(next, canvas.current!.clientHeight - AXIS_PX);
    }, REST_MS);
  };
  useLayoutEffect(() => {
    const { span, rows } = props.place;
    set({ time: fit(span, canvas.current!.clientWidth - NAMES_PX), rows: clampRows(rows, props.names.length) });
  }, [props.place]);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      const now = view.peek();
      if (now !== null) {
        set({ ...now, time: resize(now.time, canvas.current!.clientWidth - NAMES_PX, latest.current.bounds) });
      }
    });
    observer.observe(canvas.current!);
    return () => observer.disconnect();
  }, []);
  const placeOf = (event: MouseEvent) => {
    const { left, top, height } = canvas.current!.getBoundingClientRect();
    const part = Math.min(1, Math.max(0, (event.clientY - top - AXIS_PX) / (height - AXIS_PX)));
    const { rows, time } = view.peek()!;
    const xPx = Math.min(Math.max(event.clientX - left - NAMES_PX, 0), time.widthPx);
    return { xPx, part, row: rows.from + part * (rows.to - rows.from) };
  };
  const count = () => Math.max(1, latest.current.names.length);
  const wheel = (event: WheelEvent) => {
    const { time, rows } = view.peek()!;
    const { xPx, part } = placeOf(event);
    const { bounds } = latest.current;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
    const [rightPx, downPx] = [event.deltaX * unit, event.deltaY * unit];
    const moved = moveRows(rows, (downPx / 800) * (rows.to - rows.from), count());
    if (event.ctrlKey || event.metaKey) {
      const factor = Math.exp(downPx * WHEEL);
      set({ time: zoomAt(time, xPx, factor, bounds), rows: zoomRows(rows, part, factor, count()) });
    } else if (event.shiftKey || rightPx !== 0) {
      set({ rows, time: pan(time, rightPx || downPx, bounds) });
    } else if (moved.from !== rows.from) {
      set({ time, rows: moved });
    } else {
      // There are no more rows: the page scrolls.
      return;
    }
    event.preventDefault();
  };
  useEffect(() => {
    const element = canvas.current!;
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, []);
  const start = useRef<ReturnType<typeof placeOf> | null>(null);
  const framed = (event: MouseEvent): MapDrawing["brush"] => {
    const [from, to] = [start.current!, placeOf(event)];
    const { time } = view.peek()!;
    const tick = (xPx: number) => ticks(tickAtX(time, xPx));
    const [first, last] = [tick(Math.min(from.xPx, to.xPx)), tick(Math.max(from.xPx, to.xPx))];
    const rows = { from: Math.min(from.row, to.row), to: Math.max(from.row, to.row) };
    return { view: { startTicks: first, endTicks: ticks(last > first ? last : first + 1n) }, rows };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = keyed(event, view.peek()!, latest.current, count());
    if (next === null) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if ("enter" in next) {
      enter(next.enter, 0.5);
    } else if ("row" in next) {
      props.onChoose(next.row);
      set({ ...view.peek()!, rows: showRow(view.peek()!.rows, next.row, count()) });
    } else {
      set(next);
    }
  };
  const enter = (row: number, part: number) => {
    const { time } = view.peek()!;
    const span = { startTicks: ticks(tickAtX(time, 0)), endTicks: ticks(tickAtX(time, time.widthPx)) };
    latest.current.onEnter(row, span, part);
  };
  const rowAt = (row: number) => Math.min(count() - 1, Math.floor(row));
  return (
    // biome-ignore lint/a11y/useSemanticElements: there is no element for an interactive picture.
    <div
      class="heat-map"
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys move, zoom and choose.
      tabIndex={0}
      aria-label={props.label}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        if (event.button === 0) {
          start.current = placeOf(event);
          event.currentTarget.setPointerCapture(event.pointerId);
        }
      }}
      onPointerMove={(event) => {
        if (start.current !== null) {
          const to = placeOf(event);
          const isDrag = Math.abs(to.xPx - start.current.xPx) > 4;
          brush.value = isDrag ? framed(event) : null;
        }
      }}
      onPointerUp={(event) => {
        const zoomed = brush.peek();
        const from = start.current;
        start.current = null;
        brush.value = null;
        if (zoomed !== null) {
          const { time, rows } = view.peek()!;
          const isFlat = (zoomed.rows.to - zoomed.rows.from) / (rows.to - rows.from) < 0.02;
          set({ time: fit(zoomed.view, time.widthPx), rows: isFlat ? rows : clampRows(zoomed.rows, count()) });
        } else if (from !== null) {
          props.onChoose(rowAt(placeOf(event).row));
        }
      }}
      onPointerCancel={() => {
        start.current = null;
        brush.value = null;
      }}
      onDblClick={(event) => {
        const { row } = placeOf(event);
        enter(rowAt(row), row - Math.floor(row));
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  );
}

type Next = MapView | { readonly row: number } | { readonly enter: number } | null;

/** Effect of a key; null: none. */
function keyed(event: KeyboardEvent, { time, rows }: MapView, props: Props, count: number): Next {
  const { bounds, chosen } = props;
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return null;
  }
  const middle = zoomPart(rows, chosen);
  const zoomed = (factor: number): MapView => ({
    time: zoomAt(time, time.widthPx / 2, factor, bounds),
    rows: zoomRows(rows, middle, factor, count),
  });
  const height = rows.to - rows.from;
  switch (event.key) {
    case "ArrowUp":
    case "ArrowDown": {
      const factor = event.key === "ArrowUp" ? 1 / ZOOM : ZOOM;
      const step = event.key === "ArrowUp" ? -1 : 1;
      return event.shiftKey
        ? { time, rows: zoomRows(rows, middle, factor, count) }
        : { row: Math.min(count - 1, Math.max(0, chosen < 0 ? Math.floor(rows.from) : chosen + step)) };
    }
    case "ArrowLeft":
    case "ArrowRight": {
      const sign = event.key === "ArrowLeft" ? -1 : 1;
      return event.shiftKey
        ? { rows, time: zoomAt(time, time.widthPx / 2, sign > 0 ? 1 / ZOOM : ZOOM, bounds) }
        : { rows, time: pan(time, (sign * time.widthPx) / 8, bounds) };
    }
    case "PageUp":
      return { time, rows: moveRows(rows, -height, count) };
    case "PageDown":
      return { time, rows: moveRows(rows, height, count) };
    case "+":
    case "=":
      return zoomed(1 / ZOOM);
    case "-":
      return zoomed(ZOOM);
    case "Home":
      return { time: fit(bounds, time.widthPx), rows: { from: 0, to: count } };
    case "Enter":
      return chosen < 0 ? null : { enter: chosen };
    default:
      return null;
  }
}
