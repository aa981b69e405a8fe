import type { Run } from "@tilescope/client";
import { expect, it, vi } from "vitest";
import { pollDelayMs, RunsPoller, runs, runsProblem } from "./runs";

const run = (state: Run["state"]): Run => ({
  id: state,
  name: state,
  path: state,
  state,
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
});

it("looks again only while something changes by itself, or somebody looks", () => {
  expect(pollDelayMs(null, null, false)).toBeNull();
  expect(pollDelayMs([run("ready"), run("new"), run("failed")], null, false)).toBeNull();
  expect(pollDelayMs([run("ready"), run("indexing")], null, false)).toBeGreaterThan(0);
  expect(pollDelayMs([run("queued")], null, false)).toBeGreaterThan(0);
  expect(pollDelayMs([run("ready")], null, true)).toBeGreaterThan(0);
  expect(pollDelayMs([run("ready")], "down", false)).toBeGreaterThan(0);
});

it("keeps the list when the server is away, says so, and recovers", async () => {
  vi.useFakeTimers();
  const fetchRuns = vi
    .fn()
    .mockResolvedValueOnce([run("indexing")])
    .mockRejectedValueOnce(new Error("the server does not answer"))
    .mockResolvedValue([run("ready")]);
  const poller = new RunsPoller(fetchRuns);
  await poller.refresh();
  expect(runs.value?.[0]?.state).toBe("indexing");
  await vi.advanceTimersByTimeAsync(1000);
  expect(runsProblem.value).toBe("the server does not answer");
  expect(runs.value?.[0]?.state).toBe("indexing");
  await vi.advanceTimersByTimeAsync(5000);
  expect(runs.value?.[0]?.state).toBe("ready");
  expect(runsProblem.value).toBeNull();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fetchRuns).toHaveBeenCalledTimes(3);
  vi.useRealTimers();
});
