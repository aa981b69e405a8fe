/** Look of the series of a chart: work has the colours of the timeline; others one of eight hues, and a dash or a texture beside it. */

import { cssColor, oklch } from "../raster/color";
import type { Meaning } from "../raster/meaning";
import { HUES, meaningLook, type Theme, textOn } from "../raster/palette";

/** Patterns of lines, in CSS pixels. */
export const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

/** Textures of areas and bars. */
export type Texture = "plain" | "rising" | "dots" | "level";
export const TEXTURES: readonly Texture[] = ["plain", "rising", "dots", "level"];

export interface SeriesStyle {
  readonly line: string;
  readonly fill: string;
  /** Edges and textures on `fill`. */
  readonly ink: string;
  /** Text on `fill`. */
  readonly text: string;
  readonly dash: readonly number[];
  readonly texture: Texture;
}

/** Colours of the system, where a person forces them. */
export interface ForcedColors {
  readonly ground: string;
  readonly text: string;
}

/** Colours of a chart. */
export interface PlotColors {
  readonly text: string;
  readonly line: string;
  readonly ground: string;
  readonly font: string;
  readonly theme: Theme;
  readonly forced: ForcedColors | null;
}

const TONES = {
  light: { line: [0.55, 0.15], fill: [0.78, 0.105] },
  dark: { line: [0.76, 0.13], fill: [0.47, 0.1] },
} as const;

/** The look of the y-th of `count` series. A single one is plain. */
export function seriesStyle(y: number, count: number, theme: Theme, forced: ForcedColors | null): SeriesStyle {
  const turn = count === 1 ? 0 : y;
  // Beyond eight the hues come again, with another dash and texture than before.
  const look = turn + Math.floor(turn / HUES.length);
  const dash = DASHES[look % DASHES.length]!;
  const texture = TEXTURES[look % TEXTURES.length]!;
  if (forced !== null) {
    return { line: forced.text, fill: forced.ground, ink: forced.text, text: forced.text, dash, texture };
  }
  const hue = HUES[y % HUES.length]!;
  const { line, fill } = TONES[theme];
  const ink = cssColor(oklch(line[0], line[1], hue));
  const ground = oklch(fill[0], fill[1], hue);
  return { line: ink, fill: cssColor(ground), ink, text: textOn(ground), dash, texture };
}

/**
 * Kinds of work that several pages draw, the TPU's with or without their prefix: each has its colour in the timeline, and those of a kind
 * another texture. In the order of the hues that they take from the others of a chart.
 */
const WORK: readonly (readonly [kind: Meaning, looks: readonly string[]])[] = [
  [
    "compute",
    ["compute high_flops device_compute device_compute_16 computation forward_backward", "low_flops device_compute_32"],
  ],
  [
    "collective",
    [
      ...["collective all_reduce_compute device_collectives exposed_communication", "all_reduce_sync communication"],
      ...["all_reduce_unsplit", "collectives"],
    ],
  ],
  ["copy", ["copy outfeed output device_to_device exposed_copies copies", "device_to_host", "host_to_device"]],
  ["launch", ["launch kernel_launch launch_delay", "synchronisation"]],
  ["input", ["infeed input wait_input host_input interval", "sparse_infeed"]],
  ["operator", ["operators"]],
];

/** Others that have one hue wherever they are drawn, by its number. */
const OTHERS: Readonly<Record<string, number>> = { heap: 0, stack: 1, free: 2, fragmentation: 3, send: 6, recv: 7 };

/** Hues that stand for no kind of work, those first that are least like one. */
const OTHER_HUES = [7, 6, 5] as const;

/** Numbers of looks, as `seriesStyle` has them. */
const PLACES: ReadonlyMap<string, number> = new Map([
  ...WORK.flatMap(([, looks], hue) =>
    looks.flatMap((ids, turn) => ids.split(" ").map((id) => [id, hue + HUES.length * turn] as const)),
  ),
  ...Object.entries(OTHERS),
]);

/** Looks of series that are drawn together. Idle time, and what was not recorded, have no hue: no work looks like them. */
export function seriesStyles(
  ids: readonly string[],
  theme: Theme,
  forced: ForcedColors | null,
): readonly SeriesStyle[] {
  const fixed = ids.map((id) => PLACES.get(id.replace(/^tpu_/, "")));
  const hues = new Set(fixed.flatMap((place) => (place === undefined ? [] : [place % HUES.length])));
  let next = 0;
  const free = (): number => {
    if (hues.size === 0) {
      return next++;
    }
    // Beside kinds of work the others have hues that stand for none; there is always one left.
    for (;;) {
      const place = OTHER_HUES[next % OTHER_HUES.length]!;
      const turn = Math.floor(next / OTHER_HUES.length);
      next += 1;
      if (!hues.has(place)) {
        return place + HUES.length * turn;
      }
    }
  };
  return ids.map((id, y) => {
    if (/(^|_)(idle|not_recorded|nothing_recorded)$/.test(id)) {
      return idleStyle(theme, forced);
    }
    const style = seriesStyle(fixed[y] ?? free(), ids.length, theme, forced);
    const kind = fixed[y] === undefined || id in OTHERS ? undefined : WORK[fixed[y] % HUES.length]?.[0];
    if (kind === undefined || forced !== null) {
      return style;
    }
    const look = meaningLook(kind, theme);
    return { ...style, ...look, line: look.fill };
  });
}

function idleStyle(theme: Theme, forced: ForcedColors | null): SeriesStyle {
  const { line, fill } = TONES[theme];
  const ink = cssColor(oklch(line[0], 0, 0));
  const ground = oklch(fill[0] + (theme === "light" ? 0.12 : -0.12), 0, 0);
  return {
    line: forced?.text ?? ink,
    fill: forced?.ground ?? cssColor(ground),
    ink: forced?.text ?? ink,
    text: forced?.text ?? textOn(ground),
    dash: DASHES[1]!,
    texture: "plain",
  };
}

/** Inked part of a tile of 8 × 8: paths as SVG and canvas both take them. */
export const TEXTURE_PATHS: Readonly<Record<Texture, string>> = {
  plain: "",
  rising: "M-2 2L2 -2M0 8L8 0M6 10L10 6",
  dots: "M1.5 2h1M5.5 6h1",
  level: "M0 2h8M0 6h8",
};

/** Shapes of points, in a square from -1 to 1. */
export const MARKERS: readonly string[] = [
  "M1 0A1 1 0 1 1 -1 0A1 1 0 1 1 1 0Z",
  "M-0.9 -0.9H0.9V0.9H-0.9Z",
  "M0 -1.1L1.05 0.85H-1.05Z",
  "M0 -1.2L1.2 0L0 1.2L-1.2 0Z",
];

/** The colour of a cell of a heat map, 0 to 1 of the range: lightness alone tells. */
export function heatColor(part: number, theme: Theme): string {
  const [from, to] = theme === "light" ? [0.97, 0.42] : [0.24, 0.9];
  return cssColor(oklch(from + (to - from) * part, 0.03 + 0.1 * part, HUES[0]!));
}
