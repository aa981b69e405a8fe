import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { contrast, cssColor, luminance, oklch, type Rgb } from "./color";
import { meaningOf } from "./event-meaning";
import { MEANINGS } from "./meaning";
import { type ColorBy, ColorTable, durationColors, hash, meaningColor, type Theme } from "./palette";

/** A name and a category for each kind of work. */
const EVENTS: Readonly<Record<(typeof MEANINGS)[number], readonly [category: string, stem: string]>> = {
  other: ["user_annotation", "step"],
  compute: ["kernel", "gemm"],
  collective: ["kernel", "ncclKernel"],
  copy: ["gpu_memcpy", "Memcpy"],
  launch: ["cuda_runtime", "call"],
  input: ["python_function", "DataLoader"],
  operator: ["cpu_op", "aten::op"],
  python: ["python_function", "f"],
  memory: ["gpu_memset", "Memset"],
};

/** Many names of each kind, in the order of the kinds: all variants of its colour. */
const NAMES_EACH = 100;
const names = MEANINGS.flatMap((meaning) => {
  const [category, stem] = EVENTS[meaning];
  return Array.from({ length: NAMES_EACH }, (_, k) => ({ name: `${stem} ${k}`, category }));
});

function tableOf(theme: Theme, by: ColorBy = "meaning"): ColorTable {
  const table = new ColorTable({ theme, by, only: null });
  table.set(0, names, meaningOf);
  return table;
}

function rgb(css: string): Rgb {
  const value = Number.parseInt(css.slice(1), 16);
  return { r: value >> 16, g: (value >> 8) & 255, b: value & 255 };
}

/** A colour of the style sheet, in a theme. */
function token(theme: Theme, name: string): string {
  const [light = "", dark = ""] = readFileSync(new URL("../styles/tokens.css", import.meta.url), "utf8").split(
    '[data-theme="dark"]',
  );
  const value = new RegExp(`${name}: (#[0-9a-f]{6});`).exec(theme === "light" ? light : dark)?.[1];
  if (value === undefined) {
    throw new Error(`the ${theme} theme has no colour ${name}`);
  }
  return value;
}

describe("color", () => {
  test("known values", () => {
    expect(oklch(1, 0, 0)).toEqual({ r: 255, g: 255, b: 255 });
    expect(oklch(0, 0, 0)).toEqual({ r: 0, g: 0, b: 0 });
    // The sRGB red in OKLCH, from the published conversion.
    const red = oklch(0.628, 0.2577, 29.23);
    expect([Math.abs(red.r - 255) < 4, red.g < 24, red.b < 24]).toEqual([true, true, true]);
    expect(contrast({ r: 0, g: 0, b: 0 }, { r: 255, g: 255, b: 255 })).toBeCloseTo(21);
    expect(luminance({ r: 128, g: 128, b: 128 })).toBeCloseTo(0.2159, 3);
    expect(cssColor({ r: 1, g: 171, b: 0 })).toBe("#01ab00");
  });
});

/**
 * Colours as people with a kind of colour blindness see them: matrices on linear RGB, after Machado, Oliveira and Fernandes (2009), for
 * complete blindness to one of three lights.
 */
const SIGHTS: Readonly<Record<string, readonly number[]>> = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

/** The least distance of two kinds in OKLab, by whether all colours are seen; about 0.02 is just noticed. */
const LEAST_APART = {
  light: { normal: 0.05, blind: 0.035 },
  dark: { normal: 0.065, blind: 0.045 },
} as const;

/** A colour in OKLab as it is seen: distances there are about as large as they look. */
function seen({ r, g, b }: Rgb, sight: readonly number[]): readonly number[] {
  const light = [r, g, b].map((value) => (value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  const times = (matrix: readonly number[], v: readonly number[]) =>
    [0, 3, 6].map((row) => matrix[row]! * v[0]! + matrix[row + 1]! * v[1]! + matrix[row + 2]! * v[2]!);
  const shown = times(sight, light).map((value) => Math.min(1, Math.max(0, value)));
  const cones = times(
    [
      0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619, 0.2817188376,
      0.6299787005,
    ],
    shown,
  ).map(Math.cbrt);
  return times(
    [
      0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099, 0.0259040371, 0.7827717662,
      -0.808675766,
    ],
    cones,
  );
}

function distance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((value, k) => value - b[k]!));
}

/** The least distance of a colour of one list to one of the other. */
function gap(colors: readonly Rgb[], others: readonly Rgb[], sight: readonly number[]): number {
  const seenOthers = others.map((color) => seen(color, sight));
  return Math.min(...colors.flatMap((color) => seenOthers.map((other) => distance(seen(color, sight), other))));
}

