import { ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { MOST_EVENTS, NOWHERE, PART_NAMES, type PageLocation, parseLocation, serverRoot } from "./location";
import { formatLocation } from "./location-text";

describe("the address", () => {
  it("comes back as it was written", () => {
    const full: PageLocation = {
      run: "a b&c-1f",
      range: { startTicks: ticks(2n ** 60n), endTicks: ticks(2n ** 60n + 5n) },
      events: [
        { track: 12, ordinal: 34567 },
        { track: 3, ordinal: 0 },
      ],
      area: { startTicks: ticks(-5n), endTicks: ticks(7n), tracks: "1-4.9" },
      host: "höst&1",
      choice: { filter: "xla ops&1", pin: "5.g2", hide: "3-9", order: "7.g1", empty: true, lanes: null },
      marks: "k3f,r1-2,3,5,a b%2C;c,m7",
      mode: "timing",
      time: "utc",
      color: "duration",
      kinds: ["compute", "input"],
      query: '"a b" dur>1ms arg:k=1&2',
      page: { tool: "find", range: { kind: "steps", first: 5n, last: 9n }, texts: { text: "a&b=c", limit: "5" } },
      parts: { bin: "12.0.5.3.17", tables: "stats/rows,-self,a&b%2C;x", top: "g3:12" },
    };
    const text = formatLocation(full);
    const cut = text.indexOf("#");
    expect(parseLocation(text.slice(0, cut), text.slice(cut))).toEqual(full);
  });

  it("comes back as it was written, whatever it says", () => {
    let state = 5;
    const pick = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state % below;
    };
    const choice = <T>(...choices: readonly T[]): T => choices[pick(choices.length)]!;
    const text = () => choice("", "a", "xla ops&1=#?+%20", "höst 測定 😀", "\u202e<b>\n", "%", ";,.");
    const range = () => {
      const startTicks = ticks(BigInt(pick(2 ** 31)) * BigInt(pick(2 ** 29)) - BigInt(pick(99)));
      return { startTicks, endTicks: ticks(startTicks + BigInt(1 + pick(2 ** 31))) };
    };
    const keys = () => choice(null, "5", "3-9.g2", "g1.7");
    for (let round = 0; round < 500; round++) {
      const events = Array.from({ length: choice(0, 0, 1, 2, MOST_EVENTS) }, (_, k) => ({
        track: pick(9),
        ordinal: k,
      }));
      const tool = choice(null, "find");
      const place: PageLocation = {
        ...{ run: choice(null, "a b&c-1f", text()), range: choice(null, range()), events },
        area: choice(null, { ...range(), tracks: "1-4.9" }),
        ...{ host: choice(null, text()), marks: text(), mode: choice("select", "pan", "zoom", "timing") },
        time: choice("relative", "ticks", "utc"),
        ...{ color: choice("meaning", "name", "duration"), kinds: choice([], ["other", "memory"]) },
        query: text(),
        choice: {
          filter: text(),
          pin: keys(),
          hide: keys(),
          order: keys(),
          empty: choice(true, false),
          lanes: choice(null, "queues.3,overlap.2"),
        },
        page: {
          tool,
          range: choice({ kind: "run" }, { kind: "selection" }),
          texts: tool === null ? {} : { text: text() },
        },
        parts: Object.fromEntries(
          PART_NAMES.map((name) => [name, pick(3) > 0 ? "" : text()]).filter(([, value]) => value !== ""),
        ),
      };
      const written = formatLocation(place);
      const cut = written.indexOf("#");
      expect(parseLocation(written.slice(0, cut), written.slice(cut))).toEqual(place);
    }
  });

  it("makes something of whatever it is given, and that comes back as itself", () => {
    let state = 9;
    const pick = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state % below;
    };
    const PIECES = [
      "v=1",
      "t=1-9",
      "t=9-1",
      "sel=1.2,3.4",
      "sel=,,.,1.2,1.2",
      "area=1-2",
      "tracks=1",
      "host=%F0%9F",
      "marks=;,%",
      "mode=fly",
    ];
    PIECES.push(
      "time=utc",
      "time=",
      "filter=%ff",
      "pin=g",
      "hide=0-99999999999999",
      "tool=x",
      "f.__proto__=1",
      "in=steps.5",
      "&&&",
      "=",
    );
    for (let round = 0; round < 500; round++) {
      const hash = `#v=1&${Array.from({ length: pick(8) }, () => PIECES[pick(PIECES.length)]).join("&")}`;
      const place = parseLocation("?run=%", hash);
      const written = formatLocation(place);
      const cut = written.indexOf("#");
      expect(parseLocation(written.slice(0, cut), written.slice(cut))).toEqual(place);
    }
    const emoji = "😀".repeat(4000);
    const { choice, marks } = parseLocation("", `#v=1&filter=x${emoji}&marks=x${emoji}`);
    expect(() => formatLocation({ ...NOWHERE, choice, marks })).not.toThrow();
    expect(parseLocation("", `#v=1&sel=${"1.2,".repeat(1e6)}`).events).toEqual([{ track: 1, ordinal: 2 }]);
  });

  it("is empty where it says nothing", () => {
    expect(parseLocation("", "")).toEqual(NOWHERE);
    expect(formatLocation(NOWHERE)).toBe("#v=1");
  });

  it("says how times are written as soon as it says anything", () => {
    expect(parseLocation("?run=x", "").time).toBeNull();
    expect(parseLocation("?run=x", "#v=1&t=1-3").time).toBe("relative");
    expect(parseLocation("?run=x", "#v=1&time=utc").time).toBe("utc");
  });

  it("leaves out what is malformed", () => {
    expect(parseLocation("?run=x", "#v=1&t=9-3&sel=1&area=1-2")).toEqual({ ...NOWHERE, run: "x", time: "relative" });
    expect(parseLocation("", "#v=1&t=1e3-5&sel=-1.5")).toEqual({ ...NOWHERE, time: "relative" });
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

  it("takes the derived lanes that it names, as many as a group has, without what is none", () => {
    const lanes = Array.from({ length: 300 }, (_, track) => `queues.${track}`).join(",");
    expect(parseLocation("", `#v=1&lanes=${lanes}`).choice.lanes).toBe(lanes);
    expect(parseLocation("", "#v=1&lanes=queues.1,A.2,,overlap.scopes-3:2,overlap.3:0").choice.lanes).toBe(
      "queues.1,overlap.scopes-3:2",
    );
    expect(parseLocation("", "#v=1&lanes=A").choice.lanes).toBeNull();
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
