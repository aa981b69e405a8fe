import type { Run } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { fateOf, Pulse, type Step } from "./link";

const run = (id: string, state: Run["state"], build: string | null): Run => ({
  ...{
    id,
    name: id,
    path: id,
    state,
    error: null,
    hosts: [],
    files: 1,
    sizeBytes: 1n,
    modifiedNs: 0n,
    events: null,
    durationPs: null,
    growing: false,
    contents: [],
    steps: null,
  },
  ...{ build, progress: null, notes: [] },
});

/** Looks whenever the last step says to, until `untilMs`; gives the steps that do something, with their times. */
function steps(pulse: Pulse, hasStream: boolean, fromMs: number, untilMs: number): [Step["act"], number][] {
  const steps: [Step["act"], number][] = [];
  for (let now = fromMs; now <= untilMs; ) {
    const { act, againMs } = pulse.look(now, hasStream);
    if (act !== "wait") {
      steps.push([act, now]);
    }
    if (act === "stall") {
      break;
    }
    now += againMs;
  }
  return steps;
}

describe("the silence of a server", () => {
  it("is broken by a question on the stream, then by a request, and is a slow server within two seconds", () => {
    expect(steps(new Pulse(0), true, 0, 5000)).toEqual([
      ["ping", 600],
      ["probe", 1000],
      ["stall", 1700],
    ]);
    expect(steps(new Pulse(0), false, 0, 5000)).toEqual([
      ["probe", 800],
      ["stall", 1500],
    ]);
  });

  it("costs one question a while if it is answered, and none while the server talks", () => {
    const pulse = new Pulse(0);
    expect(steps(pulse, true, 0, 600)).toEqual([["ping", 600]]);
    pulse.heard(610);
    expect(steps(pulse, true, 1000, 1300)).toEqual([["ping", 1210]]);
    for (let now = 1300; now < 3000; now += 100) {
      pulse.heard(now);
      expect(pulse.look(now, true).act).toBe("wait");
    }
  });

  it("may last longer where the network is slow", () => {
    const pulse = new Pulse(0);
    expect(steps(pulse, true, 0, 600)).toEqual([["ping", 600]]);
    pulse.heard(900);
    expect(steps(pulse, true, 1000, 9000)).toEqual([
      ["ping", 1500],
      ["probe", 2400],
      ["stall", 3300],
    ]);
  });

  it("does not count while the page itself did nothing", () => {
    const pulse = new Pulse(0);
    expect(pulse.look(0, true)).toEqual({ act: "wait", againMs: 600 });
    expect(pulse.look(60_000, true)).toEqual({ act: "wait", againMs: 200 });
    expect(pulse.look(60_200, true).act).not.toBe("stall");
  });

  it("begins anew after a rest", () => {
    const pulse = new Pulse(0);
    steps(pulse, true, 0, 1000);
    pulse.restart(50_000);
    expect(pulse.look(50_000, true)).toEqual({ act: "wait", againMs: 600 });
  });
});

it("tells of a run whether it is the one that is shown", () => {
  const shown = { run: "a", build: "1", state: "ready" };
  expect(fateOf(shown, [run("b", "ready", "1")])).toBe("vanished");
  expect(fateOf(shown, [run("b", "ready", "2"), run("a", "ready", "1")])).toBe("same");
  expect(fateOf(shown, [run("a", "ready", "2")])).toBe("replaced");
  expect(fateOf(shown, [run("a", "new", null)])).toBe("replaced");
  expect(fateOf(shown, [run("a", "indexing", "2")])).toBe("replaced");
  expect(fateOf(shown, [run("a", "failed", null)])).toBe("same");
  expect(fateOf(shown, [run("a", "queued", null)])).toBe("replaced");
  expect(fateOf(shown, [{ ...run("a", "queued", null), error: "the run is still being opened" }])).toBe("same");
  expect(fateOf({ ...shown, state: "indexing" }, [run("a", "indexing", null)])).toBe("same");
  expect(fateOf({ ...shown, state: "indexing" }, [])).toBe("vanished");
});
