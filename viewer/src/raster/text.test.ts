import { Random } from "@tilescope/client/testing/random";
import { describe, expect, test } from "vitest";
import { elide, elideName, measureGlyphs, textWidthPx } from "./text";

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

  test("keeps the beginning, and the number at the end where there is room for both", () => {
    const name = "jit_train_step/transformer/fusion.12";
    expect(elide(name, 120, glyphs)).toBe("jit_train_st….12");
    expect(elide(name, 80, glyphs)).toBe("jit_train…");
    expect(elide("loss_and_gradients", 60, glyphs)).toBe("loss_a…");
    expect(elide("ProfilerStep#103", 110, glyphs)).toBe("ProfilerS…#103");
    expect(elide("Iteration 1234567890123", 120, glyphs)).toBe("Iteration 1234…");
  });

  test("drops the hash of a program first", () => {
    const name = "jit_train_step(1234567890123)";
    expect(elide(name, 240, glyphs)).toBe(name);
    expect(elide(name, 200, glyphs)).toBe("jit_train_step");
    expect(elide(name, 108, glyphs)).toBe("jit_train_step");
    expect(elide(name, 80, glyphs)).toBe("jit_train…");
    expect(elide("f(12)", 30, glyphs)).toBe("");
    expect(elide("(1234567890123)", 60, glyphs)).toBe("(12345…");
  });

  test("shortens by meaning first, and keeps what tells a name from its like", () => {
    const name = "void at::native::vectorized_elementwise_kernel<4, copy>(int)";
    const form = { head: "vectorized_elementwise_kernel", tail: "…copy" };
    const short = (roomPx: number) => elideName(name, form, roomPx, glyphs);
    expect(short(textWidthPx(name, glyphs))).toBe(name);
    expect(short(textWidthPx("vectorized_elementwise_kernel…copy", glyphs))).toBe("vectorized_elementwise_kernel…copy");
    expect(short(120)).toBe("vectorized…copy");
    expect(short(68)).toBe("vec…copy");
    expect(short(60)).toBe("vector…");
    expect(elideName("fusion.2711", { head: "fusion", tail: ".2711" }, 76, glyphs)).toBe("fusi….2711");
    expect(elideName(name, undefined, 60, glyphs)).toBe("void a…");
  });

  test("gives up below three characters", () => {
    expect(elide("abcdefgh", 12 + 16, glyphs)).toBe("");
    expect(elide("abcdefgh", 12 + 24, glyphs)).toBe("abc…");
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

test("a step has its name, or its number, and never a part of that", () => {
  const form = { head: "", tail: "#1234" };
  const texts = Array.from({ length: 160 }, (_, px) => elideName("ProfilerStep#1234", form, px, glyphs));
  expect([...new Set(texts)]).toEqual(["", "#1234", "ProfilerStep#1234"]);
  expect(texts.indexOf("#1234")).toBe(textWidthPx("#1234", glyphs));
});

test("other scripts are measured once, where a text has them: the first picture of most runs has none", () => {
  const measured: string[] = [];
  const glyphs = measureGlyphs((text) => {
    measured.push(text);
    return text === "漢" ? 12 : 7;
  });
  expect(textWidthPx("fusion.12…", glyphs)).toBe(70);
  expect(measured).not.toContain("漢");
  expect(textWidthPx("卷积 x", glyphs)).toBe(38);
  expect(measured.filter((text) => text === "漢")).toEqual(["漢"]);
});
