/**
 * Colours of events: a hue for each kind of work; within a kind the hue varies a little, and the lightness in steps, by a
 * hash of the name. So a name has one colour in all runs, charts and pages.
 *
 * Kinds differ in lightness as well as hue, so that people with the common kinds of colour blindness can tell them apart.
 * Text on an event has a contrast of at least 4.5:1, an event on its ground one of at least 3:1.
 */

import { contrast, cssColor, oklch, type Rgb } from "./color";
import { MEANINGS, type Meaning, type NamedEvent } from "./meaning";

export type Theme = "light" | "dark";

/** Property of an event that its colour shows. */
export type ColorBy = "meaning" | "name" | "duration";

/** The choice of colours. */
export interface Coloring {
  readonly theme: Theme;
  readonly by: ColorBy;
  /** The kinds of work that are shown in colour, the others faintly; null: all are. */
  readonly only: ReadonlySet<Meaning> | null;
}

/** Hues of what has no meaning, in degrees of OKLCH, after the order of Okabe and Ito: blue, orange, green, purple, yellow, sky, red, teal. */
export const HUES: readonly number[] = [255, 62, 155, 325, 95, 225, 28, 190];

/** Lightness, chroma and hue in OKLCH. */
type Tone = readonly [lightness: number, chroma: number, hue: number];

/**
 * Searched for the largest least distance between any two colours of two kinds, under each kind of colour blindness; light ones
 * for much chroma, too, and not below a lightness of 0.42: many dark colours look like one.
 */
const TONES: Readonly<Record<Theme, Readonly<Record<Meaning, Tone>>>> = {
  light: {
    other: [0.625, 0, 0],
    compute: [0.535, 0.257, 270],
    collective: [0.634, 0.168, 48],
    copy: [0.473, 0.094, 156],
    launch: [0.505, 0.249, 311],
    input: [0.467, 0.096, 93],
    operator: [0.532, 0.118, 244],
    python: [0.616, 0.104, 216],
    memory: [0.541, 0.217, 8],
  },
  dark: {
    other: [0.695, 0, 0],
    compute: [0.613, 0.103, 237],
    collective: [0.755, 0.155, 67],
    copy: [0.893, 0.162, 132],
    launch: [0.637, 0.194, 296],
    input: [0.786, 0.074, 84],
    operator: [0.737, 0.131, 239],
    python: [0.858, 0.1, 196],
    memory: [0.629, 0.123, 42],
  },
};

/** So much darker than a colour is what is drawn on it. */
const INK_DEPTH = 0.2;

const LIGHTNESS_STEPS: readonly number[] = [-0.022, 0, 0.022];
const HUE_STEPS: readonly number[] = [-7, 0, 7];
const VARIANTS = LIGHTNESS_STEPS.length * HUE_STEPS.length;

/** Colours of durations, the shortest first: lightness alone tells them apart, too. */
const DURATION_STEPS = 8;
const DURATIONS: Readonly<Record<Theme, readonly [from: Tone, to: Tone]>> = {
  light: [
    [0.64, 0.09, 215],
    [0.36, 0.16, 325],
  ],
  dark: [
    [0.6, 0.08, 275],
    [0.9, 0.13, 95],
  ],
};
/** Picoseconds of the second step: all that is shorter is the first. */
const SHORT_EXPONENT = 6;

/** Lightness of what is not chosen: seen, and no more. */
const FAINT: Readonly<Record<Theme, number>> = { light: 0.9, dark: 0.32 };

/** Grey levels as packed colours: each has a contrast to all events of its theme. */
const DIVIDERS: Readonly<Record<Theme, number>> = { light: 0xf0f0f0, dark: 0x1a1a1a };

const INKS: readonly Rgb[] = [
  { r: 17, g: 20, b: 24 },
  { r: 255, g: 255, b: 255 },
];

interface Swatch {
  /** Little-endian RGBA with the alpha byte 0: `0x00bbggrr`. */
  readonly packed: number;
  readonly css: string;
  readonly text: string;
}

/** Place of each in the swatches. */
const NEUTRAL = 0;
const FAINTLY = 1;
const FIRST = 2;

/** Colours by name id, or by duration. Ids whose names have not arrived yet are a neutral grey. */
export class ColorTable {
  readonly coloring: Coloring;
  /** The kinds of work of all names so far. */
  readonly present = new Set<Meaning>();
  readonly #swatches: readonly Swatch[];
  readonly #tickExponent: number;
  #packed = new Uint32Array(0);
  #choice = new Uint8Array(0);

  constructor(coloring: Coloring, tickPs = 1) {
    this.coloring = coloring;
    this.#tickExponent = Math.log10(tickPs) - SHORT_EXPONENT + 1;
    this.#swatches = swatchesOf(coloring.theme, coloring.by);
    if (coloring.by === "duration") {
      this.#packed = Uint32Array.from(this.#swatches.slice(FIRST), ({ packed }) => packed);
    }
  }

  /** Colours of ids `0` to `length - 1`; larger ids have the colour `neutral`. For the raster's inner loop. */
  get table(): Uint32Array {
    return this.#packed;
  }

