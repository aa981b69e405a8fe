import { ApiError, type EventDetails, NetworkError, ticks } from "@tilescope/client";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DetailsLoader } from "./details";
import { makePane } from "./pane";
import { NOTHING } from "./selection";

const pane = makePane();

function details(name: string): EventDetails {
  const flows = { in: [], inCount: 0n, out: [], outCount: 0n };
  const rest = { category: "", row: 0, flags: [], value: null, flows, args: [], stacks: [] };
  return { track: 1, ordinal: 2n, kind: "slice", name, startTicks: ticks(10), durationTicks: ticks(5), ...rest };
}

const BUILD = { run: "r", build: "b", state: "indexing" as const, revision: 1 };

const event = (ordinal: number) => ({ kind: "event", track: 1, ordinal }) as const;

beforeEach(() => {
  pane.detailsView.value = { kind: "none" };
  pane.selectedRange.value = null;
});

describe("DetailsLoader", () => {
  it("fetches what is selected, and knows its range", async () => {
    const loader = new DetailsLoader(pane, BUILD, async () => details("a"));
    const done = loader.follow(event(2));
    expect(pane.detailsView.value.kind).toBe("loading");
    await done;
    expect(pane.detailsView.value).toMatchObject({ kind: "ready", details: { name: "a" } });
    expect(pane.selectedRange.value).toEqual({ startTicks: 10n, endTicks: 15n });
  });

  it("knows at once when an event is that is drawn, and of no other keeps the range of the one before", async () => {
    const drawn = { startTicks: ticks(10), endTicks: ticks(15) };
    const loader = new DetailsLoader(
      pane,
      BUILD,
      () => new Promise(() => undefined),
      ({ ordinal }) => (ordinal === 2 ? drawn : null),
    );
    void loader.follow(event(2));
    expect(pane.selectedRange.value).toEqual(drawn);
    void loader.follow(event(3));
    expect(pane.selectedRange.value).toBeNull();
  });

  it("shows an event that is selected once more for that selection, too", async () => {
    const loader = new DetailsLoader(pane, BUILD, async () => details("a"));
    await loader.follow(event(2));
    const again = event(2);
    await loader.follow(again);
    expect(pane.detailsView.value).toMatchObject({ kind: "ready", details: { name: "a" } });
    expect(pane.detailsView.value.kind === "ready" && pane.detailsView.value.event).toBe(again);
    expect(pane.selectedRange.value).toEqual({ startTicks: 10n, endTicks: 15n });
  });

  it("asks anew for an event of a build that has grown", async () => {
    const fetchEvent = vi.fn().mockResolvedValueOnce(details("before")).mockResolvedValueOnce(details("now"));
    const loader = new DetailsLoader(pane, BUILD, fetchEvent);
    await loader.follow(event(2));
    loader.renew({ ...BUILD, revision: 2 });
    const renewed = loader.follow(event(2));
    expect(pane.detailsView.value).toMatchObject({ kind: "loading", stale: { name: "before" } });
    await renewed;
    expect(pane.detailsView.value).toMatchObject({ kind: "ready", details: { name: "now" } });
  });

  it("drops an answer that comes after another selection", async () => {
    let answerFirst: (value: EventDetails) => void = () => undefined;
    const first = new Promise<EventDetails>((resolve) => {
      answerFirst = resolve;
    });
    const fetchEvent = vi.fn().mockReturnValueOnce(first).mockResolvedValueOnce(details("second"));
    const loader = new DetailsLoader(pane, BUILD, fetchEvent);
    const slow = loader.follow(event(1));
    await loader.follow(event(2));
    answerFirst(details("first"));
    await slow;
    expect(pane.detailsView.value).toMatchObject({ kind: "ready", details: { name: "second" } });
  });

  it("says what went wrong", async () => {
    const loader = new DetailsLoader(pane, BUILD, async () => {
      throw new NetworkError("the server does not answer");
    });
    await loader.follow(event(1));
    const failure = { message: "the server does not answer", isFinal: false };
    expect(pane.detailsView.value).toMatchObject({ kind: "failed", failure });
  });

  it("asks once more for what was refused when a person selects it once more", async () => {
    const fetchEvent = vi.fn().mockRejectedValueOnce(new ApiError(404, "not_found", "no such event"));
    const loader = new DetailsLoader(pane, BUILD, fetchEvent.mockResolvedValueOnce(details("a")));
    await loader.follow(event(1));
    expect(pane.detailsView.value).toMatchObject({ kind: "failed", failure: { isFinal: true } });
    await loader.follow(event(1));
    expect(pane.detailsView.value).toMatchObject({ kind: "ready", details: { name: "a" } });
  });

  it("forgets with the selection, and takes the range of an area", async () => {
    const loader = new DetailsLoader(pane, BUILD, async () => details("a"));
    await loader.follow(event(2));
    await loader.follow(NOTHING);
    expect(pane.detailsView.value).toEqual({ kind: "none" });
    expect(pane.selectedRange.value).toBeNull();
    const range = { startTicks: ticks(1), endTicks: ticks(9) };
    await loader.follow({ kind: "area", range, tracks: new Set([0, 1]) });
    expect(pane.selectedRange.value).toBe(range);
  });
});
