import { describe, expect, it } from "vitest";
import {
  atLeast,
  binTitle,
  eventsInView,
  formatBytes,
  formatCount,
  formatPercent,
  formatShortCount,
  plural,
} from "./format";

const plain = (text: string) => text.replace(/\u202f/g, " ");

describe("formatting", () => {
  it("says of a sum that is cut that there is more", () => {
    expect([2n ** 62n - 1n, 2n ** 62n].map(atLeast)).toEqual(["", "at least "]);
  });

  it.each([
    [999, "999"],
    [12345n, "12,345"],
    [1234567n, "1,234,567"],
  ])("count %s → %s", (count, text) => expect(plain(formatCount(count))).toBe(text));

  it.each([
    [999, "999"],
    [1000, "1 k"],
    [12345n, "12.3 k"],
    [999999, "1 M"],
    [1234567, "1.23 M"],
  ])("short count %s → %s", (count, text) => expect(plain(formatShortCount(count))).toBe(text));

  it.each([
    [512n, "512 B"],
    [1234567n, "1.2 MB"],
    [53_000_000n, "53 MB"],
  ])("bytes %s → %s", (bytes, text) => expect(plain(formatBytes(bytes))).toBe(text));

  it.each([
    [0, "0 %"],
    [0.00001, "<0.1 %"],
    [0.999, ">99 %"],
    [0.004, "0.4 %"],
    [0.4137, "41 %"],
    [1, "100 %"],
  ])("part %s → %s", (part, text) => expect(plain(formatPercent(part))).toBe(text));

  it("counts words", () => {
    expect(plural(1n, "event")).toBe("1 event");
    expect(plural(0, "event")).toBe("0 events");
  });
});

it("says how many events start on the screen, between which numbers where bins lie across its edges", () => {
  const exact = { starts: 1, atEdges: 0, reachIn: 0, isExact: true };
  expect(eventsInView(exact)).toBe("1 event starts on the screen");
  expect(eventsInView({ ...exact, starts: 12, reachIn: 1 })).toBe("12 events start on the screen · 1 reaches in");
  expect(eventsInView({ starts: 12, atEdges: 2, reachIn: 3, isExact: false })).toBe(
    "10 to 12 events start on the screen · at least 3 reach in",
  );
  expect(eventsInView({ starts: 12, atEdges: 0, reachIn: 3, isExact: false })).toBe(
    "12 events start on the screen · at least 3 reach in",
  );
});

it("says of a bin how many events start in it, which may be none although it is busy", () => {
  expect([0, 1, 12].map(binTitle)).toEqual([
    "No event starts in this bin",
    "1 event starts in this bin",
    "12 events start in this bin",
  ]);
});
