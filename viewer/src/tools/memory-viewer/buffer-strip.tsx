/** Bars of buffers on a canvas: the hatched part of each is padding. Pointer and arrow keys go from one to the next. */

import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { plotColors } from "../../answers/chart-colors";
import { type PlotColors, type SeriesStyle, seriesStyle, TEXTURE_PATHS } from "../../answers/chart-style";
import { useForced } from "../../answers/use-forced";
import { ShortNames } from "../../raster/reading";
import { measureGlyphs } from "../../raster/text";
import { theme } from "../../state/settings";
import { type BufferBar, barAt, barLabel, HUES } from "./buffer-bars";

interface Props {
  readonly title: string;
  readonly note: string;
  readonly bars: readonly BufferBar[];
  /** Share of the peak at which smaller buffers begin, and what these are in words; empty: there are none. */
  readonly end: number;
  readonly others: string;
  readonly pointed: ReadonlySignal<number | null>;
  readonly onPoint: (row: number) => void;
  /** A click, or Enter. */
  readonly onChoose: (row: number) => void;
  readonly spokenText: (bar: BufferBar) => string;
}

/** Bars of fewer pixels have no rim, and those of fewer no name. */
const RIM_PX = 4;
const NAME_PX = 48;
const NAME_GAP_PX = 5;
const PAGE_BARS = 10;

export function BufferStrip({ title, note, bars, end, others, pointed, onPoint, onChoose, spokenText }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const picture = { bars, end, others };
  const drawn = useRef(picture);
  drawn.current = picture;
  const looks = useRef(new BarLooks());
  const isForced = useForced();
  /** Two strips point at the same buffer: the one with the focus says which. */
  const hasFocus = useSignal(false);
  const draw = () => {
    if (canvas.current !== null) {
      const colors = plotColors(canvas.current.parentElement!, theme.peek());
      drawBars(canvas.current, drawn.current, pointed.peek(), colors, looks.current);
    }
  };
  useSignalEffect(() => {
    pointed.value;
    theme.value;
    isForced.value;
    draw();
  });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(draw);
    observer.observe(canvas.current!);
    draw();
    return () => observer.disconnect();
  }, [bars, end, others]);
  const place = bars.findIndex(({ row }) => row === pointed.value);
  const onKeyDown = (event: KeyboardEvent) => {
    const to: Readonly<Record<string, number>> = {
      ArrowRight: place + 1,
      ArrowLeft: place - 1,
      PageDown: place + PAGE_BARS,
      PageUp: place - PAGE_BARS,
      Home: 0,
      End: bars.length - 1,
    };
    if (to[event.key] !== undefined) {
      onPoint(bars[Math.max(0, Math.min(bars.length - 1, to[event.key]!))]!.row);
    } else if (event.key === "Enter" && place >= 0) {
      onChoose(bars[place]!.row);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const rowAt = (event: MouseEvent) => {
    const { left, width } = canvas.current!.getBoundingClientRect();
    const place = barAt(bars, (event.clientX - left) / Math.max(1, width), 1.5 / Math.max(1, width));
    return place === null ? null : bars[place]!.row;
  };
  return (
    <div class="buffer-strip">
      <p class="buffer-strip-head">
        <strong>{title}</strong> <span>{note}</span>
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: there is no element for an interactive picture. */}
      <div
        class="buffer-strip-plot"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its arrow keys walk from buffer to buffer.
        tabIndex={0}
        aria-label={`${title}: ${bars.length} buffers at the peak. Arrow keys go from one to the next, Enter shows its row.`}
        onKeyDown={onKeyDown}
        onFocus={() => {
          hasFocus.value = true;
        }}
        onBlur={() => {
          hasFocus.value = false;
        }}
        onMouseMove={(event) => {
          const row = rowAt(event);
          if (row !== null && row !== pointed.peek()) {
            onPoint(row);
          }
        }}
        onClick={(event) => {
          const row = rowAt(event);
          if (row !== null) {
            onChoose(row);
          }
        }}
      >
        <canvas ref={canvas} aria-hidden="true" />
      </div>
      <span class="visually-hidden" role="status">
        {place < 0 || !hasFocus.value ? "" : spokenText(bars[place]!)}
      </span>
    </div>
  );
}

