import { type TimeBase, type TimeFormat, ticks, type View } from "@tilescope/client";
import { describe, expect, test } from "vitest";
import { timeAxis } from "./axis";

const PS: TimeBase = { tickPs: 1, originNs: 1_769_853_600_000_000_000n };
const NS: TimeBase = { tickPs: 1000, originNs: 1_769_853_600_500_000_000n };

function axis(start: bigint, ticksPerPx: number, base = PS, format: TimeFormat = "relative") {
  const view: View = { startTicks: ticks(start), startFraction: 0, ticksPerPx, widthPx: 1000 };
  const result = timeAxis(view, base, format);
  const clean = (text: string): string => text.replaceAll("\u202f", " ");
  const anchors = result.marks.filter((mark) => mark.isAnchor).map((mark) => clean(mark.label));
  return { ...result, anchor: clean(result.anchor), anchors, labels: result.marks.map((mark) => clean(mark.label)) };
}

describe("relative time", () => {
  test("near the origin labels are complete", () => {
    const { anchor, labels, stepTicks } = axis(0n, 1000);
    expect(anchor).toBe("");
    expect(stepTicks).toBe(100_000n);
    expect(labels).toEqual([
      "0 ns",
      "100 ns",
      "200 ns",
      "300 ns",
      "400 ns",
      "500 ns",
      "600 ns",
      "700 ns",
      "800 ns",
      "900 ns",
      "1 µs",
    ]);
  });

  test("a label is in the unit of what it says", () => {
    expect(axis(0n, 5_000_000).labels).toEqual([
      "0 µs",
      "500 µs",
      "1 ms",
      "1.5 ms",
      "2 ms",
      "2.5 ms",
      "3 ms",
      "3.5 ms",
      "4 ms",
      "4.5 ms",
      "5 ms",
    ]);
    expect(axis(43_000_000_000_000n, 1_500_000_000).labels.slice(0, 5)).toEqual([
      "43 s",
      "43.2 s",
      "43.4 s",
      "43.6 s",
      "43.8 s",
    ]);
    expect(axis(43_000_000_000_000n, 10_000_000).labels.slice(0, 3)).toEqual(["43 s", "43.001 s", "43.002 s"]);
  });

  test("far away what labels share is said once, and where it changes", () => {
    const { anchor, labels, anchors } = axis(1_234_567_890_123n, 1000);
    expect(anchor).toBe("1.234 567 s");
    expect(labels.slice(0, 4)).toEqual(["+900 ns", "1.234 568 s", "+100 ns", "+200 ns"]);
    expect(anchors).toEqual(["1.234 568 s"]);
  });

  test("beyond a minute too", () => {
    const { anchor, labels } = axis(103_950_000_000_000n, 1_000_000_000);
    expect(anchor).toBe("1 min 43 s");
    expect(labels.slice(0, 3)).toEqual(["1 min 44 s", "+100 ms", "+200 ms"]);
    expect(axis(60_000_000_000_000n, 1_000_000_000).anchor).toBe("1 min");
  });

  test("minutes and hours count in sixties", () => {
    expect(axis(0n, 1e12).labels.slice(0, 3)).toEqual(["0 s", "2 min", "4 min"]);
    expect(axis(0n, 4e11).labels.slice(0, 3)).toEqual(["0 s", "1 min", "2 min"]);
    expect(axis(0n, 40e12).labels.slice(0, 3)).toEqual(["0 s", "1 h", "2 h"]);
    expect(axis(0n, 1e15).labels.slice(1, 3)).toEqual(["48 h", "96 h"]);
  });

  test("a step is never less than a tick", () => {
    expect(axis(5n, 0.01, NS).stepTicks).toBe(1n);
    expect(axis(5n, 0.01, NS).labels).toContain("6 ns");
  });

  test("marks before the origin count backwards", () => {
    expect(axis(-200n, 1).labels).toEqual([
      "-200 ps",
      "-100 ps",
      "0 ps",
      "100 ps",
      "200 ps",
      "300 ps",
      "400 ps",
      "500 ps",
      "600 ps",
      "700 ps",
      "800 ps",
    ]);
  });
});

test("ticks of the trace are written as they are", () => {
  expect(axis(12_345_678n, 10, PS, "ticks").labels.slice(0, 2)).toEqual(["12,346,000", "12,347,000"]);
});

describe("UTC", () => {
  test("marks stand on round wall-clock times", () => {
    const { anchor, labels } = axis(0n, 20_000_000, NS, "utc");
    expect(anchor).toBe("2026-01-31");
    expect(labels.slice(0, 3)).toEqual(["10:00:02", "10:00:04", "10:00:06"]);
  });

  test("below a second they count from a whole unit", () => {
    const { anchor, labels } = axis(0n, 2000, NS, "utc");
    expect(anchor).toBe("2026-01-31 10:00:00.500");
    expect(labels.slice(0, 2)).toEqual(["2026-01-31 10:00:00.500", "+200 µs"]);
  });
});

test("no two labels of an axis are the same, and none is long, wherever one looks", () => {
  for (let scale = 0.01; scale < 1e14; scale *= 2.3) {
    for (let start = 0n; start < 10n ** 17n; start = 7n * start + 1n) {
      const { labels, marks } = axis(start, scale);
      const groups = marks.map((_, k) => marks.slice(0, k + 1).filter((mark) => mark.isAnchor).length);
      expect(new Set(labels.map((label, k) => `${groups[k]} ${label}`)).size).toBe(labels.length);
      for (const [k, label] of labels.entries()) {
        expect(marks[k]!.isAnchor || /^-?[+]?\d{1,3}([.]\d{1,3})? [a-zµ]+$/.test(label) || scale > 5e9, label).toBe(
          true,
        );
      }
    }
  }
});

test("marks keep their distance at any zoom", () => {
  for (let scale = 0.01; scale < 1e16; scale *= 1.7) {
    const { marks } = axis(123_456_789n, scale);
    expect(marks.length).toBeLessThan(13);
    expect(marks.length).toBeGreaterThan(scale < 0.02 ? 0 : 2);
    marks.slice(1).forEach((mark, k) => {
      expect(mark.xPx - marks[k]!.xPx).toBeGreaterThanOrEqual(89.999);
    });
  }
});

test("times count from the zero of the base, also where an outlier lies long before it", () => {
  const zeroTicks = 1_795_757_293_939_837_500n;
  const { anchor, labels } = axis(zeroTicks, 5000, { ...NS, zeroTicks });
  expect(anchor).toBe("");
  expect(labels.slice(0, 3)).toEqual(["0 µs", "500 µs", "1 ms"]);
});
