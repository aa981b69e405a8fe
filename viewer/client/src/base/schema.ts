/**
 * What the server says, as tiler/schema declares it. Written by `make types`: change it there.
 *
 * Names end in Json where JSON has decimal text for integers of 64 bits; the function beside makes integers of them.
 */

import { type Ticks, ticks } from "./time";

/** Any JSON value; integers beyond 2^53 - 1 are decimal text. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** An argument of an event, as its file has it. */
export interface Argument {
  readonly name: string;
  /** Any JSON value; integers beyond 2**53 - 1 are decimal text. */
  readonly value: JsonValue;
}

/** Bytes under a name: an HLO proto, the stats of a plane, a member of a JSON trace. */
export interface Attachment {
  /** Names it in paths, within the build. */
  readonly id: number;
  readonly host: string;
  /** The place of its file in the manifest's `files`. */
  readonly file: number;
  /** Such as `hlo/7` or `json/deviceProperties`; no other of its file has it. */
  readonly name: string;
  /** What the trace calls it. */
  readonly label: string;
  readonly mediaType: string;
  readonly sizeBytes: bigint;
  /** Of the content: eight hexadecimal digits. */
  readonly crc32: string;
}

/** Attachment as JSON has it. */
export interface AttachmentJson {
  readonly id: number;
  readonly host: string;
  readonly file: number;
  readonly name: string;
  readonly label: string;
  readonly media_type: string;
  readonly size_bytes: string;
  readonly crc32: string;
}

/** Attachment of its JSON. */
export function readAttachment(json: AttachmentJson): Attachment {
  return {
    id: json.id,
    host: json.host,
    file: json.file,
    name: json.name,
    label: json.label,
    mediaType: json.media_type,
    sizeBytes: BigInt(json.size_bytes),
    crc32: json.crc32,
  };
}

/** The attachments of a build, by id. */
export interface AttachmentList {
  readonly attachments: readonly Attachment[];
}

/** AttachmentList as JSON has it. */
export interface AttachmentListJson {
  readonly attachments: readonly AttachmentJson[];
}

/** AttachmentList of its JSON. */
export function readAttachmentList(json: AttachmentListJson): AttachmentList {
  return {
    attachments: json.attachments.map(readAttachment),
  };
}

/** A call stack that an argument of an event refers to. */
export interface CallStack {
  /** `sf`: where the event begins; `esf`: where it ends. */
  readonly argument: string;
  /** Names, the outermost frame first. */
  readonly frames: readonly string[];
}

/** Scale of the axes of a chart. */
export type ChartScale = "linear" | "log";

/** The shift of the clock of a host, or of a rank. */
export interface ClockShift {
  /** Name of the group that is shifted: a host, or a rank of a job. */
  readonly host: string;
  /** Ticks by which all of the host is drawn later; below 0: earlier. */
  readonly shiftTicks: Ticks;
  /**
   * Whether it was measured by a tool, or set by hand, or is that of a file with a time axis of its own, whose times are counted from its first event.
   */
  readonly origin: "by_hand" | "measured" | "own_axis";
}

/** ClockShift as JSON has it. */
export interface ClockShiftJson {
  readonly host: string;
  readonly shift: string;
  readonly origin: "by_hand" | "measured" | "own_axis";
}

/** ClockShift of its JSON. */
export function readClockShift(json: ClockShiftJson): ClockShift {
  return {
    host: json.host,
    shiftTicks: ticks(json.shift),
    origin: json.origin,
  };
}

/** The body of every answer with an error status. */
export interface ErrorAnswer {
  readonly error: Refusal;
}

/** Code of an error, for programs. */
export type ErrorCode =
  | "bad_message"
  | "bad_request"
  | "bad_store"
  | "bad_trace"
  | "busy"
  | "cancelled"
  | "disk_full"
  | "forbidden"
  | "internal"
  | "method_not_allowed"
  | "not_acceptable"
  | "not_available"
  | "not_built_yet"
  | "not_found"
  | "not_indexed"
  | "precondition_failed"
  | "precondition_required"
  | "question_failed"
  | "too_large"
  | "too_many"
  | "too_slow"
  | "tool_failed"
  | "unauthorized"
  | "unknown_build";

/** Columns of equal length. */
export interface EventColumns {
  readonly track: readonly number[];
  readonly ordinal: readonly bigint[];
  /** -1 is no name. */
  readonly nameId: readonly number[];
  readonly startTicks: readonly Ticks[];
  readonly durationTicks: readonly Ticks[];
  readonly row: readonly number[];
  /** Whether the trace ended before the event did. */
  readonly open: readonly boolean[];
  /** Sums of slice flags, see docs/page-format.md. */
  readonly flags: readonly number[];
  /** Counter samples: the value. */
  readonly value: readonly (number | null)[];
}

/** EventColumns as JSON has it. */
export interface EventColumnsJson {
  readonly track: readonly number[];
  readonly ordinal: readonly string[];
  readonly name_id: readonly number[];
  readonly start: readonly string[];
  readonly duration: readonly string[];
  readonly row: readonly number[];
  readonly open: readonly boolean[];
  readonly flags: readonly number[];
  readonly value: readonly (number | null)[];
}

/** EventColumns of its JSON. */
export function readEventColumns(json: EventColumnsJson): EventColumns {
  return {
    track: json.track,
    ordinal: json.ordinal.map(BigInt),
    nameId: json.name_id,
    startTicks: json.start.map(ticks),
    durationTicks: json.duration.map(ticks),
    row: json.row,
    open: json.open,
    flags: json.flags,
    value: json.value,
  };
}

