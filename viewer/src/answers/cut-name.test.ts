import { expect, test } from "vitest";
import { partsOf } from "./cut-name";

const ROOM_PX = 220;

test("a name that fits is left as it is", () => {
  expect(partsOf("fusion.12", 10)).toEqual({ start: "", rest: "fusion.12", end: "" });
  expect(partsOf("x".repeat(31), ROOM_PX)).toEqual({ start: "", rest: "x".repeat(31), end: "" });
});

test("of a signature the function stays", () => {
  const name = "void at::native::vectorized_elementwise_kernel<4, at::native::F<float> >(int, float*)";
  expect(partsOf(name, ROOM_PX)).toEqual({
    start: "void at::native::",
    rest: "vectorized_elementwise_kernel<4, at::native::F<float> >(int, float*)",
    end: "",
  });
});

test("of other names the end stays", () => {
  expect(partsOf("nvjet_sm90_tst_128x128_64x6_2x1_v_bz_NNT", ROOM_PX)).toEqual({
    start: "",
    rest: "nvjet_sm90_tst_128x128_64x6_2x",
    end: "1_v_bz_NNT",
  });
});

test.each(["()", "f()>", "(a)b)", "::>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>", "\u{1f600}".repeat(40)])(
  "nothing of %s is lost",
  (text) => {
    const { start, rest, end } = partsOf(text, 20);
    expect(start + rest + end).toBe(text);
  },
);
