import type { TimeBase, ToolFact } from "@tilescope/client";
import { expect, test } from "vitest";
import { factFigures } from "./fact-figures";

const TIME: TimeBase = { tickPs: 1, originNs: 0n };

function fact(kind: ToolFact["kind"], value: ToolFact["value"]): ToolFact {
  return { id: `${kind} ${value}`, label: "", kind, value, note: "" };
}

const texts = (...facts: readonly ToolFact[]) =>
  factFigures(facts, TIME).map(({ digits, unit }) => `${digits} ${unit}`.trim());

test("durations of one unit have as many digits after the point, and so have shares", () => {
  const steps = ["124989229375", "2433037159", "121544406250"].map((ticks) => fact("ticks", ticks));
  expect(texts(...steps, fact("fraction", 0.27683), fact("fraction", 0.0339129), fact("fraction", 0.000136))).toEqual([
    "125.0 ms",
    "2.4 ms",
    "121.5 ms",
    "27.7 %",
    "3.4 %",
    "<0.1 %",
  ]);
});

test("a unit of its own has digits of its own, and others are as they are", () => {
  expect(texts(fact("ticks", "1234567890"), fact("ticks", "12345678"), fact("count", "1234"))).toEqual([
    "1.235 ms",
    "12.35 µs",
    "1\u202f234",
  ]);
  expect(texts(fact("fraction", 0), fact("fraction", null), fact("fraction", 0.5))).toEqual(["0.0 %", "–", "50.0 %"]);
  expect(texts(fact("text", "TPU v6"))).toEqual(["TPU v6"]);
});

test("durations of minutes and hours, which have no unit of their own, are as they are", () => {
  const seconds = (count: number) => fact("ticks", String(BigInt(count * 10) * 10n ** 11n));
  expect(texts(seconds(363.7), seconds(515.1), seconds(7261), seconds(59.5), seconds(2))).toEqual([
    "6 min 3.7 s",
    "8 min 35.1 s",
    "2 h 1 min",
    "59.50 s",
    "2.00 s",
  ]);
});