/** Events as they are written in the files, see docs/formats.md. */
export interface EventCounts {
  readonly total: bigint;
  readonly slices: bigint;
  readonly instants: bigint;
  readonly counterSamples: bigint;
  readonly asyncSlices: bigint;
  readonly flowEnds: bigint;
  readonly other: bigint;
}

/** EventCounts as JSON has it. */
export interface EventCountsJson {
  readonly total: string;
  readonly slices: string;
  readonly instants: string;
  readonly counter_samples: string;
  readonly async_slices: string;
  readonly flow_ends: string;
  readonly other: string;
}

/** EventCounts of its JSON. */
export function readEventCounts(json: EventCountsJson): EventCounts {
  return {
    total: BigInt(json.total),
    slices: BigInt(json.slices),
    instants: BigInt(json.instants),
    counterSamples: BigInt(json.counter_samples),
    asyncSlices: BigInt(json.async_slices),
    flowEnds: BigInt(json.flow_ends),
    other: BigInt(json.other),
  };
}

/** One event with all its arguments. */
export interface EventDetails {
  readonly track: number;
  /** Rank of the event on its track. */
  readonly ordinal: bigint;
  readonly kind: "async" | "counter" | "instant" | "slice";
  readonly name: string;
  readonly category: string;
  readonly startTicks: Ticks;
  readonly durationTicks: Ticks;
  /** Depth at which it is drawn. */
  readonly row: number;
  /** Those of its slice flags that hold, by name. */
  readonly flags: readonly string[];
  /** Counter samples: the value. */
  readonly value: number | null;
  /** null while the run is indexed: flows are stored last. */
  readonly flows: EventFlows | null;
  /** In the order of the file, with its repetitions. */
  readonly args: readonly Argument[];
  /** Of arguments that refer to the file's `stackFrames`. */
  readonly stacks: readonly CallStack[];
}

/** EventDetails as JSON has it. */
export interface EventDetailsJson {
  readonly track: number;
  readonly ordinal: string;
  readonly kind: "async" | "counter" | "instant" | "slice";
  readonly name: string;
  readonly category: string;
  readonly start: string;
  readonly duration: string;
  readonly row: number;
  readonly flags: readonly string[];
  readonly value: number | null;
  readonly flows: EventFlowsJson | null;
  readonly args: readonly Argument[];
  readonly stacks: readonly CallStack[];
}

/** EventDetails of its JSON. */
export function readEventDetails(json: EventDetailsJson): EventDetails {
  return {
    track: json.track,
    ordinal: BigInt(json.ordinal),
    kind: json.kind,
    name: json.name,
    category: json.category,
    startTicks: ticks(json.start),
    durationTicks: ticks(json.duration),
    row: json.row,
    flags: json.flags,
    value: json.value,
    flows: json.flows === null ? null : readEventFlows(json.flows),
    args: json.args,
    stacks: json.stacks,
  };
}

/** Slices from which flows arrive and to which they leave, in the order of the flows; the counts are of all. */
export interface EventFlows {
  readonly in: readonly FlowPartner[];
  readonly inCount: bigint;
  readonly out: readonly FlowPartner[];
  readonly outCount: bigint;
}

/** EventFlows as JSON has it. */
export interface EventFlowsJson {
  readonly in: readonly FlowPartnerJson[];
  readonly in_count: string;
  readonly out: readonly FlowPartnerJson[];
  readonly out_count: string;
}

/** EventFlows of its JSON. */
export function readEventFlows(json: EventFlowsJson): EventFlows {
  return {
    in: json.in.map(readFlowPartner),
    inCount: BigInt(json.in_count),
    out: json.out.map(readFlowPartner),
    outCount: BigInt(json.out_count),
  };
}

/** The events of a span by track and ordinal, those that started before it included. */
export interface Events {
  readonly columns: EventColumns;
  /** Name and category of every name id of this answer. */
  readonly names: Readonly<Record<string, readonly [string, string]>>;
  /** What `after` has to be for the events that follow. */
  readonly after: string | null;
}

/** Events as JSON has it. */
export interface EventsJson {
  readonly columns: EventColumnsJson;
  readonly names: Readonly<Record<string, readonly [string, string]>>;
  readonly after: string | null;
}

/** Events of its JSON. */
export function readEvents(json: EventsJson): Events {
  return {
    columns: readEventColumns(json.columns),
    names: json.names,
    after: json.after,
  };
}

/** Kind of a figure: exact integers are decimal text, ids and fractions numbers. */
export type FigureKind =
  | "text"
  | "name"
  | "count"
  | "ticks"
  | "ps"
  | "time"
  | "bytes"
  | "fraction"
  | "rate"
  | "flops"
  | "number"
  | "id"
  | "track"
  | "event"
  | "span"
  | "place"
  | "flag";

/** Numbers of flow ends by what became of them, see docs/formats.md. */
export interface FlowCounts {
  /** Lead from a slice to a slice. */
  readonly edges: bigint;
  /** Steps included. */
  readonly startsWithoutEnd: bigint;
  readonly endsWithoutStart: bigint;
  readonly withoutId: bigint;
  /** Left out: an end lies where its thread has no slice. */
  readonly withoutSlice: bigint;
  /** Not among `edges`: lead from a launch to what it launched, by the correlation of both. */
  readonly derived: bigint;
  /** Slices of devices whose correlation several launches have: no edge leads to them. */
  readonly ambiguous: bigint;
  /**
   * Calls with a correlation that are joined to no work of a device: they launch nothing, or it was not recorded. Not those of `ambiguous` slices. null: there was no room to join by correlation.
   */
  readonly callsWithoutWork: bigint | null;
  /** Slices of devices with a correlation that are joined to no launch, `ambiguous` too; or null. */
  readonly workWithoutLaunch: bigint | null;
}

