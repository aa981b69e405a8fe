/** What the server says of running jobs and of uploads, as tiler/schema declares it. Written by `make types`. */

/** An address to open. */
export interface AddressOrder {
  /** Of a trace, an archive or a bucket. */
  readonly address: string;
}

/** A capture, and what has become of it. */
export interface Capture {
  readonly id: string;
  /** `partly`: some hosts gave a trace; `cancelled`: stopped before there was anything to keep. */
  readonly state: CaptureState;
  readonly order: CaptureOrder;
  /** In the order in which they were asked for. */
  readonly hosts: readonly CapturedHost[];
  /** Since it was asked for; when it is over, all that it took. */
  readonly elapsedMs: number;
  /** Somebody has asked for its end; what came until then is kept. */
  readonly wasStopped: boolean;
  /** Id in the list of runs, as soon as a trace is there. */
  readonly run: string | null;
  /** One line, where the capture as a whole failed. */
  readonly problem: string | null;
}

/** Capture as JSON has it. */
export interface CaptureJson {
  readonly id: string;
  readonly state: CaptureState;
  readonly order: CaptureOrderJson;
  readonly hosts: readonly CapturedHostJson[];
  readonly elapsed_ms: number;
  readonly was_stopped: boolean;
  readonly run: string | null;
  readonly problem: string | null;
}

/** Capture of its JSON. */
export function readCapture(json: CaptureJson): Capture {
  return {
    id: json.id,
    state: json.state,
    order: readCaptureOrder(json.order),
    hosts: json.hosts.map(readCapturedHost),
    elapsedMs: json.elapsed_ms,
    wasStopped: json.was_stopped,
    run: json.run,
    problem: json.problem,
  };
}

/** Reason why a host gave no trace. */
export type CaptureCauseName =
  | "unknown_host"
  | "refused"
  | "unreachable"
  | "not_a_profiler"
  | "unimplemented"
  | "busy"
  | "empty"
  | "deadline"
  | "lost"
  | "not_inline"
  | "refused_by_server"
  | "bad_answer"
  | "too_large"
  | "disk_full"
  | "cannot_write"
  | "stopped";

/** Order of a capture. */
export interface CaptureOrder {
  /** `HOST:PORT` of profiler servers, or names of targets; captured at the same moment. */
  readonly hosts: readonly string[];
  readonly durationMs: number | undefined;
  /** Until all hosts begin. */
  readonly delayMs: number | undefined;
  /** 0: off; 1: what users annotate; 2: and what is costly; 3: everything. */
  readonly hostTracerLevel: number | undefined;
  /** 0: off. */
  readonly deviceTracerLevel: number | undefined;
  /** 1: each call of a Python function. */
  readonly pythonTracerLevel: number | undefined;
  readonly includeDatasetOps: boolean | undefined;
  /** In all, for each host. */
  readonly attempts: number | undefined;
  /** Of its folder; null: the date and the time. */
  readonly runName: string | null | undefined;
}

/** CaptureOrder as JSON has it. */
export interface CaptureOrderJson {
  readonly hosts: readonly string[];
  readonly duration_ms?: number;
  readonly delay_ms?: number;
  readonly host_tracer_level?: number;
  readonly device_tracer_level?: number;
  readonly python_tracer_level?: number;
  readonly include_dataset_ops?: boolean;
  readonly attempts?: number;
  readonly run_name?: string | null;
}

/** CaptureOrder of its JSON. */
export function readCaptureOrder(json: CaptureOrderJson): CaptureOrder {
  return {
    hosts: json.hosts,
    durationMs: json.duration_ms,
    delayMs: json.delay_ms,
    hostTracerLevel: json.host_tracer_level,
    deviceTracerLevel: json.device_tracer_level,
    pythonTracerLevel: json.python_tracer_level,
    includeDatasetOps: json.include_dataset_ops,
    attempts: json.attempts,
    runName: json.run_name,
  };
}

/** Phase of the capture of a host. */
export type CapturePhaseName =
  | "connecting"
  | "delayed"
  | "capturing"
  | "collecting"
  | "receiving"
  | "stopping"
  | "waiting"
  | "done"
  | "failed";

/** Reason why a host gave no trace. */
export interface CaptureProblem {
  /** For programs. */
  readonly cause: CaptureCauseName;
  /** The cause in plain words. */
  readonly sentence: string;
  /** What the host or the system said, in its words; may be empty. */
  readonly detail: string;
  /** What to do about it, the best first. */
  readonly hints: readonly string[];
}

/** Captures through this server: the hosts that are allowed, and the captures so far. */
export interface CaptureRoom {
  readonly allowed: boolean;
  /** Why captures are not possible, and what to do; null: they are. */
  readonly reason: string | null;
  readonly targets: readonly CaptureTarget[];
  /** What may be asked for beside targets: `HOST:PORT`, or `loopback`. */
  readonly addresses: readonly string[];
  /** Those that run and the last ones, newest first. */
  readonly captures: readonly Capture[];
}

