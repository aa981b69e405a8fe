/** What the API of docs/api.md answers, in the viewer's own types: 64-bit numbers are BigInts, times are ticks. */

import { type Ticks, type TimeBase, ticks } from "../base/time";
import type { TrackKind } from "../base/track";
import type { TickRange } from "../base/view";
import type { OverviewGrid } from "../pages/overview";

export type RunState = "new" | "queued" | "indexing" | "ready" | "failed";

export interface Progress {
  readonly phase: string;
  /** Of the whole, 0 to 1. */
  readonly fraction: number;
  readonly bytesRead: bigint;
  readonly bytesTotal: bigint;
  readonly events: bigint;
  readonly tracks: number;
  readonly blocksDone: number;
  /** 0 until the trace has been read. */
  readonly blocks: number;
  readonly secondsLeft: number | null;
  /** Grows when the track tree changes; 0 while there is nothing to show. */
  readonly revision: number;
}

export interface Run {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly state: RunState;
  readonly error: string | null;
  readonly hosts: readonly string[];
  readonly files: number;
  readonly sizeBytes: bigint;
  readonly modifiedNs: bigint;
  readonly build: string | null;
  readonly progress: Progress | null;
  /** What was left aside of the run's files, and why. */
  readonly notes: readonly string[];
}

export interface Manifest {
  readonly run: string;
  readonly name: string;
  readonly build: string;
  /** `indexing`: provisional, and parts of the build are not there yet. */
  readonly state: "indexing" | "ready";
  readonly revision: number;
  readonly format: string;
  readonly time: TimeBase;
  readonly range: TickRange;
  readonly rootLevel: number;
  readonly empty: boolean;
  readonly hosts: readonly string[];
  readonly files: readonly string[];
  readonly processes: number;
  readonly tracks: number;
  readonly blocks: number;
  readonly names: { readonly count: number; readonly pageSize: number };
  readonly events: EventCounts;
  readonly ignored: Readonly<Record<string, bigint>>;
  readonly warnings: readonly string[];
  readonly storeBytes: bigint;
  readonly createdNs: bigint;
  /** Null in builds without one. */
  readonly overview: OverviewGrid | null;
}

export interface EventCounts {
  readonly total: bigint;
  readonly slices: bigint;
  readonly instants: bigint;
  readonly counterSamples: bigint;
  readonly asyncSlices: bigint;
  readonly flowEnds: bigint;
  readonly other: bigint;
}

export interface Group {
  readonly id: number;
  readonly parent: number | null;
  readonly kind: string;
  readonly name: string;
  readonly detail: string;
  /** The track that sums up the group, or null. */
  readonly rollup: number | null;
}

export interface Track {
  readonly id: number;
  readonly group: number;
  readonly kind: TrackKind;
  readonly name: string;
  readonly detail: string;
  readonly rows: number;
  readonly events: bigint;
  /** Summed duration; 0 for counters. */
  readonly busyTicks: Ticks;
  /** Rollup tracks: the number of rows of all child tracks together; 1 for the others. */
  readonly lanes: number;
  /** Rollup tracks: the ids of the tracks that it sums; empty for the others. */
  readonly children: readonly number[];
  /** Counter tracks: the range of all values. */
  readonly values: { readonly min: number; readonly max: number } | null;
}

export interface TrackTree {
  readonly groups: readonly Group[];
  readonly tracks: readonly Track[];
}

export interface EventName {
  readonly name: string;
  readonly category: string;
}

export type ArgValue = string | number | boolean | null | readonly ArgValue[] | { readonly [key: string]: ArgValue };

/** The slice at the other end of a flow. */
export interface FlowPartner {
  readonly track: number;
  readonly ordinal: bigint;
  readonly name: string;
  readonly startTicks: Ticks;
}