/** FlowCounts as JSON has it. */
export interface FlowCountsJson {
  readonly edges: string;
  readonly starts_without_end: string;
  readonly ends_without_start: string;
  readonly without_id: string;
  readonly without_slice: string;
  readonly derived: string;
  readonly ambiguous: string;
  readonly calls_without_work: string | null;
  readonly work_without_launch: string | null;
}

/** FlowCounts of its JSON. */
export function readFlowCounts(json: FlowCountsJson): FlowCounts {
  return {
    edges: BigInt(json.edges),
    startsWithoutEnd: BigInt(json.starts_without_end),
    endsWithoutStart: BigInt(json.ends_without_start),
    withoutId: BigInt(json.without_id),
    withoutSlice: BigInt(json.without_slice),
    derived: BigInt(json.derived),
    ambiguous: BigInt(json.ambiguous),
    callsWithoutWork: json.calls_without_work === null ? null : BigInt(json.calls_without_work),
    workWithoutLaunch: json.work_without_launch === null ? null : BigInt(json.work_without_launch),
  };
}

/** The slice at the other end of a flow. */
export interface FlowPartner {
  readonly track: number;
  readonly ordinal: bigint;
  readonly name: string;
  readonly startTicks: Ticks;
  /** No flow of the file leads there: both slices have the same correlation. */
  readonly derived: boolean;
}

/** FlowPartner as JSON has it. */
export interface FlowPartnerJson {
  readonly track: number;
  readonly ordinal: string;
  readonly name: string;
  readonly start: string;
  readonly derived: boolean;
}

/** FlowPartner of its JSON. */
export function readFlowPartner(json: FlowPartnerJson): FlowPartner {
  return {
    track: json.track,
    ordinal: BigInt(json.ordinal),
    name: json.name,
    startTicks: ticks(json.start),
    derived: json.derived,
  };
}

/** A process, a host, or all hosts. */
export interface Group {
  readonly id: number;
  /** The group around it. */
  readonly parent: number | null;
  readonly kind: GroupKind;
  readonly name: string;
  readonly detail: string;
  /** The track that sums up all slices below the group. */
  readonly rollup: number | null;
  /** Reason for which a host of a run of shards is not there, and has no tracks. */
  readonly missing: string | undefined;
}

/** Kind of a group of tracks. */
export type GroupKind = "run" | "host" | "process";

/** The server is alive. */
export interface Health {
  readonly status: "ok";
  readonly version: string;
}

/** The marks that are kept beside a run. */
export interface KeptMarks {
  readonly marks: readonly Mark[];
  /** The server takes changes: it was started with `--allow-notes`. */
  readonly writable: boolean;
}

/** KeptMarks as JSON has it. */
export interface KeptMarksJson {
  readonly marks: readonly MarkJson[];
  readonly writable: boolean;
}

/** KeptMarks of its JSON. */
export function readKeptMarks(json: KeptMarksJson): KeptMarks {
  return {
    marks: json.marks.map(readMark),
    writable: json.writable,
  };
}

/** Limits of one request. More is refused, except where it says otherwise. */
export interface Limits {
  /** Page keys in one batch, and in one list of the stream. */
  readonly pageKeys: number;
  /** Bytes of a request's body, and of a message of the stream. */
  readonly bodyBytes: number;
  /** Blocks of a list of the watch that count, the first ones. */
  readonly watchBlocks: number;
  /** Tracks of a view in the stream. */
  readonly viewTracks: number;
  /** Events in one answer. */
  readonly events: number;
  /** Tracks that one question names. */
  readonly questionTracks: number;
  /** All times are below: where spans end at the latest. */
  readonly endTicks: Ticks;
}

/** Limits as JSON has it. */
export interface LimitsJson {
  readonly page_keys: number;
  readonly body_bytes: number;
  readonly watch_blocks: number;
  readonly view_tracks: number;
  readonly events: number;
  readonly question_tracks: number;
  readonly end: string;
}

/** Limits of its JSON. */
export function readLimits(json: LimitsJson): Limits {
  return {
    pageKeys: json.page_keys,
    bodyBytes: json.body_bytes,
    watchBlocks: json.watch_blocks,
    viewTracks: json.view_tracks,
    events: json.events,
    questionTracks: json.question_tracks,
    endTicks: ticks(json.end),
  };
}

/** Limits of this version, for those that no server has told. */
export const LIMITS: Limits = readLimits({
  page_keys: 4096,
  body_bytes: 262144,
  watch_blocks: 1024,
  view_tracks: 1024,
  events: 50000,
  question_tracks: 65536,
  end: "2305843009213693952",
});

