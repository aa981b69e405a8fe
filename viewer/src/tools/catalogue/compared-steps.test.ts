import { expect, test } from "vitest";
import { comparedSteps, withCompared } from "./compared-steps";

const RUN = { kind: "run" } as const;

test("what is written is read again, and other fields stay", () => {
  const big = 999_999_999_999_999_999n;
  for (const compared of [null, { first: 9n, second: null }, { first: 9n, second: big }]) {
    const texts = withCompared({ limit: "5", compare_step: "1", against_step: "2" }, compared);
    expect(comparedSteps(texts, RUN)).toEqual(compared);
    expect(texts.limit).toBe("5");
  }
  expect(withCompared({ compare_step: "9", against_step: "5" }, null)).toEqual({});
});

test("what is malformed compares nothing, others are no second step, and a range of one step is the first", () => {
  expect(comparedSteps({ compare_step: "x" }, RUN)).toBeNull();
  expect(comparedSteps({ compare_step: "9", against_step: "others" }, RUN)).toEqual({ first: 9n, second: null });
  expect(comparedSteps({ against_step: "5" }, RUN)).toBeNull();
  const range = { kind: "steps", first: 9n, last: 9n } as const;
  expect(comparedSteps({ against_step: "5" }, range)).toEqual({ first: 9n, second: 5n });
  expect(comparedSteps({}, range)).toBeNull();
});
