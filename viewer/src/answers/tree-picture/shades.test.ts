import { expect, test } from "vitest";
import { contrast, luminance, type Rgb } from "../../raster/color";
import { column, table } from "../test-tables";
import { NameColors, RowNames } from "./names";
import { shadeLook } from "./shades";

function rgbOf(css: string): Rgb {
  const value = Number.parseInt(css.slice(1), 16);
  return { r: value >> 16, g: (value >> 8) & 255, b: value & 255 };
}

test.each(["light", "dark"] as const)("in a %s theme shades differ, bear text, and have next to no hue", (theme) => {
  const looks = Array.from({ length: 12 }, (_, place) => shadeLook(place, theme));
  expect(new Set(looks.map(({ fill }) => fill)).size).toBe(12);
  for (const { fill, text } of looks) {
    const { r, g, b } = rgbOf(fill);
    expect(contrast(rgbOf(text), rgbOf(fill))).toBeGreaterThanOrEqual(4.5);
    expect(Math.max(r, g, b) - Math.min(r, g, b)).toBeLessThan(40);
  }
  expect(shadeLook(12, theme)).toEqual(looks[0]);
  const distance = (a: number, b: number) => {
    const [from, to] = [a, b].map((place) => Math.cbrt(luminance(rgbOf(shadeLook(place, theme).fill))));
    return Math.abs(from! - to!);
  };
  for (let place = 0; place < 12; place++) {
    expect(distance(place, place + 1)).toBeGreaterThan(0.17);
  }
  for (const [a, b] of [0, 1, 2, 3].flatMap((a) => [0, 1, 2, 3].slice(a + 1).map((b) => [a, b] as const))) {
    expect(distance(a, b)).toBeGreaterThan(0.12);
  }
});

test("reasons have shades in the order in which they are drawn, and names of events have none", () => {
  const reasons = ["the next batch", "compilation", "the next batch"];
  const colors = new NameColors(new RowNames(table([column("reason", "text", reasons)])), "light");
  expect([1, 0, 1].map((number) => colors.colorsOf(number))).toEqual(
    [0, 1, 0].map((place) => shadeLook(place, "light")),
  );
  const names = new NameColors(new RowNames(table([column("name", "name", ["cudaMalloc"])])), "light");
  expect(names.colorsOf(0)).not.toEqual(shadeLook(0, "light"));
});