/** Content of a run. Everything else asks for the build that is named here. */
export interface Manifest {
  /** Id of the build: everything below it is immutable once it is ready. */
  readonly build: string;
  /** indexing: provisional, and parts of the build are not there yet. */
  readonly state: "indexing" | "ready";
  /** Grows when the track tree changes; 0 of a build that is ready. */
  readonly revision: number;
  /** Formats of the files: xspace, trace-event JSON … */
  readonly format: string;
  /** Picoseconds of a tick. */
  readonly tickPs: 1 | 1000;
  /** Time of tick 0, in nanoseconds; since the epoch, where it is known. */
  readonly originNs: bigint;
  /** The first tick, always 0. */
  readonly startTicks: Ticks;
  /** The last tick of any event. */
  readonly endTicks: Ticks;
  /** Level of the tiles that show the whole run. */
  readonly rootLevel: number;
  /** Whether no track has an event. */
  readonly empty: boolean;
  readonly hosts: readonly string[];
  /** Names of the trace files, without their folders. */
  readonly files: readonly string[];
  readonly processes: number;
  /** Track ids are 0 to tracks - 1, rollups included. */
  readonly tracks: number;
  /** Blocks of 32 tracks. */
  readonly blocks: number;
  readonly names: NameCounts;
  readonly overview: OverviewGrid | undefined;
  readonly events: EventCounts;
  readonly flows: FlowCounts;
  /** null where the trace marks none, or is being indexed. */
  readonly steps: StepCounts | null;
  /** The busiest families of events first: categories, and stems of names without one. At most 16. */
  readonly families: readonly string[] | undefined;
  /** Events that figures leave out; null where there are none. */
  readonly outliers: Outliers | null | undefined;
  /** What was left out of the trace: how often, by reason. */
  readonly ignored: Readonly<Record<string, bigint>>;
  readonly warnings: readonly string[];
  /** Hosts of a run of shards that are not there: nothing of them is counted anywhere. */
  readonly missing: readonly MissingHost[] | undefined;
  /** Shifts to add when the run is drawn. All other answers are in the times that were recorded. */
  readonly shifts: readonly ClockShift[] | undefined;
  /** Size of the trace files. */
  readonly sourceBytes: bigint;
  /** When it was indexed, in nanoseconds since the epoch. */
  readonly createdNs: bigint;
  /** Id of the run. */
  readonly run: string;
  /** Name of the run. */
  readonly name: string;
  /** Size of the store. */
  readonly storeBytes: bigint;
  readonly limits: Limits;
}

/** Manifest as JSON has it. */
export interface ManifestJson {
  readonly build: string;
  readonly state: "indexing" | "ready";
  readonly revision: number;
  readonly format: string;
  readonly tick_ps: 1 | 1000;
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
  readonly names: NameCountsJson;
  readonly overview?: OverviewGridJson;
  readonly events: EventCountsJson;
  readonly flows: FlowCountsJson;
  readonly steps: StepCountsJson | null;
  readonly families?: readonly string[];
  readonly outliers?: OutliersJson | null;
  readonly ignored: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
  readonly missing?: readonly MissingHost[];
  readonly shifts?: readonly ClockShiftJson[];
  readonly source_bytes: string;
  readonly created_ns: string;
  readonly run: string;
  readonly name: string;
  readonly store_bytes: string;
  readonly limits: LimitsJson;
}

/** Manifest of its JSON. */
export function readManifest(json: ManifestJson): Manifest {
  return {
    build: json.build,
    state: json.state,
    revision: json.revision,
    format: json.format,
    tickPs: json.tick_ps,
    originNs: BigInt(json.origin_ns),
    startTicks: ticks(json.start),
    endTicks: ticks(json.end),
    rootLevel: json.root_level,
    empty: json.empty,
    hosts: json.hosts,
    files: json.files,
    processes: json.processes,
    tracks: json.tracks,
    blocks: json.blocks,
    names: readNameCounts(json.names),
    overview: json.overview === undefined ? undefined : readOverviewGrid(json.overview),
    events: readEventCounts(json.events),
    flows: readFlowCounts(json.flows),
    steps: json.steps === null ? null : readStepCounts(json.steps),
    families: json.families,
    outliers: json.outliers == null ? json.outliers : readOutliers(json.outliers),
    ignored: Object.fromEntries(Object.entries(json.ignored).map(([name, value]) => [name, BigInt(value)])),
    warnings: json.warnings,
    missing: json.missing,
    shifts: json.shifts === undefined ? undefined : json.shifts.map(readClockShift),
    sourceBytes: BigInt(json.source_bytes),
    createdNs: BigInt(json.created_ns),
    run: json.run,
    name: json.name,
    storeBytes: BigInt(json.store_bytes),
    limits: readLimits(json.limits),
  };
}

/** A moment or a span that somebody marked. */
export interface Mark {
  /** Tells it from all others of the run. */
  readonly id: string;
  /** `mark`: a span or a moment; `region`: one with a name; `note`: a text. */
  readonly kind: MarkKind;
  readonly startTicks: Ticks;
  /** None: a moment. */
  readonly endTicks: Ticks | null | undefined;
  readonly name: string | undefined;
  /** None: it is about all of them. */
  readonly tracks: readonly number[] | undefined;
  /** Of the viewer's palette. */
  readonly colour: number | undefined;
}

/** Mark as JSON has it. */
export interface MarkJson {
  readonly id: string;
  readonly kind: MarkKind;
  readonly start: string;
  readonly end?: string | null;
  readonly name?: string;
  readonly tracks?: readonly number[];
  readonly colour?: number;
}

/** Mark of its JSON. */
export function readMark(json: MarkJson): Mark {
  return {
    id: json.id,
    kind: json.kind,
    startTicks: ticks(json.start),
    endTicks: json.end == null ? json.end : ticks(json.end),
    name: json.name,
    tracks: json.tracks,
    colour: json.colour,
  };
}

