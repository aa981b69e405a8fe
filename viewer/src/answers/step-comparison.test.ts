import { expect, test } from "vitest";
import { letterOf, picked, pickHint } from "./step-comparison";

test("the first step that is picked is A, the next one B, and a third begins anew", () => {
  const first = picked(null, 9n);
  expect(first).toEqual({ first: 9n, second: null });
  const both = picked(first, 5n);
  expect(both).toEqual({ first: 9n, second: 5n });
  expect([9n, 5n, 7n].map((step) => letterOf(both, step))).toEqual(["A", "B", ""]);
  expect(picked(both, 7n)).toEqual({ first: 7n, second: null });
});

test("a step that is picked again is taken away", () => {
  expect(picked({ first: 9n, second: null }, 9n)).toBeNull();
  expect(picked({ first: 9n, second: 5n }, 9n)).toEqual({ first: 5n, second: null });
  expect(picked({ first: 9n, second: 5n }, 5n)).toEqual({ first: 9n, second: null });
});

test("hints say what a click would do", () => {
  expect(pickHint(null, 9n)).toContain("compare with others");
  expect(pickHint({ first: 9n, second: null }, 5n)).toContain("with step 9");
  expect(pickHint({ first: 9n, second: null }, 9n)).toContain("stop comparing");
  expect(pickHint({ first: 9n, second: 5n }, 7n)).toContain("instead");
});