/** CaptureRoom as JSON has it. */
export interface CaptureRoomJson {
  readonly allowed: boolean;
  readonly reason: string | null;
  readonly targets: readonly CaptureTarget[];
  readonly addresses: readonly string[];
  readonly captures: readonly CaptureJson[];
}

/** CaptureRoom of its JSON. */
export function readCaptureRoom(json: CaptureRoomJson): CaptureRoom {
  return {
    allowed: json.allowed,
    reason: json.reason,
    targets: json.targets,
    addresses: json.addresses,
    captures: json.captures.map(readCapture),
  };
}

/** State of a capture. */
export type CaptureState = "running" | "captured" | "partly" | "failed" | "cancelled";

/** A profiler server that the operator has named. */
export interface CaptureTarget {
  readonly name: string;
  readonly address: string;
}

/** One host of a capture, and where it is. */
export interface CapturedHost {
  /** As it was asked for. */
  readonly name: string;
  /**
   * `delayed`: asked, and the moment to begin has not come; `collecting`: the host puts its answer together; `waiting`: for `wait_ms`, until the next attempt, because of `problem`.
   */
  readonly phase: CapturePhaseName;
  readonly attempt: number;
  /** That it may take. */
  readonly attempts: number;
  /** That have come. */
  readonly sizeBytes: bigint;
  /** Of the answer; 0 where that is unknown. */
  readonly totalBytes: bigint;
  readonly waitMs: number;
  /** Of the last attempt that failed. */
  readonly problem: CaptureProblem | null;
}

/** CapturedHost as JSON has it. */
export interface CapturedHostJson {
  readonly name: string;
  readonly phase: CapturePhaseName;
  readonly attempt: number;
  readonly attempts: number;
  readonly size_bytes: string;
  readonly total_bytes: string;
  readonly wait_ms: number;
  readonly problem: CaptureProblem | null;
}

/** CapturedHost of its JSON. */
export function readCapturedHost(json: CapturedHostJson): CapturedHost {
  return {
    name: json.name,
    phase: json.phase,
    attempt: json.attempt,
    attempts: json.attempts,
    sizeBytes: BigInt(json.size_bytes),
    totalBytes: BigInt(json.total_bytes),
    waitMs: json.wait_ms,
    problem: json.problem,
  };
}

/** Message of the monitor: the server is about to close. */
export interface MonitorError {
  readonly type: "error";
  readonly code: string;
  readonly message: string;
}

/** Message of the monitor: a capture runs, and the monitor waits for its end. */
export interface MonitorHeld {
  readonly type: "held";
}

/** A message of the monitor. */
export type MonitorMessage = MonitorSampleJson | MonitorProblemJson | MonitorHeld | MonitorError;

/** Message of the monitor: the job could not be asked. It is asked again. */
export interface MonitorProblem {
  readonly type: "problem";
  readonly problem: CaptureProblem;
  readonly retryMs: number;
}

/** MonitorProblem as JSON has it. */
export interface MonitorProblemJson {
  readonly type: "problem";
  readonly problem: CaptureProblem;
  readonly retry_ms: number;
}

/** MonitorProblem of its JSON. */
export function readMonitorProblem(json: MonitorProblemJson): MonitorProblem {
  return {
    type: json.type,
    problem: json.problem,
    retryMs: json.retry_ms,
  };
}

/** Message of the monitor: what a job did in the last second. */
export interface MonitorSample {
  readonly type: "sample";
  readonly timeNs: bigint;
  /** `monitor`: the job itself said so; `captures`: evaluated here, from a short capture. */
  readonly source: "captures" | "monitor";
  /** Over which the job was looked at. */
  readonly durationMs: number;
  readonly deviceType: string | null;
  /** Cores of TPUs, or GPUs. */
  readonly devices: number | null;
  /** 0 to 1; null: not recorded. */
  readonly matrixUnitUtilization: number | null;
  /** 0 to 1; null: not recorded. */
  readonly deviceIdle: number | null;
  /** That the times below are of. */
  readonly steps: number | null;
  /** null: not recorded. */
  readonly stepMeanMs: number | null;
  /** null: not recorded. */
  readonly stepMinMs: number | null;
  /** null: not recorded. */
  readonly stepMaxMs: number | null;
  /** Of a step's time that it waits for its input. */
  readonly infeedMean: number | null;
  /** 0 to 1; null: not recorded. */
  readonly infeedMin: number | null;
  /** 0 to 1; null: not recorded. */
  readonly infeedMax: number | null;
}

