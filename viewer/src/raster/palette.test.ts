import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { contrast, cssColor, luminance, oklch, type Rgb } from "./color";
import { ColorTable, hash, stem, type Theme } from "./palette";

const names = Array.from({ length: 400 }, (_, k) => ({ name: `op_${k}`, category: `category ${k % 40}` }));

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

describe.each<Theme>(["light", "dark"])("%s colours", (theme) => {
  const table = new ColorTable(theme);
  table.set(0, names);

  test("text has a contrast of at least 4.5:1 on every event", () => {
    for (let id = 0; id <= names.length; id++) {
      expect(contrast(rgb(table.css(id)), rgb(table.text(id)))).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each(["--ground", "--panel"])("every hue and tone has a contrast of at least 3:1 on %s", (name) => {
    const background = rgb(token(theme, name));
    const shown = names.map((_, id) => table.css(id));
    expect(new Set(shown).size).toBe(40);
    for (const color of [...shown, table.css(names.length)]) {
      expect(contrast(rgb(color), background)).toBeGreaterThanOrEqual(3);
    }
  });

  test.each(["--ground", "--panel"])(
    "where two colours share a pixel, as in headers of groups, it has 3:1 on %s",
    (name) => {
      const background = rgb(token(theme, name));
      const shown = [...new Set(names.map((_, id) => table.css(id)))].map(rgb);
      for (const color of shown) {
        for (const other of shown) {
          for (const part of [0.25, 0.5, 0.75]) {
            const mix = (a: number, b: number) => Math.round(part * a + (1 - part) * b);
            const pixel = { r: mix(color.r, other.r), g: mix(color.g, other.g), b: mix(color.b, other.b) };
            expect(contrast(pixel, background)).toBeGreaterThanOrEqual(3);
          }
        }
      }
    },
  );

  test("many different ones, and the packed form is the same colour", () => {
    expect(new Set(names.map((_, id) => table.css(id))).size).toBeGreaterThan(25);
    const { r, g, b } = rgb(table.css(7));
    expect(table.table[7]).toBe(r | (g << 8) | (b << 16));
  });

  test("names of one category share the hue, and differ in lightness", () => {
    const same = new ColorTable(theme);
    same.set(
      0,
      [1, 2, 3, 4, 5, 6, 7].map((k) => ({ name: `n${k}`, category: "hlo" })),
    );
    const shades = new Set([0, 1, 2, 3, 4, 5, 6].map((id) => same.css(id)));
    expect(shades.size).toBeGreaterThan(1);
    expect(shades.size).toBeLessThanOrEqual(5);
  });
});

test("the same name has the same colour under another id; what has not arrived is grey", () => {
  const [first, second] = [new ColorTable("dark"), new ColorTable("dark")];
  first.set(0, [{ name: "fusion.1", category: "" }]);
  second.set(5000, [{ name: "fusion.1", category: "" }]);
  expect(second.css(5000)).toBe(first.css(0));
  const grey = rgb(second.css(17));
  expect(grey.r === grey.g && grey.g === grey.b).toBe(true);
  expect(second.table[17]).toBe(second.neutral);
});

test("the first families of the order have a hue each, whatever they are called", () => {
  const order = Array.from({ length: 8 }, (_, k) => `category ${k}`);
  const table = new ColorTable("light", order);
  // The same name throughout: the same lightness.
  table.set(
    0,
    order.map((category) => ({ name: "n", category })),
  );
  expect(new Set(order.map((_, id) => table.css(id))).size).toBe(8);
  const turned = new ColorTable("light", order.toReversed());
  turned.set(0, [{ name: "n", category: "category 7" }]);
  expect(turned.css(0)).toBe(table.css(0));
});

test("families of names", () => {
  expect(["fusion.123", "jit_step(42)", "%add.1 = f32[]", "void gemm<float>(int)", "42", "::name"].map(stem)).toEqual([
    "fusion",
    "jit_step",
    "%add",
    "void",
    "",
    "::name",
  ]);
});

test("the hash spreads numbered names evenly", () => {
  const counts = new Array<number>(8).fill(0);
  for (let k = 0; k < 8000; k++) {
    counts[hash(`fusion.${k}`) % 8]! += 1;
  }
  expect(Math.min(...counts)).toBeGreaterThan(850);
  expect(Math.max(...counts)).toBeLessThan(1150);
});