/** Slices from which flows arrive and to which they leave, in the order of the flows; the counts are of all. */
export interface Flows {
  readonly in: readonly FlowPartner[];
  readonly inCount: bigint;
  readonly out: readonly FlowPartner[];
  readonly outCount: bigint;
}

export interface EventDetails {
  readonly track: number;
  readonly ordinal: bigint;
  readonly kind: string;
  readonly name: string;
  readonly category: string;
  readonly startTicks: Ticks;
  readonly durationTicks: Ticks;
  readonly row: number;
  readonly flags: readonly string[];
  /** Counter samples: the value. */
  readonly value: number | null;
  readonly flows: Flows;
  readonly args: readonly { readonly name: string; readonly value: ArgValue }[];
}

export interface RunJson extends Omit<Run, "sizeBytes" | "modifiedNs" | "progress" | "notes"> {
  readonly size_bytes: string;
  readonly modified_ns: string;
  readonly progress: ProgressJson | null;
  readonly notes?: readonly string[];
}

export interface ProgressJson {
  readonly phase: string;
  readonly fraction: number;
  readonly bytes_read?: string;
  readonly bytes_total?: string;
  readonly events: string;
  readonly tracks?: number;
  readonly blocks_done?: number;
  readonly blocks?: number;
  readonly seconds_left?: number | null;
  readonly revision?: number;
}

export function parseProgress(json: ProgressJson): Progress {
  return {
    phase: json.phase,
    fraction: json.fraction,
    bytesRead: BigInt(json.bytes_read ?? 0),
    bytesTotal: BigInt(json.bytes_total ?? 0),
    events: BigInt(json.events),
    tracks: json.tracks ?? 0,
    blocksDone: json.blocks_done ?? 0,
    blocks: json.blocks ?? 0,
    secondsLeft: json.seconds_left ?? null,
    revision: json.revision ?? 0,
  };
}

export function parseRun(json: RunJson): Run {
  const { size_bytes, modified_ns, progress, notes, ...rest } = json;
  return {
    ...rest,
    notes: notes ?? [],
    sizeBytes: BigInt(size_bytes),
    modifiedNs: BigInt(modified_ns),
    progress: progress === null ? null : parseProgress(progress),
  };
}

export interface ManifestJson {
  readonly run: string;
  readonly name: string;
  readonly build: string;
  readonly state?: "indexing" | "ready";
  readonly revision?: number;
  readonly overview?: {
    readonly level: number;
    readonly bins: number;
    readonly bins_per_page: number;
    readonly pages: number;
  };
  readonly format: string;
  readonly tick_ps: number;
  readonly origin_ns: string;
  readonly start: string;
  readonly end: string;
  readonly root_level: number;
  readonly empty: boolean;
  readonly hosts: readonly string[];
  readonly files: readonly string[];
  readonly processes: number;
  readonly tracks: number;
  readonly blocks: number;
  readonly names: { readonly count: number; readonly page_size: number };
  readonly events: {
    readonly total: string;
    readonly slices: string;
    readonly instants: string;
    readonly counter_samples: string;
    readonly async_slices: string;
    readonly flow_ends: string;
    readonly other: string;
  };
  readonly ignored: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  readonly store_bytes: string;
  readonly created_ns: string;
}

export function parseManifest(json: ManifestJson): Manifest {
  const { run, name, build, format, empty, hosts, files, processes, tracks, blocks, warnings } = json;
  const { overview } = json;
  return {
    state: json.state ?? "ready",
    revision: json.revision ?? 0,
    overview:
      overview === undefined
        ? null
        : { level: overview.level, bins: overview.bins, binsPerPage: overview.bins_per_page, pages: overview.pages },
    ...{ run, name, build, format, empty, hosts, files, processes, tracks, blocks, warnings },
    time: { tickPs: json.tick_ps, originNs: BigInt(json.origin_ns) },
    range: { startTicks: ticks(json.start), endTicks: ticks(json.end) },
    rootLevel: json.root_level,
    names: { count: json.names.count, pageSize: json.names.page_size },
    events: {
      total: BigInt(json.events.total),
      slices: BigInt(json.events.slices),
      instants: BigInt(json.events.instants),
      counterSamples: BigInt(json.events.counter_samples),
      asyncSlices: BigInt(json.events.async_slices),
      flowEnds: BigInt(json.events.flow_ends),
      other: BigInt(json.events.other),
    },
    ignored: Object.fromEntries(Object.entries(json.ignored).map(([reason, count]) => [reason, BigInt(count)])),
    storeBytes: BigInt(json.store_bytes),
    createdNs: BigInt(json.created_ns),
  };
}