/** MonitorSample as JSON has it. */
export interface MonitorSampleJson {
  readonly type: "sample";
  readonly time_ns: string;
  readonly source: "captures" | "monitor";
  readonly duration_ms: number;
  readonly device_type: string | null;
  readonly devices: number | null;
  readonly matrix_unit_utilization: number | null;
  readonly device_idle: number | null;
  readonly steps: number | null;
  readonly step_mean_ms: number | null;
  readonly step_min_ms: number | null;
  readonly step_max_ms: number | null;
  readonly infeed_mean: number | null;
  readonly infeed_min: number | null;
  readonly infeed_max: number | null;
}

/** MonitorSample of its JSON. */
export function readMonitorSample(json: MonitorSampleJson): MonitorSample {
  return {
    type: json.type,
    timeNs: BigInt(json.time_ns),
    source: json.source,
    durationMs: json.duration_ms,
    deviceType: json.device_type,
    devices: json.devices,
    matrixUnitUtilization: json.matrix_unit_utilization,
    deviceIdle: json.device_idle,
    steps: json.steps,
    stepMeanMs: json.step_mean_ms,
    stepMinMs: json.step_min_ms,
    stepMaxMs: json.step_max_ms,
    infeedMean: json.infeed_mean,
    infeedMin: json.infeed_min,
    infeedMax: json.infeed_max,
  };
}

/** Runs at an address that was opened. */
export interface OpenedAddress {
  /** Ids of its runs, the newest first. */
  readonly runs: readonly string[];
}

/** An upload, and how far it is. */
export interface Upload {
  readonly id: string;
  /** arriving: bytes are missing; listed: its runs are in the list. */
  readonly state: UploadState;
  /** Of each file, in the order of the files. */
  readonly receivedBytes: readonly bigint[];
  /** Ids of its runs, the newest first; none until it is listed. */
  readonly runs: readonly string[];
}

/** Upload as JSON has it. */
export interface UploadJson {
  readonly id: string;
  readonly state: UploadState;
  readonly received_bytes: readonly string[];
  readonly runs: readonly string[];
}

/** Upload of its JSON. */
export function readUpload(json: UploadJson): Upload {
  return {
    id: json.id,
    state: json.state,
    receivedBytes: json.received_bytes.map(BigInt),
    runs: json.runs,
  };
}

/** A file that is going to be sent. */
export interface UploadFile {
  /** With the folders that it is in, `/` between them. */
  readonly name: string;
  readonly sizeBytes: bigint;
  /** Milliseconds since the epoch. */
  readonly modifiedMs: bigint;
}

/** UploadFile as JSON has it. */
export interface UploadFileJson {
  readonly name: string;
  readonly size_bytes: string;
  readonly modified_ms: string;
}

/** UploadFile of its JSON. */
export function readUploadFile(json: UploadFileJson): UploadFile {
  return {
    name: json.name,
    sizeBytes: BigInt(json.size_bytes),
    modifiedMs: BigInt(json.modified_ms),
  };
}

/** Order of an upload. */
export interface UploadOrder {
  readonly files: readonly UploadFile[];
}

/** UploadOrder as JSON has it. */
export interface UploadOrderJson {
  readonly files: readonly UploadFileJson[];
}

/** UploadOrder of its JSON. */
export function readUploadOrder(json: UploadOrderJson): UploadOrder {
  return {
    files: json.files.map(readUploadFile),
  };
}

/** Uploads to this server: whether this browser may send one, and how much. */
export interface UploadRoom {
  readonly allowed: boolean;
  /** One line that says why not, and what to do. */
  readonly reason: string | null;
  /** Who will be able to see the runs: a sentence. */
  readonly seenBy: string;
  /** Days after which an upload is removed that nobody opens. */
  readonly keptDays: number;
  /** Files of one upload. */
  readonly mostFiles: number;
  /** Bytes of one piece. */
  readonly pieceBytes: number;
  /** Bytes that one client may have on this server, in all uploads. */
  readonly mostBytes: bigint;
  /** Addresses below them can be opened. */
  readonly prefixes: readonly string[];
}

/** UploadRoom as JSON has it. */
export interface UploadRoomJson {
  readonly allowed: boolean;
  readonly reason: string | null;
  readonly seen_by: string;
  readonly kept_days: number;
  readonly most_files: number;
  readonly piece_bytes: number;
  readonly most_bytes: string;
  readonly prefixes: readonly string[];
}

/** UploadRoom of its JSON. */
export function readUploadRoom(json: UploadRoomJson): UploadRoom {
  return {
    allowed: json.allowed,
    reason: json.reason,
    seenBy: json.seen_by,
    keptDays: json.kept_days,
    mostFiles: json.most_files,
    pieceBytes: json.piece_bytes,
    mostBytes: BigInt(json.most_bytes),
    prefixes: json.prefixes,
  };
}

/** State of an upload. */
export type UploadState = "arriving" | "listed";
