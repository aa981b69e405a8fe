import { expect, test } from "vitest";
import { tagMiddle, tagTop } from "./paint-overlay";

test("the length of an area stands in the middle of what is seen of it, and not where no edge is", () => {
  expect(tagMiddle(1000, 200, 400)).toBe(300);
  expect(tagMiddle(1000, -4, 400)).toBe(200);
  expect(tagMiddle(1000, 600, 1004)).toBe(800);
  expect(tagMiddle(1000, -4, 1004)).toBeNull();
});

test("it stands on the header above, where that is next to its tracks, and not on their names", () => {
  const headers = [{ topPx: 60, heightPx: 26, isSticky: false, isPinned: false }];
  expect(tagTop({ headers }, 86)).toBe(63);
  expect(tagTop({ headers }, 150)).toBe(150);
});