/** Kind of a mark. */
export type MarkKind = "mark" | "region" | "note";

/** The marks of a run, all of them. */
export interface MarkList {
  readonly marks: readonly Mark[];
}

/** MarkList as JSON has it. */
export interface MarkListJson {
  readonly marks: readonly MarkJson[];
}

/** MarkList of its JSON. */
export function readMarkList(json: MarkListJson): MarkList {
  return {
    marks: json.marks.map(readMark),
  };
}

/** A host of a run of shards that is not there. */
export interface MissingHost {
  /** The host, or the trace file where no host is known. */
  readonly name: string;
  readonly reason: string;
}

/** The names of a build, which come in pages. */
export interface NameCounts {
  /** Name ids are 0 to count - 1. */
  readonly count: number;
  /** Page p has the names from p * page_size on. */
  readonly pageSize: number;
}

/** NameCounts as JSON has it. */
export interface NameCountsJson {
  readonly count: number;
  readonly page_size: number;
}

/** NameCounts of its JSON. */
export function readNameCounts(json: NameCountsJson): NameCounts {
  return {
    count: json.count,
    pageSize: json.page_size,
  };
}

/** An event that is apart from all else, or whose times cannot be true. */
export interface Outlier {
  readonly track: number;
  readonly ordinal: bigint;
  /** Name id, -1 without a name. */
  readonly name: number;
  readonly startTicks: Ticks;
  readonly endTicks: Ticks;
  /**
   * It lies before all else, or after it; lasts far longer than all else; or lasts beyond later kernels of its stream.
   */
  readonly reason: "after" | "before" | "overrun" | "too_long";
  /** Of an overrun: kernels and copies of the stream that start in it. */
  readonly later: bigint | undefined;
}

/** Outlier as JSON has it. */
export interface OutlierJson {
  readonly track: number;
  readonly ordinal: string;
  readonly name: number;
  readonly start: string;
  readonly end: string;
  readonly reason: "after" | "before" | "overrun" | "too_long";
  readonly later?: string;
}

/** Outlier of its JSON. */
export function readOutlier(json: OutlierJson): Outlier {
  return {
    track: json.track,
    ordinal: BigInt(json.ordinal),
    name: json.name,
    startTicks: ticks(json.start),
    endTicks: ticks(json.end),
    reason: json.reason,
    later: json.later === undefined ? undefined : BigInt(json.later),
  };
}

/** Events that figures leave out unless they are asked to count them. */
export interface Outliers {
  /** The start of the first of all other events. */
  readonly startTicks: Ticks;
  /** The end of the last of them. */
  readonly endTicks: Ticks;
  /** Events that lie before `start`. */
  readonly before: bigint;
  /** Events that lie after `end`. */
  readonly after: bigint;
  readonly tooLong: bigint;
  readonly overruns: bigint;
  /** Those that are too long or overrun, all of them; of those before and after some. */
  readonly events: readonly Outlier[];
}

/** Outliers as JSON has it. */
export interface OutliersJson {
  readonly start: string;
  readonly end: string;
  readonly before: string;
  readonly after: string;
  readonly too_long: string;
  readonly overruns: string;
  readonly events: readonly OutlierJson[];
}

/** Outliers of its JSON. */
export function readOutliers(json: OutliersJson): Outliers {
  return {
    startTicks: ticks(json.start),
    endTicks: ticks(json.end),
    before: BigInt(json.before),
    after: BigInt(json.after),
    tooLong: BigInt(json.too_long),
    overruns: BigInt(json.overruns),
    events: json.events.map(readOutlier),
  };
}

/** The bins of a build's overview: from tick 0 on, 4**level ticks wide. */
export interface OverviewGrid {
  readonly level: number;
  readonly bins: number;
  readonly binsPerPage: number;
  readonly pages: number;
}

/** OverviewGrid as JSON has it. */
export interface OverviewGridJson {
  readonly level: number;
  readonly bins: number;
  readonly bins_per_page: number;
  readonly pages: number;
}

/** OverviewGrid of its JSON. */
export function readOverviewGrid(json: OverviewGridJson): OverviewGrid {
  return {
    level: json.level,
    bins: json.bins,
    binsPerPage: json.bins_per_page,
    pages: json.pages,
  };
}

/** Progress of indexing. */
export interface Progress {
  /** start, wait (another process indexes the trace), read, build or publish. */
  readonly phase: string;
  /** Of the whole that is done. */
  readonly fraction: number;
  readonly bytesRead: bigint;
  readonly bytesTotal: bigint;
  /** Read so far. */
  readonly events: bigint;
  readonly tracks: number;
  readonly blocksDone: number;
  /** 0 until the trace has been read. */
  readonly blocks: number;
  /** null while there is nothing to tell from. */
  readonly secondsLeft: number | null;
  /** Grows when the track tree changes; 0 while there is nothing to show. */
  readonly revision: number;
}

/** Progress as JSON has it. */
export interface ProgressJson {
  readonly phase: string;
  readonly fraction: number;
  readonly bytes_read: string;
  readonly bytes_total: string;
  readonly events: string;
  readonly tracks: number;
  readonly blocks_done: number;
  readonly blocks: number;
  readonly seconds_left: number | null;
  readonly revision: number;
}

