/** The colours of marks: the hues of events in two tones, each readable on both themes' grounds and under its text. */

import { contrast, cssColor, oklch, type Rgb } from "../raster/color";
import { HUES, type Theme } from "../raster/palette";

export interface MarkColour {
  readonly fill: string;
  /** Colour of text on it. */
  readonly text: string;
  readonly name: string;
}

const NAMES = ["Blue", "Orange", "Green", "Purple", "Yellow", "Sky", "Red", "Teal"];
const TONES: Readonly<Record<Theme, readonly [number, number]>> = { light: [0.55, 0.4], dark: [0.74, 0.6] };
const INKS: readonly Rgb[] = [
  { r: 13, g: 16, b: 20 },
  { r: 255, g: 255, b: 255 },
];

function make(theme: Theme): readonly MarkColour[] {
  return TONES[theme].flatMap((lightness, tone) =>
    HUES.map((hue, k) => {
      const fill = oklch(lightness, 0.15, hue);
      const text = INKS.reduce((best, ink) => (contrast(ink, fill) > contrast(best, fill) ? ink : best));
      const name = tone === 0 ? NAMES[k]! : `Dark ${NAMES[k]!.toLowerCase()}`;
      return { fill: cssColor(fill), text: cssColor(text), name };
    }),
  );
}

const made = new Map<Theme, readonly MarkColour[]>();

/** All of them, by their number. */
export function markColours(theme: Theme): readonly MarkColour[] {
  const colours = made.get(theme) ?? make(theme);
  made.set(theme, colours);
  return colours;
}

export function colourOf(theme: Theme, colour: number): MarkColour {
  const colours = markColours(theme);
  return colours[colour % colours.length]!;
}
