/** Cells as pixels: lightness for how busy, orange for behind the others. Pure. */

import { oklch, type Rgb } from "../../raster/color";
import { HUES, type Theme } from "../../raster/palette";
import type { Layer } from "./layer";

/** Colours by hundredths, as bytes of red, green and blue. */
export interface MapPalette {
  readonly busy: readonly Rgb[];
  readonly late: readonly Rgb[];
}

const TONES = {
  light: { busy: [0.97, 0.42], late: [0.8, 0.62] },
  dark: { busy: [0.24, 0.9], late: [0.5, 0.75] },
} as const;

export function mapPalette(theme: Theme): MapPalette {
  const scale = (tones: readonly [number, number], hue: number, chroma: readonly [number, number]): Rgb[] =>
    Array.from({ length: 101 }, (_, part) =>
      oklch(tones[0] + ((tones[1] - tones[0]) * part) / 100, chroma[0] + (chroma[1] * part) / 100, hue),
    );
  const { busy, late } = TONES[theme];
  return { busy: scale(busy, HUES[0]!, [0.03, 0.1]), late: scale(late, HUES[1]!, [0.13, 0.03]) };
}

/** Pixels of some rows of a layer, `each` neighbours as one: their mean busy part, by lanes, and the greatest lateness. */
export function mapPixels(layer: Layer, rows: readonly number[], each: number, palette: MapPalette): Uint8ClampedArray {
  const { columns, busy, late } = layer;
  const height = Math.ceil(rows.length / each);
  const pixels = new Uint8ClampedArray(4 * columns * height);
  const sums = new Float64Array(columns);
  const latest = new Uint8Array(columns);
  for (let y = 0; y < height; y++) {
    sums.fill(0);
    latest.fill(0);
    let lanes = 0;
    for (const row of rows.slice(y * each, (y + 1) * each)) {
      const weight = layer.rows[row]!.lanes;
      lanes += weight;
      for (let k = 0, cell = row * columns; k < columns; k++, cell++) {
        sums[k]! += weight * busy[cell]!;
        latest[k] = Math.max(latest[k]!, late[cell]!);
      }
    }
    for (let k = 0, offset = 4 * y * columns; k < columns; k++, offset += 4) {
      const color =
        latest[k]! > 0 ? palette.late[latest[k]!]! : palette.busy[Math.round(sums[k]! / Math.max(1, lanes))]!;
      pixels[offset] = color.r;
      pixels[offset + 1] = color.g;
      pixels[offset + 2] = color.b;
      pixels[offset + 3] = 255;
    }
  }
  return pixels;
}
