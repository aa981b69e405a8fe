import type { ToolFact } from "@tilescope/client";
import { expect, it } from "vitest";
import { partsOfTime } from "./parts-of-time";

function facts(values: Readonly<Record<string, string | null>>): readonly ToolFact[] {
  return Object.entries(values).map(([id, value]) => ({ id, label: id, kind: "ticks", value, note: "" }) as ToolFact);
}

it("makes all of the time up of its parts, and says what is none of them", () => {
  const parts = partsOfTime(facts({ span: "100", computation: "40", exposed_communication: "0", idle: "50" }));
  expect(parts.map(({ id, ticks, share }) => [id, ticks, share])).toEqual([
    ["computation", 40n, 0.4],
    ["idle", 50n, 0.5],
    ["other", 10n, 0.1],
  ]);
  expect(parts.reduce((sum, { ticks }) => sum + ticks, 0n)).toBe(100n);
});

it("is nothing where no device worked, or nothing is known", () => {
  expect(partsOfTime(facts({ span: "0", computation: "0" }))).toEqual([]);
  expect(partsOfTime(facts({ span: null }))).toEqual([]);
  expect(partsOfTime([])).toEqual([]);
});
