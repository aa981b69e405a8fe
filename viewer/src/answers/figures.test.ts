import type { FigureKind, TimeBase } from "@tilescope/client";
import { expect, test } from "vitest";
import { approximate, exactText, type Figure, figureText, scaleOf } from "./figures";

const PS: TimeBase = { tickPs: 1, originNs: 0n };
const NS: TimeBase = { tickPs: 1000, originNs: 0n };

function shown(kind: FigureKind, values: readonly Figure[], unit = "", time = PS): readonly string[] {
  const scale = scaleOf(
    { kind, unit },
    values.map((value) => approximate(kind, value)),
    time,
  );
  return [scale.unit, ...values.map((value) => scale.text(value))];
}

test("the largest duration chooses the unit of all", () => {
  expect(shown("ticks", ["125034000000", "1000000", "999", "0", null])).toEqual([
    "ms",
    "125.034",
    "0.001",
    "<0.001",
    "0.000",
    "–",
  ]);
  expect(shown("ticks", ["3000", "12000"], "", NS)).toEqual(["µs", "3", "12"]);
  expect(shown("ticks", ["3", "12"], "", NS)).toEqual(["ns", "3", "12"]);
  expect(shown("ticks", ["-1500000"])).toEqual(["µs", "-1.5"]);
  expect(shown("ticks", ["0"])).toEqual(["s", "0"]);
  expect(shown("ticks", [])).toEqual(["s"]);
});

test("points in time are told apart, to the digit", () => {
  expect(shown("time", ["1000000001000", "1000000002000"])).toEqual(["s", "1.000000", "1.000000"]);
  expect(shown("time", ["2000001000", "2000002000"])).toEqual(["ms", "2.000001", "2.000002"]);
});

test("integers beyond doubles keep their last digit", () => {
  expect(shown("count", ["9223372036854775807"])[1]).toBe("9,223,372,036,854,775,807");
  expect(exactText({ kind: "bytes", unit: "" }, "18446744073709551617", PS)).toBe("18,446,744,073,709,551,617 B");
});

test.each<[FigureKind, string, readonly Figure[], readonly string[]]>([
  ["fraction", "", [0.4137, 0.00001, 0, null], ["%", "41.4", "<0.1", "0.0", "–"]],
  ["fraction", "", [0.9999, 1, 1.2], ["%", ">99.9", "100.0", "120.0"]],
  ["fraction", "", [0.02], ["%", "2.00"]],
  ["bytes", "", ["1234567", "12"], ["MB", "1.235", "<0.001"]],
  ["bytes", "", ["12"], ["B", "12"]],
  ["flops", "", [(2n ** 70n).toString()], ["ZFLOP", "1.181"]],
  ["rate", "1/s", [12345.6], ["k/s", "12.35"]],
  ["rate", "B/s", [8.5e11], ["GB/s", "850"]],
  ["rate", "GB/s", [1234.5], ["GB/s", "1,235"]],
  ["number", "", [0.5, 0.25], ["", "0.50", "0.25"]],
  ["number", "", [-3], ["", "-3"]],
  ["number", "", [1e-20], ["", "1.000e-20"]],
  ["flag", "", [true, false, null], ["", "yes", "no", "–"]],
  ["name", "", ["a", null], ["", "a", "–"]],
])("%s %s %j", (kind, unit, values, texts) => {
  expect(shown(kind, values, unit)).toEqual(texts);
});

test("a thousand of a unit is the next one, and rounding does not go beyond it", () => {
  expect(shown("bytes", ["1000"])).toEqual(["kB", "1"]);
  expect(shown("bytes", ["1000000"])).toEqual(["MB", "1"]);
  expect(shown("bytes", ["999"])).toEqual(["B", "999"]);
});

test("a fact has its own unit, and a dash where nothing was recorded", () => {
  expect(figureText({ kind: "ticks", unit: "" }, "12345678", PS)).toEqual({ digits: "12.35", unit: "µs" });
  expect(figureText({ kind: "time", unit: "" }, "49172848000", PS)).toEqual({ digits: "49.17", unit: "ms" });
  expect(figureText({ kind: "ticks", unit: "" }, "90000000000000", PS)).toEqual({ digits: "1 min 30 s", unit: "" });
  expect(figureText({ kind: "count", unit: "" }, "12345", PS)).toEqual({ digits: "12,345", unit: "" });
  expect(figureText({ kind: "rate", unit: "W" }, null, PS)).toEqual({ digits: "–", unit: "" });
  expect(figureText({ kind: "fraction", unit: "" }, Number.NaN, PS)).toEqual({ digits: "–", unit: "" });
});

test("exact texts have all digits", () => {
  expect(exactText({ kind: "ticks", unit: "" }, "12345678", PS)).toBe("12.345\u202f678 µs · 12,345,678 ticks");
  expect(exactText({ kind: "rate", unit: "W" }, 0.1, PS)).toBe("0.1 W");
  expect(exactText({ kind: "flag", unit: "" }, true, PS)).toBe("yes");
  expect(exactText({ kind: "count", unit: "" }, null, PS)).toBe("not recorded");
});

test("one of a unit that is a noun is written as one", () => {
  const times = { kind: "number", unit: "times" } as const;
  expect([1, 1.5, 16].map((value) => figureText(times, value, PS).unit)).toEqual(["time", "times", "times"]);
  expect([1, 1.5, 16].map((value) => exactText(times, value, PS))).toEqual(["1 time", "1.5 times", "16 times"]);
  expect(figureText({ kind: "count", unit: "s" }, "1", PS).unit).toBe("s");
});
