import { type Ticks, ticks } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { LONGEST_MARKS } from "../state/location";
import { byTime, isSame, kindOf, labelOf, type Mark, makeMark, renamed, titleOf } from "./mark";
import { mergeMarks } from "./merge";
import { areSame, formatMarks, parseMarks } from "./text";

const TRACKS = new Map([3, 5, 6, 7, 9].map((id) => [id, null]));

function mark(id: string, change: Partial<Mark> = {}): Mark {
  return { id, kind: "mark", startTicks: ticks(1), endTicks: ticks(2), name: "", tracks: [], colour: 0, ...change };
}

/** Numbers that look like chance and are the same each time. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}

const NAMES = ["", "warm-up", "a,b;c%2C%", "two\nlines", "naïve 測定 😀", "&t=5#v=2+ %", "x".repeat(90)];

function anyMark(pick: (below: number) => number, id: string): Mark {
  const startTicks = ticks(BigInt(pick(2 ** 31)) * BigInt(pick(2 ** 20)) - BigInt(pick(1000)));
  const endTicks = pick(3) === 0 ? null : ticks(startTicks + BigInt(pick(10_000)));
  const tracks = [...TRACKS.keys()].filter(() => pick(2) === 0);
  const name = NAMES[pick(NAMES.length)]!;
  return { id, kind: kindOf({ name, endTicks }), startTicks, endTicks, name, tracks, colour: pick(16) };
}

describe("a mark", () => {
  it("is labelled with its name and its length", () => {
    const span = makeMark({ startTicks: ticks(1_000_000n), endTicks: ticks(2_250_000n) }, [], 0);
    const moment = makeMark({ startTicks: ticks(5), endTicks: ticks(5) }, [], 0);
    expect(labelOf(span, 1000)).toBe("1.25 ms");
    expect(labelOf(renamed(span, "warm-up\nslow"), 1000)).toBe("warm-up · 1.25 ms");
    expect(labelOf(moment, 1000)).toBe("");
    expect(labelOf(renamed(moment, "here"), 1000)).toBe("here");
  });

  it("is a mark, a region or a note by its text", () => {
    const span = makeMark({ startTicks: ticks(5), endTicks: ticks(9) }, [3], 2);
    expect(span).toMatchObject({ kind: "mark", startTicks: 5n, endTicks: 9n, tracks: [3], colour: 2 });
    expect(renamed(span, " warm-up ")).toMatchObject({ kind: "region", name: "warm-up" });
    expect(renamed(span, "warm-up\nslow").kind).toBe("note");
    const moment = makeMark({ startTicks: ticks(5), endTicks: ticks(5) }, [], 0);
    expect(moment.endTicks).toBeNull();
    expect(renamed(moment, "here").kind).toBe("note");
    expect([titleOf(moment), titleOf(span), titleOf(renamed(span, "a\nb"))]).toEqual(["Moment", "Span", "a"]);
  });

  it("is about all tracks where it would name too many", () => {
    const many = Array.from({ length: 101 }, (_, k) => k);
    expect(makeMark({ startTicks: ticks(0), endTicks: ticks(1) }, many, 0).tracks).toEqual([]);
  });

  it("comes by time, the longer one first", () => {
    const markAt = (id: string, start: number, end: number | null) =>
      mark(id, { startTicks: ticks(start), endTicks: end as Ticks | null });
    const sorted = [markAt("c", 5, null), markAt("b", 1, null), markAt("a", 1, null)].sort(byTime);
    expect(sorted.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });
});

describe("marks in an address", () => {
  it("come back as they were, whatever they say", () => {
    const pick = chance(7);
    for (let round = 0; round < 300; round++) {
      const marks = Array.from({ length: pick(6) }, (_, k) => anyMark(pick, `m${k}`));
      const { text, left } = formatMarks(marks);
      expect(left).toEqual([]);
      expect(parseMarks(text, TRACKS)).toEqual(marks);
    }
  });

  it("are as short as can be", () => {
    expect(formatMarks([mark("a"), mark("b", { endTicks: null, name: "x" })]).text).toBe("a,m1-2;b,m1,,,x");
  });

  it("are left out where they make no sense", () => {
    const hostile = [
      "",
      "a",
      ",m1",
      "a,q1",
      "a,m2-1",
      "a,m1-2,16",
      "a,m1.5",
      "a,m1,0,,x,y",
      "<b>,m1",
      `a,m${"9".repeat(20)}`,
    ];
    expect(parseMarks(hostile.join(";"), TRACKS)).toEqual([]);
    expect(parseMarks("a,m1,,3-999999.4,%zz;a,m2;b,n-5", TRACKS)).toEqual([
      mark("a", { endTicks: null, tracks: [3, 5, 6, 7, 9], name: "%zz" }),
      mark("b", { kind: "note", startTicks: ticks(-5), endTicks: null }),
    ]);
  });

  it("are as many as there is room for, and it says which are left", () => {
    const marks = Array.from({ length: 40 }, (_, k) => mark(`m${k}`, { name: "ü".repeat(100) }));
    const { text, left } = formatMarks(marks);
    expect(encodeURIComponent(text).length).toBeLessThanOrEqual(LONGEST_MARKS);
    expect([...parseMarks(text, TRACKS), ...left]).toEqual(marks);
    expect(left.length).toBeGreaterThan(0);
  });
});

describe("merging", () => {
  const merged = (base: Mark[], mine: Mark[], theirs: Mark[]) =>
    mergeMarks(base, mine, theirs).marks.map(({ id, name }) => `${id}:${name}`);

  it("takes what either has added, changed or removed", () => {
    const [a, b, c] = ["a", "b", "c"].map((id) => mark(id));
    expect(merged([a!], [a!, b!], [a!, c!])).toEqual(["a:", "c:", "b:"]);
    expect(merged([a!, b!], [mark("a", { name: "x" }), b!], [a!, mark("b", { name: "y" })])).toEqual(["a:x", "b:y"]);
    expect(merged([a!, b!], [b!], [a!])).toEqual([]);
    expect(merged([a!], [mark("a", { name: "x" })], [])).toEqual(["a:x"]);
    expect(merged([a!], [], [mark("a", { name: "y" })])).toEqual(["a:y"]);
  });

  it("keeps both where both have changed the same", () => {
    const theirs = mark("a", { name: "theirs" });
    const mine = mark("a", { name: "mine" });
    const { marks, twice } = mergeMarks([mark("a")], [mine], [theirs]);
    expect(marks[0]).toEqual(theirs);
    expect(marks[1]).toEqual({ ...mine, id: twice[0]!.id });
    expect(twice).toHaveLength(1);
    expect(mergeMarks([mark("a")], [mine], [mine]).marks).toEqual([mine]);
  });

  it("loses nothing that anybody wrote, and brings back nothing that both know is gone", () => {
    const pick = chance(11);
    for (let round = 0; round < 500; round++) {
      const base = Array.from({ length: pick(5) }, (_, k) => anyMark(pick, `b${k}`));
      const edit = (who: string): Mark[] => {
        const changed = base.flatMap((mark) => {
          const what = pick(4);
          return what === 0 ? [] : what === 1 ? [{ ...mark, name: `${who}${pick(2)}` }] : [mark];
        });
        return pick(2) === 0 ? changed : [...changed, anyMark(pick, `${who}${round}`)];
      };
      const [mine, theirs] = [edit("m"), edit("t")];
      const { marks } = mergeMarks(base, mine, theirs);
      const contents = new Set(marks.map(({ id: _id, ...content }) => JSON.stringify(content, text)));
      for (const mark of [...mine, ...theirs]) {
        const isNew = !base.some((old) => isSame(old, mark));
        const { id: _id, ...content } = mark;
        expect(!isNew || contents.has(JSON.stringify(content, text))).toBe(true);
      }
      expect(new Set(marks.map(({ id }) => id)).size).toBe(marks.length);
      for (const gone of base) {
        const isGone = ![...mine, ...theirs].some(({ id }) => id === gone.id);
        expect(isGone && marks.some(({ id }) => id === gone.id)).toBe(false);
      }
      expect(areSame(mergeMarks(theirs, theirs, theirs).marks, theirs)).toBe(true);
    }
  });
});

function text(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}` : value;
}
