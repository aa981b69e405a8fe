import { ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { formatRate, measureText, spanOf } from "./timing";

it("writes how often a second has a duration", () => {
  expect(formatRate(1_000_000_000n, 1)).toBe("1 kHz");
  expect(formatRate(3_000_000n, 1000)).toBe("333.3 Hz");
  expect(formatRate(1n, 1)).toBe("1 THz");
  expect(formatRate(3n, 1)).toBe("333.3 GHz");
  expect(formatRate(1_500_000_000_000n, 1)).toBe("666.7 mHz");
  expect(formatRate(7_200_000_000_000n, 1000)).toBe("0.139 mHz");
});

it("measures between two points, whichever comes first", () => {
  const span = spanOf(ticks(2_250_000n), ticks(1_000_000n));
  expect(span).toEqual({ startTicks: 1_000_000n, endTicks: 2_250_000n });
  expect(measureText(span, 1000)).toBe("1.25 ms · 800 Hz");
  expect(measureText(spanOf(ticks(5), ticks(5)), 1)).toBe("0 s");
});
