import type { Capture, CapturedHost, CaptureProblem } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { heard, timesOf } from "./clock";
import { failuresOf, namesOf, outcomeOf, phaseWords, secondsText, slowestHost } from "./words";

const PROBLEM: CaptureProblem = { cause: "refused", sentence: "nothing listens", detail: "", hints: ["start it"] };

function host(name: string, change: Partial<CapturedHost> = {}): CapturedHost {
  const facts = { attempt: 1, attempts: 3, sizeBytes: 0n, totalBytes: 0n, waitMs: 0, problem: null };
  return { name, phase: "capturing", ...facts, ...change };
}

function capture(hosts: readonly CapturedHost[], change: Partial<Capture> = {}): Capture {
  const order = { hosts: hosts.map(({ name }) => name), durationMs: 2000 } as unknown as Capture["order"];
  const facts = { elapsedMs: 100, wasStopped: false, run: null, problem: null };
  return { id: "x", state: "running", order, hosts, ...facts, ...change };
}

describe("where a capture is", () => {
  it("is where the host is that the others wait for", () => {
    const hosts = [host("a", { phase: "done" }), host("b", { phase: "receiving" }), host("c", { phase: "capturing" })];
    expect(slowestHost(capture(hosts))?.name).toBe("c");
    expect(slowestHost(capture([host("a", { phase: "failed" })]))).toBeNull();
  });

  it("is said in words", () => {
    const sizes = { sizeBytes: 2_000_000n, totalBytes: 4_000_000n };
    expect(phaseWords(host("a", { phase: "receiving", ...sizes }))).toBe("Receiving 2.0\u202fMB of 4.0\u202fMB");
    expect(phaseWords(host("a", { phase: "receiving", sizeBytes: 7n }))).toBe("Receiving 7\u202fB");
    expect(phaseWords(host("a", { phase: "waiting", problem: PROBLEM }))).toBe("Nothing listens");
    expect(phaseWords(host("a", { phase: "failed" }))).toBe("No trace");
  });

  it("is counted on between two messages", () => {
    const first = heard(null, capture([host("a", { phase: "connecting" })]), 1000);
    expect(timesOf(first, 1500)).toEqual({ elapsedMs: 600, leftMs: null, part: null });
    const second = heard(first, capture([host("a")], { elapsedMs: 700 }), 1600);
    const third = heard(second, capture([host("a")], { elapsedMs: 1200 }), 2100);
    expect(timesOf(third, 2600)).toEqual({ elapsedMs: 1700, leftMs: 1000, part: 0.5 });
    expect(timesOf(third, 9000)).toMatchObject({ leftMs: 0, part: 1 });
    const waiting = heard(third, capture([host("a", { phase: "waiting", waitMs: 1000 })]), 3000);
    expect(timesOf(waiting, 3400)).toMatchObject({ leftMs: 600, part: null });
    const coming = heard(waiting, capture([host("a", { phase: "receiving", sizeBytes: 1n, totalBytes: 4n })]), 4000);
    expect(timesOf(coming, 4000)).toMatchObject({ leftMs: null, part: 0.25 });
    const over = heard(coming, capture([host("a", { phase: "done" })], { state: "captured", elapsedMs: 5 }), 5000);
    expect(timesOf(over, 9000)).toEqual({ elapsedMs: 5, leftMs: null, part: 1 });
  });
});

describe("what came of a capture", () => {
  it("names each reason once", () => {
    const other = { ...PROBLEM, cause: "empty", sentence: "the trace is empty" } as const;
    const hosts = [
      host("a", { phase: "failed", problem: other }),
      host("b", { phase: "failed", problem: PROBLEM }),
      host("c", { phase: "failed", problem: { ...PROBLEM } }),
      host("d", { phase: "done" }),
    ];
    const groups = failuresOf(capture(hosts));
    expect(groups.map(({ names, problem }) => [names, problem.cause])).toEqual([
      [["b", "c"], "refused"],
      [["a"], "empty"],
    ]);
    expect(outcomeOf(capture(hosts, { state: "partly" }))).toBe("1 of 4 hosts gave a trace");
    expect(outcomeOf(capture(hosts, { state: "failed" }))).toBe("None of 4 hosts gave a trace");
    expect(outcomeOf(capture([host("a")], { state: "captured", run: "r", wasStopped: true }))).toContain("Stopped");
  });

  it("is short", () => {
    expect(namesOf(["a", "b"])).toBe("a, b");
    expect(namesOf(["a", "b", "c", "d", "e"])).toBe("a, b, c, d, e");
    expect(namesOf([..."abcdefgh"])).toBe("a, b, c, d and 4 more");
    expect([-5, 940, 12_300, 75_000].map(secondsText)).toEqual([
      "0.0\u202fs",
      "0.9\u202fs",
      "12\u202fs",
      "1\u202fmin 15\u202fs",
    ]);
  });
});