interface BarLook extends SeriesStyle {
  readonly hatch: CanvasPattern | string;
}

/** Looks of bars by the numbers of their colours: they stay until there are other colours, or pixels of another size. */
class BarLooks {
  #key = "";
  #looks: readonly BarLook[] = [];

  in(context: CanvasRenderingContext2D, { theme, forced }: PlotColors): readonly BarLook[] {
    const key = JSON.stringify([theme, forced, devicePixelRatio]);
    if (key !== this.#key) {
      this.#key = key;
      this.#looks = Array.from({ length: HUES }, (_, hue) => {
        const style = seriesStyle(hue, HUES, theme, forced);
        return { ...style, hatch: hatched(context, style) };
      });
    }
    return this.#looks;
  }
}

function drawBars(
  canvas: HTMLCanvasElement,
  { bars, end, others }: { bars: readonly BufferBar[]; end: number; others: string },
  pointed: number | null,
  colors: PlotColors,
  looks: BarLooks,
): void {
  const ratio = devicePixelRatio;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  context.font = `11px ${colors.font}`;
  context.textBaseline = "bottom";
  const textColor = getComputedStyle(canvas).color;
  const styles = looks.in(context, colors);
  const glyphs = measureGlyphs((text) => context.measureText(text).width);
  const names = new ShortNames();
  names.add(bars.filter((bar) => bar.width * width >= NAME_PX).map(({ name }) => name));
  let current: BufferBar | null = null;
  for (const bar of bars) {
    const style = styles[bar.hue]!;
    const left = bar.left * width;
    const barPx = bar.width * width;
    const paddingPx = bar.padding * height;
    context.fillStyle = style.fill;
    context.fillRect(left, paddingPx, barPx, height - paddingPx);
    context.fillStyle = style.hatch;
    context.fillRect(left, 0, barPx, paddingPx);
    if (barPx >= RIM_PX) {
      context.strokeStyle = style.line;
      context.strokeRect(left + 0.5, 0.5, barPx - 1, height - 1);
    }
    if (barPx >= NAME_PX) {
      writeName(
        context,
        barLabel(bar.name, names.form(bar.name), barPx - 2 * NAME_GAP_PX, glyphs),
        { left, width: barPx, bottom: height - 3 },
        textColor,
        colors,
        paddingPx > height - 18,
      );
    }
    current = bar.row === pointed ? bar : current;
  }
  if (others !== "") {
    context.strokeStyle = colors.line;
    context.strokeRect(end * width + 0.5, 0.5, (1 - end) * width - 1, height - 1);
    if ((1 - end) * width >= 2 * NAME_PX) {
      const box = { left: end * width, width: (1 - end) * width, bottom: height - 3 };
      writeName(context, others, box, colors.text, colors, false);
    }
  }
  if (current !== null) {
    // It stands out however narrow it is.
    const left = current.left * width;
    context.strokeStyle = textColor;
    context.lineWidth = 2;
    context.strokeRect(left, 1, Math.max(2, current.width * width), height - 2);
  }
}

function writeName(
  context: CanvasRenderingContext2D,
  name: string,
  { left, width, bottom }: { left: number; width: number; bottom: number },
  color: string,
  { ground }: PlotColors,
  isOnHatching: boolean,
): void {
  context.save();
  context.beginPath();
  context.rect(left + 3, 0, width - 6, bottom + 3);
  context.clip();
  if (isOnHatching) {
    context.strokeStyle = ground;
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeText(name, left + NAME_GAP_PX, bottom);
  }
  context.fillStyle = color;
  context.fillText(name, left + NAME_GAP_PX, bottom);
  context.restore();
}

function hatched(context: CanvasRenderingContext2D, { line }: SeriesStyle): CanvasPattern | string {
  const tile = document.createElement("canvas");
  const ratio = devicePixelRatio;
  tile.width = tile.height = Math.round(8 * ratio);
  const ink = tile.getContext("2d")!;
  ink.scale(tile.width / 8, tile.height / 8);
  ink.strokeStyle = line;
  ink.stroke(new Path2D(TEXTURE_PATHS.rising));
  const pattern = context.createPattern(tile, "repeat");
  // Patterns are in the pixels of the device, the context in those of the page.
  pattern?.setTransform(new DOMMatrix().scale(1 / ratio));
  return pattern ?? line;
}
