import { expect, it } from "vitest";
import { formatSplit, parseSplit } from "./split";

it("reads what it writes, and leaves both timelines room", () => {
  for (const text of ["beside", "below", "below.40", "beside.65"]) {
    expect(formatSplit(parseSplit(text)!)).toBe(text);
  }
  expect(parseSplit("below.3")).toEqual({ side: "below", percent: 20 });
  expect(parseSplit("beside.99")).toEqual({ side: "beside", percent: 80 });
  for (const text of ["", "above", "below.", "below.400", "beside.-5"]) {
    expect(parseSplit(text)).toBeNull();
  }
});
