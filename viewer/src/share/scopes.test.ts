import { ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { NOTHING } from "../state/selection";
import { boundedBytes, estimatedBytes, exportQuestion, questionOf, rangesOf, scopesOf } from "./scopes";

const range = (start: number, end: number) => ({ startTicks: ticks(start), endTicks: ticks(end) });
const RUN = range(0, 1000);

it("offers what is selected first, then what is shown, then all", () => {
  const area = { kind: "area", range: range(10, 20), tracks: new Set([4, 3, 9]) } as const;
  const scopes = scopesOf(RUN, range(-5, 500), area, null);
  expect(scopes.map(({ kind }) => kind)).toEqual(["selection", "view", "run"]);
  expect(scopes.map(questionOf)).toEqual([{ start: 10n, end: 20n, tracks: "3-4,9" }, { start: 0n, end: 500n }, {}]);
});

it("does not offer the same twice: what is shown may be all", () => {
  expect(scopesOf(RUN, range(-5, 1005), NOTHING, null).map(({ kind }) => kind)).toEqual(["run"]);
});

it("gives an event without length its tick, and leaves out what lies beside the run", () => {
  const event = { kind: "event", track: 1, ordinal: 2 } as const;
  const [selected, ...others] = scopesOf(RUN, range(2000, 3000), event, range(7, 7));
  expect(questionOf(selected!)).toEqual({ start: 7n, end: 8n });
  expect(others.map(({ kind }) => kind)).toEqual(["run"]);
});

it("writes ids as ranges", () => {
  expect(rangesOf(new Set([7, 1, 2, 3, 10, 11]))).toBe("1-3,7,10-11");
});

it("exports derived lanes that are named, and none otherwise", () => {
  const [run] = scopesOf(RUN, RUN, NOTHING, null);
  expect(exportQuestion(run!, ["overlap.2", "queues.3"])).toEqual({ lanes: "overlap.2,queues.3" });
  expect(exportQuestion(run!, [])).toEqual({});
});

it("has room for lanes where a size is a limit", () => {
  expect(boundedBytes(8n, false)).toBe(estimatedBytes(8n));
  expect(boundedBytes(8n, true)).toBe(2n * estimatedBytes(8n));
});
