/** Shades of what is no work: next to no hue, so that none looks like a kind of work in the timeline. */

import { cssColor, oklch } from "../../raster/color";
import { type Theme, textOn } from "../../raster/palette";

/**
 * Lightnesses, those next to each other far apart, and of the first four any two, as most charts have no more. Between 0.57 and 0.59 neither
 * dark nor light text has enough contrast.
 */
const SHADES: readonly number[] = [0.3, 0.64, 0.44, 0.78, 0.37, 0.71, 0.51, 0.745, 0.335, 0.605, 0.405, 0.675];
/** A light shade and the dark one that stands for it in the other theme. */
const BOTH = 1.16;
/** Slate: plain greys are other work, and idle time. */
const CHROMA = 0.03;
const HUE = 255;

/** The shade at a place, the first farthest from the ground, and the colour of text on it. After the last the first comes again. */
export function shadeLook(place: number, theme: Theme): { readonly fill: string; readonly text: string } {
  const lightness = SHADES[place % SHADES.length]!;
  const fill = oklch(theme === "light" ? lightness : BOTH - lightness, CHROMA, HUE);
  return { fill: cssColor(fill), text: textOn(fill) };
}
