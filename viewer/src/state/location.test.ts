import { ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { formatLocation, type PageLocation, parseLocation, serverRoot } from "./location";

const nothing: PageLocation = { run: null, range: null, event: null, area: null, host: null };

describe("the address", () => {
  it("comes back as it was written", () => {
    const full: PageLocation = {
      run: "a b&c-1f",
      range: { startTicks: ticks(2n ** 60n), endTicks: ticks(2n ** 60n + 5n) },
      event: { track: 12, ordinal: 34567 },
      area: { startTicks: ticks(-5n), endTicks: ticks(7n), firstTrack: 1, lastTrack: 4 },
      host: "höst&1",
    };
    const text = formatLocation(full);
    const cut = text.indexOf("#");
    expect(parseLocation(text.slice(0, cut), text.slice(cut))).toEqual(full);
  });

  it("is empty where it says nothing", () => {
    expect(parseLocation("", "")).toEqual(nothing);
    expect(formatLocation(nothing)).toBe("#v=1");
  });

  it("leaves out what is malformed", () => {
    expect(parseLocation("?run=x", "#v=1&t=9-3&sel=1&area=1-2")).toEqual({ ...nothing, run: "x" });
    expect(parseLocation("", "#v=1&t=1e3-5&sel=-1.5")).toEqual(nothing);
  });

  it("leaves out what another version wrote", () => {
    expect(parseLocation("?run=x", "#v=2&t=1-3")).toEqual({ ...nothing, run: "x" });
  });
});

describe("the server's root", () => {
  it("is the folder in which the page lies", () => {
    expect(serverRoot("/")).toBe("");
    expect(serverRoot("/index.html")).toBe("");
    expect(serverRoot("/tools/tilescope/")).toBe("/tools/tilescope");
    expect(serverRoot("/tools/tilescope/index.html")).toBe("/tools/tilescope");
  });
});
