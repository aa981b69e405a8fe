import { Shifts, type ToolAnswer, type ToolQuestion, ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { clockGroups } from "./clock-groups";
import { HitClocks } from "./hit-clocks";
import { compareHits, type HitPlace, placeBefore } from "./hit-walk";

/** Hits of four tracks as a server has them; the second two tracks are of a host that is drawn later. */
const LATER = new Map([
  [2, 7n],
  [3, 7n],
]);

const TRACKS = [0, 1, 2, 3, 4].map((id) => ({ id, kind: id < 4 ? "slice" : "rollup" }) as const);

function recordedHits(count: number): readonly HitPlace[] {
  let seed = 5;
  const random = (most: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed >>> 16) % most;
  };
  const hits = Array.from({ length: count }, (_, ordinal) => ({
    startTicks: ticks(random(40)),
    track: random(4),
    ordinal,
  }));
  return hits.sort(compareHits);
}

/** Answers in pages of three, by tracks, from a place on, and counts. */
function serverOf(hits: readonly HitPlace[]) {
  let questions = 0;
  const ask = async (question: ToolQuestion): Promise<ToolAnswer> => {
    questions += 1;
    const ranges = String(question.tracks ?? "0-3").split(",");
    const isNamed = (track: number) =>
      ranges.some((range) => {
        const [first = 0, last = first] = range.split("-").map(Number);
        return first <= track && track <= last;
      });
    const [start, track, ordinal] = String(question.after ?? "").split(",");
    const after =
      question.after === undefined
        ? null
        : { startTicks: ticks(start!), track: Number(track), ordinal: Number(ordinal) };
    const sign = question.backward === "true" ? -1 : 1;
    const own = hits.filter(
      (hit) =>
        isNamed(hit.track) &&
        hit.startTicks >= BigInt(String(question.start ?? 0)) &&
        hit.startTicks < BigInt(String(question.end ?? 1000)),
    );
    const beyond = own
      .filter((hit) => after === null || sign * compareHits(hit, after) > 0)
      .sort((a, b) => sign * compareHits(a, b));
    const page = question.limit === 24 ? beyond.slice(0, 3) : beyond;
    const isAll = page.length === beyond.length;
    const column = (id: string, textOf: (hit: HitPlace) => string) => ({ id, values: page.map(textOf) });
    const edge = page.at(-1);
    const columns = [
      column("event", (hit) => `${hit.track}.${hit.ordinal}`),
      column("start", (hit) => String(hit.startTicks)),
      column("duration", () => "1"),
      column("name", () => "x"),
    ];
    const more = isAll || edge === undefined ? null : `${edge.startTicks},${edge.track},${edge.ordinal}`;
    const facts = [{ id: "count", value: own.length }];
    return { facts, tables: [{ id: "events", columns, more }] } as unknown as ToolAnswer;
  };
  return { ask, count: () => questions };
}

it.each([
  new Shifts(LATER),
  new Shifts(
    new Map([
      [0, -3n],
      [2, 11n],
    ]),
  ),
  null,
])("walks hits in the order in which they are drawn, and numbers them so: case %#", async (shifts) => {
  const recorded = recordedHits(40);
  expect(new Set(recorded.map(({ track }) => track)).size).toBe(4);
  const drawn = recorded
    .map((hit) => ({ ...hit, startTicks: ticks(hit.startTicks + (shifts?.later(hit.track) ?? 0n)) }))
    .toSorted(compareHits);
  const places = (hits: readonly HitPlace[]) => hits.map(({ track, ordinal }) => `${track}.${ordinal}`);
  const server = serverOf(recorded);
  for (const direction of ["next", "previous"] as const) {
    const clocks = new HitClocks(clockGroups(shifts, TRACKS));
    const walked: HitPlace[] = [];
    for (let from: HitPlace | null = null; ; ) {
      const hit = await clocks.look(server.ask, "x", from, direction);
      if (hit === undefined) {
        break;
      }
      walked.push(hit);
      from = hit;
    }
    expect(places(walked)).toEqual(places(direction === "next" ? drawn : drawn.toReversed()));
  }
  const clocks = new HitClocks(clockGroups(shifts, TRACKS));
  expect(await Promise.all(drawn.map((hit) => clocks.rank(server.ask, "x", hit)))).toEqual(drawn.map((_, k) => k + 1));
  const before = server.count();
  await clocks.look(server.ask, "x", null, "next");
  await clocks.look(server.ask, "x", drawn[0]!, "next");
  expect(server.count() - before, "what is known is not asked for again").toBeLessThanOrEqual(3);
});

it("begins beyond a place that a clock has not come to yet", async () => {
  const server = serverOf([
    { startTicks: ticks(1), track: 0, ordinal: 0 },
    { startTicks: ticks(1), track: 2, ordinal: 0 },
  ]);
  const clocks = new HitClocks(clockGroups(new Shifts(LATER), TRACKS));
  const place = { startTicks: ticks(3), track: 0, ordinal: 0 };
  expect(await clocks.look(server.ask, "x", place, "next")).toMatchObject({ startTicks: 8n, track: 2 });
  expect(await clocks.look(server.ask, "x", place, "previous")).toMatchObject({ startTicks: 1n, track: 0 });
  expect(await clocks.rank(server.ask, "x", place)).toBe(1);
});

it("goes on where clocks are drawn before the origin of the run", async () => {
  const server = serverOf([
    { startTicks: ticks(1), track: 0, ordinal: 0 },
    { startTicks: ticks(1), track: 2, ordinal: 0 },
    { startTicks: ticks(9), track: 2, ordinal: 1 },
  ]);
  const clocks = new HitClocks(clockGroups(new Shifts(new Map([[2, -20n]])), TRACKS));
  expect(await clocks.look(server.ask, "x", placeBefore(ticks(-11)), "next")).toMatchObject({ startTicks: -11n });
  expect(await clocks.look(server.ask, "x", placeBefore(ticks(-11)), "previous")).toMatchObject({ startTicks: -19n });
  expect(await clocks.look(server.ask, "x", placeBefore(ticks(0)), "next")).toMatchObject({ startTicks: 1n, track: 0 });
});

it("names the tracks of each clock", () => {
  expect(clockGroups(null, TRACKS)).toEqual([{ laterTicks: 0n, tracks: undefined }]);
  expect(clockGroups(new Shifts(LATER), TRACKS)).toEqual([
    { laterTicks: 0n, tracks: "0-1" },
    { laterTicks: 7n, tracks: "2-3" },
  ]);
  expect(clockGroups(new Shifts(new Map([0, 1, 2, 3].map((id) => [id, 5n]))), TRACKS)).toEqual([
    { laterTicks: 5n, tracks: undefined },
  ]);
});

it("asks about tracks that are too many ranges for one question in several", () => {
  const tracks = Array.from({ length: 3000 }, (_, id) => ({ id, kind: "slice" }) as const);
  const odd = tracks.filter(({ id }) => id % 2 === 1).map(({ id }) => [id, 7n] as const);
  const groups = clockGroups(new Shifts(new Map(odd)), tracks);
  expect(groups.every((group) => group.tracks!.length <= 2000)).toBe(true);
  for (const laterTicks of [0n, 7n]) {
    const own = groups.filter((group) => group.laterTicks === laterTicks);
    expect(own.length).toBeGreaterThan(1);
    const ids = tracks.map(({ id }) => id).filter((id) => id % 2 === (laterTicks === 0n ? 0 : 1));
    expect(own.flatMap((group) => group.tracks!.split(",")).map(Number)).toEqual(ids);
  }
});
