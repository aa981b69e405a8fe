/**
 * Colours of events: hue by category, lightness by name.
 *
 * The busiest categories of a run have the hues in the palette's order, the others one by their name. Hues are spaced so that people with the common kinds of colour
 * blindness can tell neighbours apart, and the lightness steps differ without any hue. Text on an event has a contrast
 * of at least 4.5:1, an event on its ground one of at least 3:1.
 */

import { contrast, cssColor, oklch, type Rgb } from "./color";

export type Theme = "light" | "dark";

/** Hues in degrees of OKLCH, after the order of Okabe and Ito: blue, orange, green, purple, yellow, sky, red, teal. */
export const HUES: readonly number[] = [255, 62, 155, 325, 95, 225, 28, 190];

interface HueTones {
  readonly hue: number;
  readonly lightness: readonly number[];
  readonly chroma: number;
}

interface ThemeTones extends Omit<HueTones, "hue"> {
  readonly neutral: number;
  /** Hues that need tones of their own. */
  readonly instead: ReadonlyMap<number, HueTones>;
}

/** Dark orange is brown and dark yellow is olive: on a light ground they are as light and as strong as 3:1 allows. */
const LIGHT_WARM: ReadonlyMap<number, HueTones> = new Map([
  [62, { hue: 48, lightness: [0.545, 0.618, 0.63, 0.642, 0.654], chroma: 0.17 }],
  [95, { hue: 86, lightness: [0.545, 0.608, 0.62, 0.632, 0.644], chroma: 0.15 }],
]);

/** On both grounds of its theme every tone has a contrast of 3:1, so that a bar of two pixels is seen. */
const TONES: Record<Theme, ThemeTones> = {
  light: { lightness: [0.45, 0.495, 0.54, 0.611, 0.629], chroma: 0.13, neutral: 0.615, instead: LIGHT_WARM },
  dark: { lightness: [0.61, 0.65, 0.69, 0.73, 0.77], chroma: 0.12, neutral: 0.62, instead: new Map() },
};

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

/** The event part of a name entry. */
export interface NamedEvent {
  readonly name: string;
  readonly category: string;
}

/** Colours by name id. Ids whose names have not arrived yet are a neutral grey. */
export class ColorTable {
  readonly theme: Theme;
  /** Hues of the busiest families. */
  readonly #hues: ReadonlyMap<string, number>;
  readonly #swatches: readonly Swatch[];
  #packed = new Uint32Array(0);
  #choice = new Uint8Array(0);

  /** `order`: families of events, those first that are to be told apart first. */
  constructor(theme: Theme, order: readonly string[] = []) {
    this.theme = theme;
    this.#hues = new Map(order.slice(0, HUES.length).map((family, hue) => [family, hue]));
    const { lightness, chroma, neutral, instead } = TONES[theme];
    const tones = HUES.flatMap((hue) => {
      const own = instead.get(hue) ?? { hue, lightness, chroma };
      return own.lightness.map((value) => oklch(value, own.chroma, own.hue));
    });
    this.#swatches = [oklch(neutral, 0, 0), ...tones].map(swatch);
  }

  /** Colours of ids `0` to `length - 1`; larger ids have the colour `neutral`. For the raster's inner loop. */
  get table(): Uint32Array {
    return this.#packed;
  }

  get neutral(): number {
    return this.#swatches[0]!.packed;
  }

  /** Gives colours to the names with ids from `firstId` on. */
  set(firstId: number, names: readonly NamedEvent[]): void {
    this.#grow(firstId + names.length);
    names.forEach((event, k) => {
      const family = familyOf(event);
      const choice = swatchOf(event.name, this.#hues.get(family) ?? hash(family) % HUES.length);
      this.#choice[firstId + k] = choice;
      this.#packed[firstId + k] = this.#swatches[choice]!.packed;
    });
  }

  css(id: number): string {
    return this.#swatches[this.#choice[id] ?? 0]!.css;
  }

  /** The colour of text on the event's colour. */
  text(id: number): string {
    return this.#swatches[this.#choice[id] ?? 0]!.text;
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

/** Number 1 to 40 of the swatch of a name. */
function swatchOf(name: string, hue: number): number {
  const tone = hash(name) % TONES.light.lightness.length;
  return 1 + hue * TONES.light.lightness.length + tone;
}

/** Events that share a hue: those of a category; those without one are grouped by the stem of their name. */
export function familyOf({ name, category }: NamedEvent): string {
  return category === "" ? stem(name) : category;
}

/**
 * Common part of a family of names: `fusion.123` → `fusion`, `jit_step(42)` → `jit_step`, `%add.1 = f32` → `%add`; numbers, such as those
 * of steps, are one family: `42` → ``.
 */
export function stem(name: string): string {
  if (/^[\d.]+$/.test(name)) {
    return "";
  }
  const match = /^[^\w]*[A-Za-z_]+(?:[-:/]+[A-Za-z_]+)*/.exec(name);
  return match === null ? name : match[0];
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
  const ink = contrast(color, INKS[0]!) >= contrast(color, INKS[1]!) ? INKS[0]! : INKS[1]!;
  return { packed: color.r | (color.g << 8) | (color.b << 16), css: cssColor(color), text: cssColor(ink) };
}
