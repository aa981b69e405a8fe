import { expect, it } from "vitest";
import { dockIn } from "./dock";

const SIZES = { bottom: 300, right: 420 };

it("gives each side its own size", () => {
  const area = { widthPx: 1600, heightPx: 800 };
  expect(dockIn(area, "bottom", SIZES)).toMatchObject({ side: "bottom", sizePx: 300 });
  expect(dockIn(area, "right", SIZES)).toMatchObject({ side: "right", sizePx: 420 });
});

it("goes by the window until a size is chosen", () => {
  const heights = [900, 800, 600, 1400, 200].map(
    (heightPx) => dockIn({ widthPx: 1600, heightPx }, "bottom", { bottom: null, right: 420 }).sizePx,
  );
  expect(heights).toEqual([414, 368, 276, 420, 120]);
});

it("leaves room for the timeline", () => {
  const wide = { bottom: 5000, right: 5000 };
  for (const area of [
    { widthPx: 1280, heightPx: 650 },
    { widthPx: 800, heightPx: 500 },
  ]) {
    expect(area.heightPx - dockIn(area, "bottom", wide).sizePx).toBeGreaterThanOrEqual(150);
    expect(area.widthPx - dockIn(area, "right", wide).sizePx).toBeGreaterThanOrEqual(380);
  }
});

it("is below where there is no room beside it, and never smaller than it can be read", () => {
  expect(dockIn({ widthPx: 480, heightPx: 600 }, "right", SIZES)).toMatchObject({ side: "bottom", sizePx: 300 });
  expect(dockIn({ widthPx: 480, heightPx: 200 }, "bottom", SIZES)).toEqual({
    side: "bottom",
    canChange: false,
    sizePx: 120,
    limits: { min: 120, max: 120 },
  });
});