export interface TrackTreeJson {
  readonly groups: readonly Group[];
  readonly tracks: readonly {
    readonly id: number;
    readonly group: number;
    readonly kind: TrackKind;
    readonly name: string;
    readonly detail: string;
    readonly rows: number;
    readonly events: string;
    readonly busy?: string;
    readonly lanes?: number;
    readonly min?: number | null;
    readonly max?: number | null;
  }[];
}

export function parseTrackTree(json: TrackTreeJson): TrackTree {
  const summed = rollupChildren(json);
  const tracks = json.tracks.map(({ events, busy, lanes, min, max, ...rest }) => ({
    ...rest,
    events: BigInt(events),
    busyTicks: ticks(busy ?? "0"),
    lanes: lanes ?? 1,
    children: summed.get(rest.id) ?? [],
    values: typeof min === "number" && typeof max === "number" ? { min, max } : null,
  }));
  return { groups: json.groups, tracks };
}

const SUMMED_KINDS: ReadonlySet<TrackKind> = new Set(["slice", "async", "instant"]);

/** By rollup: the tracks with events of all groups below its own. Two groups may share a rollup. */
function rollupChildren({ groups, tracks }: TrackTreeJson): ReadonlyMap<number, readonly number[]> {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const children = new Map<number, Set<number>>();
  for (const track of tracks) {
    if (!SUMMED_KINDS.has(track.kind) || track.events === "0") continue;
    for (let group = byId.get(track.group); group !== undefined; group = byId.get(group.parent ?? -1)) {
      if (group.rollup === null) continue;
      const found = children.get(group.rollup);
      if (found === undefined) children.set(group.rollup, new Set([track.id]));
      else found.add(track.id);
    }
  }
  return new Map([...children].map(([rollup, ids]) => [rollup, [...ids]]));
}

export interface EventDetailsJson {
  readonly track: number;
  readonly ordinal: string;
  readonly kind: string;
  readonly name: string;
  readonly category: string;
  readonly start: string;
  readonly duration: string;
  readonly row: number;
  readonly flags: readonly string[];
  readonly value: number | null;
  readonly flows?: {
    readonly in: readonly FlowPartnerJson[];
    readonly in_count: string;
    readonly out: readonly FlowPartnerJson[];
    readonly out_count: string;
  };
  readonly args: readonly { readonly name: string; readonly value: ArgValue }[];
}

export interface FlowPartnerJson {
  readonly track: number;
  readonly ordinal: string;
  readonly name: string;
  readonly start: string;
}

export function parseEventDetails(json: EventDetailsJson): EventDetails {
  const { ordinal, start, duration, flows, ...rest } = json;
  const partner = ({ track, name, ...other }: FlowPartnerJson): FlowPartner => ({
    ...{ track, name, ordinal: BigInt(other.ordinal), startTicks: ticks(other.start) },
  });
  return {
    ...rest,
    ordinal: BigInt(ordinal),
    startTicks: ticks(start),
    durationTicks: ticks(duration),
    flows: {
      in: flows?.in.map(partner) ?? [],
      inCount: BigInt(flows?.in_count ?? 0),
      out: flows?.out.map(partner) ?? [],
      outCount: BigInt(flows?.out_count ?? 0),
    },
  };
}
