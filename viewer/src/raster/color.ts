/** Colour arithmetic: OKLCH to sRGB, and contrast as WCAG 2 defines it. */

/** Red, green and blue, each 0 to 255. */
export interface Rgb {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/**
 * The sRGB colour of a lightness (0 to 1), chroma (0 to about 0.3) and hue (degrees) in OKLCH, where equal steps look
 * equally large. Chroma is lowered until the colour exists in sRGB.
 */
export function oklch(lightness: number, chroma: number, hue: number): Rgb {
  for (let c = chroma; c > 0; c -= 0.005) {
    const linear = oklabToLinear(lightness, c * Math.cos((hue * Math.PI) / 180), c * Math.sin((hue * Math.PI) / 180));
    if (linear.every((value) => value >= -0.0005 && value <= 1.0005)) {
      return toRgb(linear);
    }
  }
  return toRgb(oklabToLinear(lightness, 0, 0));
}

/** Relative luminance, 0 (black) to 1 (white). */
export function luminance({ r, g, b }: Rgb): number {
  const linear = (value: number): number => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

/** 1 (equal) to 21 (black on white). */
export function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

export function cssColor({ r, g, b }: Rgb): string {
  return `#${((r << 16) | (g << 8) | b).toString(16).padStart(6, "0")}`;
}

/** The inverse of OKLab's two matrices and cube, after its author's published coefficients. */
function oklabToLinear(lightness: number, a: number, b: number): [number, number, number] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function toRgb(linear: readonly [number, number, number]): Rgb {
  const [r, g, b] = linear.map((value) => {
    const part = Math.min(1, Math.max(0, value));
    return Math.round(255 * (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055));
  }) as [number, number, number];
  return { r, g, b };
}
