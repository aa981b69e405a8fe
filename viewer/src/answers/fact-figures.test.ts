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

test("durations are rounded once, from the exact one, and what is less than the last digit is said to be", () => {
  expect(texts(fact("ticks", "124989229375"), fact("ticks", "12549000000"), fact("ticks", "-1049000000"))).toEqual([
    "125.0 ms",
    "12.5 ms",
    "-1.0 ms",
  ]);
  expect(texts(fact("fraction", 0.5), fact("fraction", -0.0001))).toEqual(["50.0 %", "-<0.1 %"]);
});

test("long durations are as people say them", () => {
  expect(
    texts(fact("ticks", "90000000000000"), fact("ticks", "11100000000000000"), fact("ticks", "1500000000000")),
  ).toEqual(["1 min 30 s", "3 h 5 min", "1.500 s"]);
});

test("a unit of its own has digits of its own, and others are as they are", () => {
  expect(texts(fact("ticks", "1234567890"), fact("ticks", "12345678"), fact("count", "1234"))).toEqual([
    "1.235 ms",
    "12.35 µs",
    "1,234",
  ]);
  expect(texts(fact("fraction", 0), fact("fraction", null), fact("fraction", 0.5))).toEqual(["0.0 %", "–", "50.0 %"]);
  expect(texts(fact("text", "TPU v6"))).toEqual(["TPU v6"]);
});