  get neutral(): number {
    return this.#swatches[NEUTRAL]!.packed;
  }

  /** Line between neighbours of one colour. */
  get divider(): number {
    return DIVIDERS[this.coloring.theme];
  }

  get isByDuration(): boolean {
    return this.coloring.by === "duration";
  }

  /** Place in `table` of a duration. */
  stepOf(durationTicks: number): number {
    const step = Math.floor(Math.log10(durationTicks) + this.#tickExponent);
    return step > 0 ? Math.min(step, DURATION_STEPS - 1) : 0;
  }

  /** Gives colours to the names with ids from `firstId` on, by what they mean. */
  set(firstId: number, names: readonly NamedEvent[], meaningOf: (event: NamedEvent) => Meaning): void {
    const { by, only } = this.coloring;
    if (by !== "duration") {
      this.#grow(firstId + names.length);
    }
    names.forEach((event, k) => {
      const meaning = meaningOf(event);
      this.present.add(meaning);
      if (by !== "duration") {
        const isShown = only === null || only.has(meaning);
        const choice = isShown ? swatchOf(event.name, by === "name" ? null : meaning) : FAINTLY;
        this.#choice[firstId + k] = choice;
        this.#packed[firstId + k] = this.#swatches[choice]!.packed;
      }
    });
  }

  css(id: number): string {
    return this.#swatches[this.#choice[id] ?? NEUTRAL]!.css;
  }

  /** The colour of text on the colour of a name, or of a duration. */
  text(id: number, durationTicks: number): string {
    const place = this.isByDuration ? FIRST + this.stepOf(durationTicks) : (this.#choice[id] ?? NEUTRAL);
    return this.#swatches[place]!.text;
  }

  #grow(length: number): void {
    if (length <= this.#packed.length) {
      return;
    }
    const capacity = Math.max(length, 2 * this.#packed.length);
    const packed = new Uint32Array(capacity).fill(this.neutral);
    packed.set(this.#packed);
    const choice = new Uint8Array(capacity);
    choice.set(this.#choice);
    this.#packed = packed;
    this.#choice = choice;
  }
}

/** The middle of a kind's colours, for legends and charts. */
export function meaningColor(meaning: Meaning, theme: Theme): string {
  return cssColor(oklch(...TONES[theme][meaning]));
}

/** The colour of a kind, that of edges and textures on it, and that of text. */
export function meaningLook(
  meaning: Meaning,
  theme: Theme,
): { readonly fill: string; readonly ink: string; readonly text: string } {
  const [lightness, chroma, hue] = TONES[theme][meaning];
  const fill = oklch(lightness, chroma, hue);
  return { fill: cssColor(fill), ink: cssColor(oklch(lightness - INK_DEPTH, chroma, hue)), text: textOn(fill) };
}

/** Colour of text on a colour: dark or light. */
export function textOn(fill: Rgb): string {
  return cssColor(INKS.reduce((best, ink) => (contrast(fill, ink) > contrast(fill, best) ? ink : best)));
}

/** Colours of durations from the shortest on. */
export function durationColors(theme: Theme): readonly string[] {
  return durationTones(theme).map((tone) => cssColor(oklch(...tone)));
}

/** Place of the swatch of a name, of a kind or of any. */
function swatchOf(name: string, meaning: Meaning | null): number {
  const code = hash(name);
  const kinds = MEANINGS.length - 1;
  const kind = meaning === null ? 1 + (Math.floor(code / VARIANTS) % kinds) : MEANINGS.indexOf(meaning);
  return FIRST + kind * VARIANTS + (code % VARIANTS);
}

function swatchesOf(theme: Theme, by: ColorBy): readonly Swatch[] {
  const tones =
    by === "duration"
      ? durationTones(theme)
      : MEANINGS.flatMap((meaning) => {
          const [lightness, chroma, hue] = TONES[theme][meaning];
          return LIGHTNESS_STEPS.flatMap((more) =>
            HUE_STEPS.map((turn) => [lightness + more, chroma, hue + turn] as const),
          );
        });
  const neutral: Tone = TONES[theme].other;
  return [neutral, [FAINT[theme], 0, 0] as const, ...tones].map((tone) => swatch(oklch(...tone)));
}

function durationTones(theme: Theme): readonly Tone[] {
  const [from, to] = DURATIONS[theme];
  return Array.from({ length: DURATION_STEPS }, (_, step) => {
    const between = (place: 0 | 1 | 2) => from[place] + ((to[place] - from[place]) * step) / (DURATION_STEPS - 1);
    return [between(0), between(1), between(2)] as const;
  });
}

/** FNV-1a over UTF-16 units, with a final mix so that the low bits depend on all of the text. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let k = 0; k < text.length; k++) {
    value = Math.imul(value ^ text.charCodeAt(k), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  value = Math.imul(value ^ (value >>> 15), 0x846ca68b);
  return (value ^ (value >>> 16)) >>> 0;
}

function swatch(color: Rgb): Swatch {
  return { packed: color.r | (color.g << 8) | (color.b << 16), css: cssColor(color), text: textOn(color) };
}
