import { ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { questionKey } from "./question-key";

const manifest = { run: "r", build: "b", state: "ready", revision: 3 } as const;

it("tells apart all that an answer depends on, and nothing else", () => {
  const question = { start: ticks(14_000_000), end: ticks(20_000_000), tracks: [0, 3], by: undefined };
  const key = questionKey(manifest, "stats", question);
  expect(questionKey({ ...manifest }, "stats", { start: "14000000", end: 20_000_000, tracks: "0,3" })).toBe(key);
  const others = [
    questionKey(manifest, "stats", { ...question, start: ticks(2_000_000), end: ticks(8_000_000) }),
    questionKey(manifest, "stats", { ...question, end: ticks(20_000_001) }),
    questionKey(manifest, "stats", { ...question, by: "track" }),
    questionKey(manifest, "gaps", question),
    questionKey({ ...manifest, run: "other" }, "stats", question),
    questionKey({ ...manifest, build: "other" }, "stats", question),
    questionKey({ ...manifest, revision: 4 }, "stats", question),
    questionKey({ ...manifest, state: "indexing" }, "stats", question),
  ];
  expect(new Set([key, ...others]).size).toBe(1 + others.length);
});