/** Progress of its JSON. */
export function readProgress(json: ProgressJson): Progress {
  return {
    phase: json.phase,
    fraction: json.fraction,
    bytesRead: BigInt(json.bytes_read),
    bytesTotal: BigInt(json.bytes_total),
    events: BigInt(json.events),
    tracks: json.tracks,
    blocksDone: json.blocks_done,
    blocks: json.blocks,
    secondsLeft: json.seconds_left,
    revision: json.revision,
  };
}

/** Code and message of an error. */
export interface Refusal {
  /** For programs. */
  readonly code: ErrorCode;
  /** For people: one line. */
  readonly message: string;
}

/** A run that this server offers. */
export interface Run {
  readonly id: string;
  readonly name: string;
  /** Begins with the name of what is served. */
  readonly path: string;
  readonly state: RunState;
  /** One line, when the state is failed, or queued as the run takes long to open. */
  readonly error: string | null;
  readonly hosts: readonly string[];
  /** How many trace files it has. */
  readonly files: number;
  readonly sizeBytes: bigint;
  readonly modifiedNs: bigint;
  /** What can be asked for now; null while there is nothing to show. */
  readonly build: string | null;
  /** null unless the state is indexing. */
  readonly progress: Progress | null;
  /** What was left aside of the run's files, and why. */
  readonly notes: readonly string[];
  /** Slices, instants and samples; null while it is not indexed. */
  readonly events: bigint | null;
  /** From the first tick to the last of any event; null while it is not indexed. */
  readonly durationPs: bigint | null;
  /** A file of it is still being written: it is indexed when it has stopped to grow. */
  readonly growing: boolean;
  /** Of a training on Ascend devices what its files have, by their names: words. Else empty. */
  readonly contents: readonly string[];
  /** How many steps it marks; null while it is not indexed, and where it marks none. */
  readonly steps: bigint | null;
}

/** Run as JSON has it. */
export interface RunJson {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly state: RunState;
  readonly error: string | null;
  readonly hosts: readonly string[];
  readonly files: number;
  readonly size_bytes: string;
  readonly modified_ns: string;
  readonly build: string | null;
  readonly progress: ProgressJson | null;
  readonly notes: readonly string[];
  readonly events: string | null;
  readonly duration_ps: string | null;
  readonly growing: boolean;
  readonly contents: readonly string[];
  readonly steps: string | null;
}

/** Run of its JSON. */
export function readRun(json: RunJson): Run {
  return {
    id: json.id,
    name: json.name,
    path: json.path,
    state: json.state,
    error: json.error,
    hosts: json.hosts,
    files: json.files,
    sizeBytes: BigInt(json.size_bytes),
    modifiedNs: BigInt(json.modified_ns),
    build: json.build,
    progress: json.progress === null ? null : readProgress(json.progress),
    notes: json.notes,
    events: json.events === null ? null : BigInt(json.events),
    durationPs: json.duration_ps === null ? null : BigInt(json.duration_ps),
    growing: json.growing,
    contents: json.contents,
    steps: json.steps === null ? null : BigInt(json.steps),
  };
}

/** The runs, newest first. */
export interface RunList {
  readonly runs: readonly Run[];
}

/** RunList as JSON has it. */
export interface RunListJson {
  readonly runs: readonly RunJson[];
}

/** RunList of its JSON. */
export function readRunList(json: RunListJson): RunList {
  return {
    runs: json.runs.map(readRun),
  };
}

/** State of a run on its way to being shown. */
export type RunState = "failed" | "indexing" | "new" | "queued" | "ready";

/** Form in which a series is drawn. */
export type SeriesKind = "line" | "area" | "bars" | "heat" | "points";

/** Severity of a note. */
export type Severity = "info" | "warning" | "error";

/** A statement to run. */
export interface SqlOrder {
  /** One statement, which selects. */
  readonly statement: string;
  /** The most rows. */
  readonly rows: number | undefined;
}

/** Statements on this server: whether this client may run some, and about what. */
export interface SqlRoom {
  readonly allowed: boolean;
  /** One line that says why not, and what to do. */
  readonly reason: string | null;
  /** Seconds after which a statement is interrupted. */
  readonly seconds: number;
  readonly tables: readonly SqlTable[];
}

/** Rows of a statement. */
export interface SqlRows {
  readonly columns: readonly SqlRowsColumn[];
  /** Cells in the order of the columns. Whole numbers, decimals, times and lists are text. */
  readonly rows: readonly (readonly (string | number | boolean | null)[])[];
  /** There are more rows than these. */
  readonly cut: boolean;
}

/** A column of the rows. */
export interface SqlRowsColumn {
  readonly name: string;
  /** As DuckDB calls it. */
  readonly type: string;
}

/** A table of each run. */
export interface SqlTable {
  readonly name: string;
  /** Its rows, in a few words. */
  readonly doc: string;
  readonly columns: readonly SqlTableColumn[];
}

/** A column of a table of a run. */
export interface SqlTableColumn {
  readonly name: string;
  /** As Arrow calls it. */
  readonly type: string;
  /** Its meaning, in a few words. */
  readonly doc: string;
}

/** The steps that a trace marks, see docs/formats.md. */
export interface StepCounts {
  /** Different numbers. */
  readonly count: bigint;
  /** The least number. */
  readonly first: bigint;
  /** The greatest number. */
  readonly last: bigint;
  /** That are steps: one for each device or host. */
  readonly slices: bigint;
  /** That have such slices. */
  readonly tracks: number;
  /** false: there are more than are kept. */
  readonly all: boolean;
}