describe.each<Theme>(["light", "dark"])("%s colours", (theme) => {
  const table = tableOf(theme);
  const all = [...new Set(names.map((_, id) => table.css(id)))].map(rgb);
  /** Colours of each kind. */
  const kinds = MEANINGS.map((_, kind) => [
    ...new Set(Array.from({ length: NAMES_EACH }, (_, k) => table.css(kind * NAMES_EACH + k))),
  ]);

  test.each<ColorBy>(["meaning", "name", "duration"])(
    "text has a contrast of at least 4.5:1 on every event, by %s",
    (by) => {
      const own = tableOf(theme, by);
      const durations = durationColors(theme);
      for (let id = 0; id <= names.length; id++) {
        const ticks = 10 ** (id % 14);
        const fill = by === "duration" ? durations[own.stepOf(ticks)]! : own.css(id);
        expect(contrast(rgb(fill), rgb(own.text(id, ticks)))).toBeGreaterThanOrEqual(4.5);
      }
    },
  );

  test("so has the text on what is not chosen", () => {
    const own = new ColorTable({ theme, by: "meaning", only: new Set(["copy"]) });
    own.set(0, names, meaningOf);
    expect(new Set(names.map((_, id) => own.css(id))).size).toBe(1 + kinds[MEANINGS.indexOf("copy")]!.length);
    names.forEach((_, id) => {
      expect(contrast(rgb(own.css(id)), rgb(own.text(id, 1)))).toBeGreaterThanOrEqual(4.5);
    });
  });

  test.each(["--ground", "--panel"])("every colour has a contrast of at least 3:1 on %s", (name) => {
    const background = rgb(token(theme, name));
    for (const color of [...all, ...durationColors(theme).map(rgb), rgb(table.css(names.length))]) {
      expect(contrast(color, background)).toBeGreaterThanOrEqual(3);
    }
  });

  test.each(["--ground", "--panel"])(
    "where two colours share a pixel, as in headers of groups, it has 3:1 on %s",
    (name) => {
      const background = rgb(token(theme, name));
      for (const color of all) {
        for (const other of all) {
          for (const part of [0.25, 0.5, 0.75]) {
            const mix = (a: number, b: number) => Math.round(part * a + (1 - part) * b);
            const pixel = { r: mix(color.r, other.r), g: mix(color.g, other.g), b: mix(color.b, other.b) };
            if (contrast(pixel, background) < 3) {
              throw new Error(`${cssColor(color)} and ${cssColor(other)} are ${contrast(pixel, background)}:1`);
            }
          }
        }
      }
    },
  );

  test("none is nearly black", () => {
    for (const color of all) {
      expect(seen(color, SIGHTS.normal!)[0]).toBeGreaterThan(0.42);
    }
  });

  test("a kind has nine colours, which no other kind has", () => {
    expect(kinds.map((colors) => colors.length)).toEqual([3, ...new Array<number>(8).fill(9)]);
    expect(all.length).toBe(8 * 9 + 3);
    expect(kinds.every((colors, kind) => kind === 0 || colors.includes(meaningColor(MEANINGS[kind]!, theme)))).toBe(
      true,
    );
  });

  test.each(Object.entries(SIGHTS))("no colour of a kind looks like one of another: %s", (name, sight) => {
    const least = LEAST_APART[theme][name === "normal" ? "normal" : "blind"];
    for (const [k, colors] of kinds.entries()) {
      for (const [other, otherColors] of kinds.slice(0, k).entries()) {
        const apart = gap(colors.map(rgb), otherColors.map(rgb), sight);
        if (apart < least) {
          throw new Error(`${MEANINGS[k]} and ${MEANINGS[other]} are ${apart.toFixed(4)} apart`);
        }
      }
    }
  });

  test.each(Object.entries(SIGHTS))(
    "steps of lightness of a kind, and of durations, can be told apart: %s",
    (_, sight) => {
      for (const colors of kinds) {
        const levels = colors.map((css) => seen(rgb(css), sight)[0]!);
        expect(Math.max(...levels) - Math.min(...levels)).toBeGreaterThan(0.035);
      }
      const steps = durationColors(theme).map((css) => seen(rgb(css), sight));
      for (let step = 1; step < steps.length; step++) {
        expect(distance(steps[step]!, steps[step - 1]!)).toBeGreaterThan(0.02);
        // Lightness goes one way.
        expect((steps[step]![0]! - steps[step - 1]![0]!) * (theme === "light" ? -1 : 1)).toBeGreaterThan(0);
      }
    },
  );

  test("the packed form is the same colour", () => {
    const { r, g, b } = rgb(table.css(7));
    expect(table.table[7]).toBe(r | (g << 8) | (b << 16));
  });
});

test("a name has the same colour under another id, in another run; what has not arrived is grey", () => {
  const [first, second] = [tableOf("dark"), new ColorTable({ theme: "dark", by: "meaning", only: null })];
  second.set(5000, names.slice(200, 201), meaningOf);
  expect(second.css(5000)).toBe(first.css(200));
  const grey = rgb(second.css(17));
  expect(grey.r === grey.g && grey.g === grey.b).toBe(true);
  expect(second.table[17]).toBe(second.neutral);
});

test("the kinds of all names are known, whatever colours show", () => {
  for (const by of ["meaning", "name", "duration"] as const) {
    const table = new ColorTable({ theme: "light", by, only: null });
    table.set(0, [...names.slice(0, 1), ...names.slice(NAMES_EACH, NAMES_EACH + 1)], meaningOf);
    expect([...table.present]).toEqual(["other", "compute"]);
  }
});

test("durations are in decades from a microsecond on, whatever a tick is", () => {
  const stepsOf = (tickPs: number) => {
    const table = new ColorTable({ theme: "light", by: "duration", only: null }, tickPs);
    return [0, 0.5, 1, 9.9, 10, 5000, 1e6, 1e9].map((us) => table.stepOf((us * 1e6) / tickPs));
  };
  expect(stepsOf(1)).toEqual([0, 0, 1, 1, 2, 4, 7, 7]);
  expect(stepsOf(1000)).toEqual(stepsOf(1));
});

test("the hash spreads numbered names evenly", () => {
  const counts = new Array<number>(8).fill(0);
  for (let k = 0; k < 8000; k++) {
    counts[hash(`fusion.${k}`) % 8]! += 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(850);
  expect(Math.max(...counts)).toBeLessThan(1150);
});
