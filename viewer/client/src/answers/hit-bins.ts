/** Density of the hits of a search for names in a view: the answer of the tool `hit_bins`, where few enough pages have hits. */

import type { ToolAnswerJson, ToolColumn } from "../base/schema";
import { ApiError } from "../net/error";
import { parseTrackTree } from "../net/model";
import { sharpLevel } from "../pages/resolver";
import type { ArchivedRun } from "./archived-run";
import { allHits, type NameHit } from "./name-hits";
import { parseNameQuery } from "./name-query";
import { lastTick, questionTracks } from "./question";
import { matchingNames, matchingTracks } from "./search";

const DEFAULT_PX = 400;
const TICK_LIMIT = 1n << 61n;

/** Lanes for which hits of a track count: its rows, and rollups. */
interface Lanes {
  readonly own: ReadonlySet<number>;
  readonly rollups: ReadonlyMap<number, ReadonlySet<number>>;
}

interface Bin {
  readonly track: number;
  readonly row: number;
  readonly bin: bigint;
  count: number;
  busy: bigint;
}

/** The answer to a question; null where it takes a server. */
export async function hitBinsAnswer(run: ArchivedRun, question: URLSearchParams): Promise<ToolAnswerJson | null> {
  const query = parseNameQuery(question.get("query") ?? "");
  if (query === null || question.get("by") !== "lane") {
    return null;
  }
  const end = (await lastTick(run)) + 1n;
  const start = least(BigInt(question.get("start") ?? 0), end);
  const stop = least(BigInt(question.get("end") ?? TICK_LIMIT), end);
  const px = Number(question.get("px") ?? DEFAULT_PX);
  const width = stop > start ? stop - start : 1n;
  const { root_level } = (await run.manifest()).public;
  const shift = BigInt(2 * sharpLevel(Number(width) / px, root_level));
  const span = { start: (start >> shift) << shift, stop: (((start + width - 1n) >> shift) + 1n) << shift };
  const tracks = await matchingTracks(run, query, await questionTracks(run, question.get("tracks")));
  const names = await matchingNames(run, query);
  const hits = await allHits(run, tracks, names, { start: 0n, stop: span.stop });
  if (hits === null) {
    throw new ApiError(422, "not_available", "there are more of them than a page marks without a server");
  }
  const bins = binsOf(hits, await lanesOf(run, question.get("tracks")), span, shift);
  const column = (id: string, title: string, kind: ToolColumn["kind"], values: ToolColumn["values"]): ToolColumn => ({
    ...{ id, title, kind, unit: "", total: "sum", values },
  });
  const columns = [
    column(
      "track",
      "Track",
      "track",
      bins.map(({ track }) => track),
    ),
    column(
      "row",
      "Row",
      "id",
      bins.map(({ row }) => row),
    ),
    column(
      "start",
      "Start",
      "time",
      bins.map(({ bin }) => String(bin << shift)),
    ),
    column(
      "count",
      "Count",
      "count",
      bins.map(({ count }) => String(count)),
    ),
    column(
      "busy",
      "Busy",
      "ticks",
      bins.map(({ busy }) => String(busy)),
    ),
  ];
  const table = {
    id: "bins",
    title: "Bins with hits",
    parent: null,
    nested: [],
    opens: [],
    columns,
    totals: null,
    rest: null,
  };
  const value = String(1n << shift);
  const facts = [{ id: "bin_ticks", label: "Width of a bin", kind: "ticks" as const, value, note: "" }];
  return { complete: true, headline: null, facts, tables: [{ ...table, more: null }], series: [], notes: [] };
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

async function lanesOf(run: ArchivedRun, text: string | null): Promise<Lanes> {
  if (text === null) {
    return { own: new Set(await questionTracks(run, null)), rollups: new Map() };
  }
  const tree = parseTrackTree(await run.trackTree());
  const kinds = new Map(tree.tracks.map(({ id, kind }) => [id, kind]));
  const own = new Set<number>();
  const rollups = new Map<number, ReadonlySet<number>>();
  for (const part of text.split(",")) {
    const [first = "0", last = first] = part.split("-");
    for (let id = Number(first); id <= Number(last); id++) {
      const leaves = await questionTracks(run, String(id));
      if (kinds.get(id) === "rollup") {
        rollups.set(id, new Set(leaves));
      } else if (leaves.length > 0) {
        own.add(id);
      }
    }
  }
  return { own, rollups };
}

/** Bins with hits: of rows of tracks, then of rollups, each by time. */
function binsOf(
  hits: readonly NameHit[],
  lanes: Lanes,
  span: { readonly start: bigint; readonly stop: bigint },
  shift: bigint,
): Bin[] {
  const own = new Map<string, Bin>();
  const ofRollups = new Map<string, Bin>();
  for (const hit of hits) {
    if (lanes.own.has(hit.track)) {
      addHit(own, hit, hit.track, hit.row, span, shift);
    }
    for (const [rollup, members] of lanes.rollups) {
      if (members.has(hit.track)) {
        addHit(ofRollups, hit, rollup, 0, span, shift);
      }
    }
  }
  const ordered = (bins: ReadonlyMap<string, Bin>): Bin[] =>
    [...bins.values()].sort((a, b) => a.track - b.track || a.row - b.row || (a.bin < b.bin ? -1 : 1));
  return [...ordered(own), ...ordered(ofRollups)];
}

function addHit(
  bins: Map<string, Bin>,
  { start, duration }: NameHit,
  track: number,
  row: number,
  span: { readonly start: bigint; readonly stop: bigint },
  shift: bigint,
): void {
  const end = least(start + duration, span.stop);
  const from = start > span.start ? start : span.start;
  const binAt = (bin: bigint): Bin => {
    const key = `${track} ${row} ${bin}`;
    const there = bins.get(key) ?? { track, row, bin, count: 0, busy: 0n };
    bins.set(key, there);
    return there;
  };
  if (start >= span.start && start < span.stop) {
    binAt(start >> shift).count += 1;
  }
  for (let tick = from; tick < end; ) {
    const next = least(((tick >> shift) + 1n) << shift, end);
    binAt(tick >> shift).busy += next - tick;
    tick = next;
  }
}