/** StepCounts as JSON has it. */
export interface StepCountsJson {
  readonly count: string;
  readonly first: string;
  readonly last: string;
  readonly slices: string;
  readonly tracks: number;
  readonly all: boolean;
}

/** StepCounts of its JSON. */
export function readStepCounts(json: StepCountsJson): StepCounts {
  return {
    count: BigInt(json.count),
    first: BigInt(json.first),
    last: BigInt(json.last),
    slices: BigInt(json.slices),
    tracks: json.tracks,
    all: json.all,
  };
}

/** Answer of a tool. */
export interface ToolAnswer {
  /** false while the run is being indexed and tracks are not done, or where hosts are `missing`. */
  readonly complete: boolean;
  /** Hosts of a run of shards that are not there, and not in the answer. */
  readonly missing: readonly string[] | undefined;
  /** The answer in one sentence with its figures; null: there is nothing to say. */
  readonly headline: ToolNote | null | undefined;
  readonly facts: readonly ToolFact[];
  readonly tables: readonly ToolTable[];
  readonly series: readonly ToolSeries[];
  /** What else a reader should know: the headline is not in it. */
  readonly notes: readonly ToolNote[];
}

/** ToolAnswer as JSON has it. */
export interface ToolAnswerJson {
  readonly complete: boolean;
  readonly missing?: readonly string[];
  readonly headline?: ToolNoteJson | null;
  readonly facts: readonly ToolFact[];
  readonly tables: readonly ToolTable[];
  readonly series: readonly ToolSeries[];
  readonly notes: readonly ToolNoteJson[];
}

/** ToolAnswer of its JSON. */
export function readToolAnswer(json: ToolAnswerJson): ToolAnswer {
  return {
    complete: json.complete,
    missing: json.missing,
    headline: json.headline == null ? json.headline : readToolNote(json.headline),
    facts: json.facts,
    tables: json.tables,
    series: json.series,
    notes: json.notes.map(readToolNote),
  };
}

/** Values of one kind, one for each row. */
export interface ToolColumn {
  readonly id: string;
  readonly title: string;
  readonly kind: FigureKind;
  /** What a rate or a number is of. */
  readonly unit: string;
  /** How values of rows become one in totals and rest. */
  readonly total: TotalKind;
  /** null: not recorded. */
  readonly values: readonly (string | number | boolean | null)[];
}

/** A tool, and whether it has an answer for this run. */
export interface ToolEntry {
  readonly id: string;
  readonly title: string;
  readonly help: string;
  readonly group: string;
  readonly available: boolean;
  /** Why it has none, and what to record to get one. */
  readonly reason: string;
  /** Names of the fields of its question: one without `start` or `steps` takes no such range. */
  readonly fields: readonly string[];
}

/** One figure. */
export interface ToolFact {
  readonly id: string;
  readonly label: string;
  readonly kind: FigureKind;
  /** null: not recorded. */
  readonly value: string | number | boolean | null;
  /** What it is, or why it was not recorded and what to do about it. */
  readonly note: string;
}

/** All tools. */
export interface ToolList {
  readonly tools: readonly ToolEntry[];
}

/** Something that a reader should know, and where in the timeline to look. */
export interface ToolNote {
  readonly severity: Severity;
  readonly text: string;
  readonly startTicks: Ticks | null;
  readonly endTicks: Ticks | null;
  readonly track: number | null;
  /** The event that it is about: track.ordinal. */
  readonly event: string | null | undefined;
}

/** ToolNote as JSON has it. */
export interface ToolNoteJson {
  readonly severity: Severity;
  readonly text: string;
  readonly start: string | null;
  readonly end: string | null;
  readonly track: number | null;
  readonly event?: string | null;
}

/** ToolNote of its JSON. */
export function readToolNote(json: ToolNoteJson): ToolNote {
  return {
    severity: json.severity,
    text: json.text,
    startTicks: json.start === null ? null : ticks(json.start),
    endTicks: json.end === null ? null : ticks(json.end),
    track: json.track,
    event: json.event,
  };
}

/** A question that rows of a table stand for. Its range is that of the answer. */
export interface ToolRowQuestion {
  readonly tool: string;
  /** What the row leads to: “Kernels that it launches”. */
  readonly label: string;
  /** Fields of the question, and the columns whose value of the row they have; null: no question. */
  readonly columns: Readonly<Record<string, string>>;
  /** Fields that are the same for all rows. */
  readonly values: Readonly<Record<string, string>>;
}

/** Series of a chart: ys over one x. */
export interface ToolSeries {
  readonly id: string;
  readonly title: string;
  readonly kind: SeriesKind;
  /** Of both axes. On log, what is not above 0 has no place. */
  readonly scale: ChartScale;
  readonly x: ToolColumn;
  readonly ys: readonly ToolColumn[];
  /** Limits over the same x, measured as ys are: lines, whatever the kind. */
  readonly lines: readonly ToolColumn[];
  /** What is at each x, where that says more than x itself. */
  readonly labels: ToolColumn | null;
}

/** Columns of equal length. */
export interface ToolTable {
  readonly id: string;
  readonly title: string;
  /** The column of row numbers (-1: none) that makes a tree of the rows. */
  readonly parent: string | null;
  /** Columns whose value of a row has those of all rows below it: a tree can be drawn by them. */
  readonly nested: readonly string[] | undefined;
  /** Questions that a row leads to. */
  readonly opens: readonly ToolRowQuestion[] | undefined;
  readonly columns: readonly ToolColumn[];
  /** Over all rows, by column. */
  readonly totals: Readonly<Record<string, string | number | boolean | null>> | null;
  /** Over rows that are not listed, by column. */
  readonly rest: Readonly<Record<string, string | number | boolean | null>> | null;
  /** What `after` has to be for the rows that follow. */
  readonly more: string | null;
}

