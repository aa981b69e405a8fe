import { fit, type Ticks, ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import type { CanvasTheme } from "../timeline/canvas-theme";
import type { Picture } from "../timeline/picture";
import { paintMeasured, paintMeasuredOnAxis } from "./paint-timing";
import { spanOf } from "./timing";

const VIEW = fit(spanOf(ticks(1_000_000n), ticks(2_000_000n)), 1000);

/** Texts, and where each begins, of a canvas whose letters are 6 px wide. */
function drawn(paint: (context: CanvasRenderingContext2D) => void): readonly (readonly [string, number])[] {
  const texts: [string, number][] = [];
  const methods: Record<string, unknown> = {
    fillText: (text: string, xPx: number) => texts.push([text, xPx]),
    measureText: (text: string) => ({ width: 6 * text.length }),
  };
  const target = new Proxy(methods, { get: (own, name) => own[String(name)] ?? (() => undefined) });
  paint(target as unknown as CanvasRenderingContext2D);
  return texts;
}

function lengths(from: Ticks, to: Ticks) {
  const range = spanOf(from, to);
  const picture = { view: VIEW, heightPx: 300 } as Picture;
  const theme = {} as CanvasTheme;
  return {
    axis: drawn((context) => paintMeasuredOnAxis(context, VIEW, range, 28, 1000, theme)),
    tracks: drawn((context) => paintMeasured(context, picture, { range, yPx: 100 }, 1000, theme)),
  };
}

it("writes the length at the axis too, in the middle of the interval or beside a short one", () => {
  const { axis, tracks } = lengths(ticks(1_200_000n), ticks(1_600_000n));
  expect(axis).toEqual([["400 µs", 400 - 26 + 8]]);
  expect(tracks.map(([text]) => text)).toEqual(["400 µs · 2.5 kHz"]);
  expect(lengths(ticks(1_200_000n), ticks(1_210_000n)).axis).toEqual([["10 µs", 210 + 8 + 8]]);
});

it("writes nothing of an interval that is not on the screen", () => {
  for (const [from, to] of [
    [100_000n, 900_000n],
    [2_100_000n, 2_200_000n],
  ] as const) {
    expect(lengths(ticks(from), ticks(to))).toEqual({ axis: [], tracks: [] });
  }
});
