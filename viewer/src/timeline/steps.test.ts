import type { EventDetails } from "@tilescope/client";
import { beforeEach, describe, expect, it } from "vitest";
import { makePane, type Pane } from "../state/pane";
import { NOTHING } from "../state/selection";
import { failure } from "../state/shell";
import { detailsWhenHere, type SliceStep, type StepPort, Steps } from "./steps";

let pane: Pane;
let steps: Steps;

const select = (track: number, ordinal: number) => {
  pane.selection.value = { kind: "event", track, ordinal };
};

/** Details of the selected event: on their way, and here. */
const load = () => {
  const event = pane.selection.peek();
  if (event.kind === "event") {
    pane.detailsView.value = { kind: "loading", event, stale: null, isSlow: false };
  }
};
const arrive = () => {
  const event = pane.selection.peek();
  if (event.kind === "event") {
    const details = { track: event.track, ordinal: BigInt(event.ordinal) } as EventDetails;
    pane.detailsView.value = { kind: "ready", event, details };
  }
};
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
const place = () => {
  const chosen = pane.selection.peek();
  return chosen.kind === "event" ? chosen.ordinal : null;
};

/** Goes to the event behind the selected one, of which that is asked that is known of it. */
const toNext: SliceStep = async (port) => {
  const details = await detailsWhenHere(pane);
  if (details !== null) {
    port.goTo(details.track, Number(details.ordinal) + 1);
  }
};

beforeEach(() => {
  pane = makePane();
  failure.value = "";
  const port: StepPort = {
    pane,
    startAnew: () => new AbortController().signal,
    select: () => undefined,
    show: () => undefined,
    revealSelection: () => undefined,
    goTo: (track, ordinal) => {
      select(track, ordinal);
      load();
    },
  };
  steps = new Steps(port);
});

describe("steps", () => {
  it("are all taken, each when what it goes on from is here", async () => {
    select(0, 5);
    load();
    const done = Promise.all([steps.add(toNext), steps.add(toNext), steps.add(toNext)]);
    for (const ordinal of [5, 6, 7]) {
      await settle();
      expect(place()).toBe(ordinal);
      arrive();
    }
    await done;
    expect(place()).toBe(8);
  });

  it("that wait are dropped when something else is selected by hand, and later ones go on from there", async () => {
    select(0, 5);
    load();
    void steps.add(toNext);
    void steps.add(toNext);
    select(0, 100);
    load();
    const done = steps.add(toNext);
    await settle();
    arrive();
    await done;
    expect(place()).toBe(101);
  });

  it("lead nowhere once what they go on from is not selected any more", async () => {
    select(0, 5);
    arrive();
    let answer: () => void = () => undefined;
    const slow: SliceStep = async (port) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      port.goTo(0, 6);
    };
    const first = steps.add(slow);
    await settle();
    pane.selection.value = NOTHING;
    const second = steps.add((port) => port.goTo(0, 50));
    answer();
    await Promise.all([first, second]);
    expect(place()).toBe(50);
    const third = steps.add(slow);
    await settle();
    pane.selection.value = NOTHING;
    answer();
    await third;
    expect(place()).toBeNull();
  });

  it("are not more than a few, and say so", async () => {
    select(0, 5);
    load();
    for (let k = 0; k < 34; k++) {
      void steps.add(toNext);
    }
    expect(failure.peek()).toBe("32 steps wait for the server: this one is left out.");
  });

  it("say why they lead nowhere", async () => {
    await steps.add(toNext);
    expect(failure.peek()).toBe("Select a slice first: this key goes on from it.");
    select(0, 5);
    load();
    const done = steps.add(toNext);
    const event = { kind: "event", track: 0, ordinal: 5 } as const;
    const gone = { isUnavailable: false, isFinal: true, message: "there is no event 5", advice: "" };
    pane.detailsView.value = { kind: "failed", event, failure: gone };
    await done;
    expect(failure.peek()).toBe("What is selected could not be read: there is no event 5");
  });

  it("go on after one that fails", async () => {
    select(0, 5);
    arrive();
    const failed = steps.add(() => Promise.reject(new Error("no code")));
    await expect(failed).rejects.toThrow("no code");
    await steps.add(toNext);
    expect(place()).toBe(6);
  });

  it("go on after one that throws at once, without those that waited for it", async () => {
    select(0, 5);
    arrive();
    const failed = steps.add(() => {
      throw new Error("no picture");
    });
    const waiting = steps.add(toNext);
    await expect(failed).rejects.toThrow("no picture");
    await expect(waiting).rejects.toThrow("no picture");
    await steps.add(toNext);
    expect(place()).toBe(6);
  });
});
