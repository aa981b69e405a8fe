import type { Run } from "@tilescope/client";
import { expect, test } from "vitest";
import { contentsText } from "./run-entry";

const RUN: Run = {
  id: "r",
  name: "lenet",
  path: "lenet/profiler",
  state: "ready",
  error: null,
  hosts: [],
  files: 1,
  sizeBytes: 1n,
  modifiedNs: 0n,
  build: null,
  progress: null,
  notes: [],
  events: null,
  durationPs: null,
  growing: false,
  contents: [],
  steps: null,
};

test("the contents of a run are its steps, what files of a training have, and when it goes", () => {
  expect(contentsText({ ...RUN, steps: 1200n, contents: ["timeline", "step trace"] })).toBe(
    "1,200 steps · timeline, step trace",
  );
  expect(contentsText({ ...RUN, steps: 1n, notes: ["a line", "sent by a browser: removed after 2026-12-06"] })).toBe(
    "1 step · removed after 2026-12-06",
  );
  expect(contentsText({ ...RUN, contents: ["memory"], notes: ["raw data is not read"] })).toBe("memory");
});

test("nothing is said where nothing is known, and no steps are said of a run that has none", () => {
  expect(contentsText(RUN)).toBe("");
  expect(contentsText({ ...RUN, steps: 0n })).toBe("0 steps");
});
