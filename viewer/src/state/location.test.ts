import { ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { formatLocation, NOWHERE, type PageLocation, parseLocation, serverRoot } from "./location";

describe("the address", () => {
  it("comes back as it was written", () => {
    const full: PageLocation = {
      run: "a b&c-1f",
      range: { startTicks: ticks(2n ** 60n), endTicks: ticks(2n ** 60n + 5n) },
      event: { track: 12, ordinal: 34567 },
      area: { startTicks: ticks(-5n), endTicks: ticks(7n), tracks: "1-4.9" },
      host: "höst&1",
      choice: { filter: "xla ops&1", pin: "5.g2", hide: "3-9", order: "7.g1", empty: true },
      page: { tool: "find", range: { kind: "steps", first: 5n, last: 9n }, texts: { text: "a&b=c", limit: "5" } },
    };
    const text = formatLocation(full);
    const cut = text.indexOf("#");
    expect(parseLocation(text.slice(0, cut), text.slice(cut))).toEqual(full);
  });

  it("is empty where it says nothing", () => {
    expect(parseLocation("", "")).toEqual(NOWHERE);
    expect(formatLocation(NOWHERE)).toBe("#v=1");
  });

  it("leaves out what is malformed", () => {
    expect(parseLocation("?run=x", "#v=1&t=9-3&sel=1&area=1-2")).toEqual({ ...NOWHERE, run: "x" });
    expect(parseLocation("", "#v=1&t=1e3-5&sel=-1.5")).toEqual(NOWHERE);
  });

  it("knows the ranges of pages", () => {
    const rangeOf = (text: string) => parseLocation("", `#v=1&tool=stats&in=${text}`).page.range;
    expect(rangeOf("selection")).toEqual({ kind: "selection" });
    expect(rangeOf("steps.7")).toEqual({ kind: "steps", first: 7n, last: 7n });
    for (const malformed of ["steps.9-3", "steps.-1", "steps.", "all", "steps.1e3"]) {
      expect(rangeOf(malformed)).toEqual({ kind: "run" });
    }
  });

  it("keeps the range for the next page while the timeline is shown, and no fields", () => {
    const { page } = parseLocation("", "#v=1&in=steps.2-3&f.limit=5");
    expect(page).toEqual({ tool: null, range: { kind: "steps", first: 2n, last: 3n }, texts: {} });
    expect(formatLocation({ ...NOWHERE, page })).toBe("#v=1&in=steps.2-3");
  });

  it("takes no page with a name that none can have", () => {
    expect(parseLocation("", "#v=1&tool=__proto__").page.tool).toBeNull();
    expect(parseLocation("", "#v=1&tool=A").page.tool).toBeNull();
  });

  it("leaves out what another version wrote", () => {
    expect(parseLocation("?run=x", "#v=2&t=1-3")).toEqual({ ...NOWHERE, run: "x" });
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