/** Way in which values of rows become one. */
export type TotalKind = "sum" | "max" | "min" | "none";

/** One track. Tracks stand by id: first all but rollups in screen order, then the rollups. */
export interface Track {
  readonly id: number;
  readonly group: number;
  readonly kind: TrackKind;
  readonly name: string;
  readonly detail: string;
  /** Depth of nesting. */
  readonly rows: number;
  /** A track with 0 events has no tiles. */
  readonly events: bigint;
  /** Sum of the durations. */
  readonly busyTicks: Ticks | undefined;
  /** Start of its first event. Absent without events, and while it is built. */
  readonly firstTicks: Ticks | undefined;
  /** End of the event that ends last. */
  readonly lastTicks: Ticks | undefined;
  /** true: steps and modules of a device, which name no bin of a rollup that others are in. */
  readonly frames: boolean | undefined;
  /** Rollups: rows of all their tracks together. */
  readonly lanes: number | undefined;
  /** Counters: the least value. */
  readonly min: number | null | undefined;
  /** Counters: the greatest value. */
  readonly max: number | null | undefined;
}

/** Track as JSON has it. */
export interface TrackJson {
  readonly id: number;
  readonly group: number;
  readonly kind: TrackKind;
  readonly name: string;
  readonly detail: string;
  readonly rows: number;
  readonly events: string;
  readonly busy?: string;
  readonly first?: string;
  readonly last?: string;
  readonly frames?: boolean;
  readonly lanes?: number;
  readonly min?: number | null;
  readonly max?: number | null;
}

/** Track of its JSON. */
export function readTrack(json: TrackJson): Track {
  return {
    id: json.id,
    group: json.group,
    kind: json.kind,
    name: json.name,
    detail: json.detail,
    rows: json.rows,
    events: BigInt(json.events),
    busyTicks: json.busy === undefined ? undefined : ticks(json.busy),
    firstTicks: json.first === undefined ? undefined : ticks(json.first),
    lastTicks: json.last === undefined ? undefined : ticks(json.last),
    frames: json.frames,
    lanes: json.lanes,
    min: json.min,
    max: json.max,
  };
}

/** Kind of a track's events; a rollup sums up other tracks. */
export type TrackKind = "slice" | "async" | "instant" | "counter" | "rollup";

/** The track tree of a build. Groups form a tree through `parent`. */
export interface TrackTree {
  readonly groups: readonly Group[];
  readonly tracks: readonly Track[];
}

/** TrackTree as JSON has it. */
export interface TrackTreeJson {
  readonly groups: readonly Group[];
  readonly tracks: readonly TrackJson[];
}

/** TrackTree of its JSON. */
export function readTrackTree(json: TrackTreeJson): TrackTree {
  return {
    groups: json.groups,
    tracks: json.tracks.map(readTrack),
  };
}

/** Message of the watch: these blocks are done. */
export interface WatchBlocks {
  readonly type: "blocks";
  readonly build: string;
  readonly blocks: readonly number[];
}

/** Message of the watch: the server is about to close. */
export interface WatchError {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
}

/** Message of the watch: the run cannot be shown. */
export interface WatchFailed {
  readonly type: "failed";
  readonly error: string;
}

/** A message of the watch. */
export type WatchMessage = WatchProgressJson | WatchBlocks | WatchReady | WatchFailed | WatchError;

/** Message of the watch: how far the run is. */
export interface WatchProgress {
  readonly type: "progress";
  /** start, wait (another process indexes the trace), read, build or publish. */
  readonly phase: string;
  /** Of the whole that is done. */
  readonly fraction: number;
  readonly bytesRead: bigint;
  readonly bytesTotal: bigint;
  /** Read so far. */
  readonly events: bigint;
  readonly tracks: number;
  readonly blocksDone: number;
  /** 0 until the trace has been read. */
  readonly blocks: number;
  /** null while there is nothing to tell from. */
  readonly secondsLeft: number | null;
  /** Grows when the track tree changes; 0 while there is nothing to show. */
  readonly revision: number;
  readonly state: RunState;
  readonly build: string | null;
}

/** WatchProgress as JSON has it. */
export interface WatchProgressJson {
  readonly type: "progress";
  readonly phase: string;
  readonly fraction: number;
  readonly bytes_read: string;
  readonly bytes_total: string;
  readonly events: string;
  readonly tracks: number;
  readonly blocks_done: number;
  readonly blocks: number;
  readonly seconds_left: number | null;
  readonly revision: number;
  readonly state: RunState;
  readonly build: string | null;
}

/** WatchProgress of its JSON. */
export function readWatchProgress(json: WatchProgressJson): WatchProgress {
  return {
    type: json.type,
    phase: json.phase,
    fraction: json.fraction,
    bytesRead: BigInt(json.bytes_read),
    bytesTotal: BigInt(json.bytes_total),
    events: BigInt(json.events),
    tracks: json.tracks,
    blocksDone: json.blocks_done,
    blocks: json.blocks,
    secondsLeft: json.seconds_left,
    revision: json.revision,
    state: json.state,
    build: json.build,
  };
}

/** Message of the watch: all is done and published. */
export interface WatchReady {
  readonly type: "ready";
  readonly build: string;
}
