import { ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { lookedAt, rangeOn, whyNoEffect } from "./range";
import { rangesOf } from "./range-kinds";

const steps = { count: 9n, first: 1n, last: 9n, slices: 9n, tracks: 1, all: true };
const manifest = {
  range: { startTicks: ticks(0), endTicks: ticks(5_000_000) },
  time: { tickPs: 1000, originNs: 0n },
  steps,
  empty: false,
};

describe("what a page looks at", () => {
  it("is the whole run without a word to the tool", () => {
    expect(lookedAt({ kind: "run" }, manifest, null)).toEqual({
      isThere: true,
      question: {},
      text: "the whole run, 5 ms",
    });
  });

  it("is what a file without a timeline has", () => {
    expect(lookedAt({ kind: "run" }, { ...manifest, empty: true }, null)).toMatchObject({ text: "what the file has" });
  });

  it("is what is selected, an instant for the tick that it is at", () => {
    const span = { startTicks: ticks(10), endTicks: ticks(1010) };
    expect(lookedAt({ kind: "selection" }, manifest, span)).toMatchObject({ question: { start: 10n, end: 1010n } });
    const instant = { startTicks: ticks(7), endTicks: ticks(7) };
    expect(lookedAt({ kind: "selection" }, manifest, instant)).toMatchObject({ question: { start: 7n, end: 8n } });
  });

  it("is nothing where nothing is selected, and never the run instead", () => {
    expect(lookedAt({ kind: "selection" }, manifest, null).isThere).toBe(false);
  });

  it("is steps, where the trace marks some or the page names them", () => {
    const range = { kind: "steps", first: 2n, last: 4n } as const;
    expect(lookedAt(range, manifest, null)).toMatchObject({ question: { steps: "2-4" }, text: "steps 2 to 4" });
    expect(lookedAt({ ...range, last: 2n }, manifest, null)).toMatchObject({
      question: { steps: "2" },
      text: "step 2",
    });
    expect(lookedAt(range, { ...manifest, steps: null }, null).isThere).toBe(false);
    expect(lookedAt(range, { ...manifest, steps: null }, null, { step_name: "train" }).isThere).toBe(true);
    expect(lookedAt(range, { ...manifest, steps: null }, null, { step_name: "train" })).toMatchObject({
      question: { step_name: "train" },
    });
  });
});

describe("the ranges of a tool", () => {
  const spanAndSteps = rangesOf(["tracks", "start", "end", "steps"]);
  const steps = { kind: "steps", first: 5n, last: 9n } as const;

  it("are those that its question has fields for", () => {
    expect([...spanAndSteps]).toEqual(["run", "selection", "steps"]);
    expect([...rangesOf(["start", "end"])]).toEqual(["run", "selection"]);
    expect([...rangesOf(["program"])]).toEqual(["run"]);
  });

  it("that it does not take is not asked for, and the page says why", () => {
    const program = { title: "Memory viewer", ranges: rangesOf(["program"]) };
    expect(rangeOn(program, steps)).toEqual({ kind: "run" });
    expect(whyNoEffect(program, "steps")).toBe("Memory viewer is always about the whole run");
    expect(whyNoEffect(program, "run")).toBe("");
    const queues = { title: "Queues", ranges: rangesOf(["start", "end"]) };
    expect(whyNoEffect(queues, "steps")).toBe("Queues takes a selection in the timeline, not steps");
    expect(rangeOn({ ranges: spanAndSteps }, steps)).toBe(steps);
  });
});
