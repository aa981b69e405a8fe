import { Random } from "@tilescope/client/testing/random";
import { describe, expect, test } from "vitest";
import { elide, measureGlyphs, textWidthPx } from "./text";

const glyphs = measureGlyphs((text) => ("il.".includes(text) ? 4 : text > "~" ? 12 : 8));

test("widths add up, characters beyond ASCII are as wide as the widest", () => {
  expect(textWidthPx("fusion.1", glyphs)).toBe(8 * 6 + 4 * 2);
  expect(textWidthPx("µs", glyphs)).toBe(12 + 8);
  expect(textWidthPx("", glyphs)).toBe(0);
});

describe("elide", () => {
  test("leaves what fits", () => {
    expect(elide("fusion", 44, glyphs)).toBe("fusion");
  });

  test("keeps both ends", () => {
    expect(elide("jit_train_step/transformer/fusion.12", 120, glyphs)).toBe("jit_train_…on.12");
  });

  test("gives up below three characters", () => {
    expect(elide("abcdefgh", 12 + 16, glyphs)).toBe("");
    expect(elide("abcdefgh", 12 + 24, glyphs)).toBe("ab…h");
  });

  test("never cuts a character in two", () => {
    for (let width = 0; width < 200; width++) {
      expect(elide("😀😀😀😀😀😀😀😀😀😀", width, glyphs)).not.toMatch(
        /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/,
      );
    }
  });

  test("never is wider than it may be", () => {
    const random = new Random(8);
    for (let round = 0; round < 500; round++) {
      const text = Array.from({ length: random.below(700) }, () => random.pick([..."ilmnop._/12"])).join("");
      const width = random.below(400);
      expect(textWidthPx(elide(text, width, glyphs), glyphs)).toBeLessThanOrEqual(width);
    }
  });
});
