import { ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { argText, detailsTsv } from "./copy";

it("shows argument values as what they are", () => {
  expect(argText("9007199254740993")).toBe("9007199254740993");
  expect(argText(1.5)).toBe("1.5");
  expect(argText(null)).toBe("null");
  expect(argText(true)).toBe("true");
  expect(argText({ bytes: "12" })).toBe('{\n  "bytes": "12"\n}');
});

it("copies one fact a line, whatever the values hold", () => {
  const details = {
    track: 1,
    ordinal: 2n,
    kind: "slice" as const,
    name: "a\tb",
    category: "c",
    startTicks: ticks(2n ** 60n),
    durationTicks: ticks(7),
    row: 3,
    flags: ["open"],
    value: null,
    flows: { in: [], inCount: 0n, out: [], outCount: 0n },
    args: [
      { name: "x", value: "line\nbreak" },
      { name: "x", value: "again" },
    ],
    stacks: [],
  };
  const lines = detailsTsv(details, ["host", "track"], { tickPs: 1000, originNs: 0n }).split("\n");
  expect(lines).toContain("name\ta b");
  expect(lines).toContain("start\t1152921504.606846976 s");
  expect(lines).toContain("duration\t7 ns");
  expect(lines).toContain("track\thost › track");
  expect(lines.slice(-2)).toEqual(["x\tline break", "x\tagain"]);
  expect(lines.filter((line) => line.startsWith("shift"))).toEqual([]);
  const shifted = detailsTsv(details, ["host", "track"], { tickPs: 1000, originNs: 0n }, -1500n).split("\n");
  expect(shifted.filter((line) => !lines.includes(line))).toEqual(["shift of clock\t-1.5 µs"]);
});
