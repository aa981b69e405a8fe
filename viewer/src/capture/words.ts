/** Texts about a capture while it runs and when it is over. Pure. */

import type { Capture, CapturedHost, CapturePhaseName, CaptureProblem } from "@tilescope/client";
import { formatBytes, plural } from "../components/format";

/** Phases of a host in order: the host that is least far decides the phase of the capture. */
const WAY: readonly CapturePhaseName[] = [
  "waiting",
  "connecting",
  "delayed",
  "capturing",
  "stopping",
  "collecting",
  "receiving",
  "done",
  "failed",
];

/** The host that all others wait for; null when none is under way. */
export function slowestHost({ hosts }: Capture): CapturedHost | null {
  const running = hosts.filter(({ phase }) => phase !== "done" && phase !== "failed");
  return running.toSorted((host, other) => WAY.indexOf(host.phase) - WAY.indexOf(other.phase))[0] ?? null;
}

/** `Receiving 12 MB of 48 MB`. */
export function phaseWords({ phase, sizeBytes, totalBytes, problem }: CapturedHost): string {
  switch (phase) {
    case "connecting":
      return "Connecting";
    case "delayed":
      return "Waiting for the start";
    case "capturing":
      return "Capturing";
    case "collecting":
      return "The job is writing its trace";
    case "receiving":
      return `Receiving ${formatBytes(sizeBytes)}${totalBytes > 0n ? ` of ${formatBytes(totalBytes)}` : ""}`;
    case "stopping":
      return "Stopping, to keep what there is";
    case "waiting":
      return problem === null ? "Trying again" : capitalised(problem.sentence);
    case "done":
      return `Trace saved, ${formatBytes(sizeBytes)}`;
    case "failed":
      return problem === null ? "No trace" : capitalised(problem.sentence);
  }
}

/** `nothing listens` → `Nothing listens`. */
export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Hosts that failed for the same reason, and the reason. */
export interface FailedHosts {
  readonly names: readonly string[];
  readonly problem: CaptureProblem;
}

/** Reasons why hosts gave no trace: each once, that of most hosts first. */
export function failuresOf({ hosts }: Capture): readonly FailedHosts[] {
  const groups = new Map<string, { names: string[]; problem: CaptureProblem }>();
  for (const { name, phase, problem } of hosts) {
    if (phase === "failed" && problem !== null) {
      const key = `${problem.cause} ${problem.detail}`;
      const group = groups.get(key) ?? { names: [], problem };
      group.names.push(name);
      groups.set(key, group);
    }
  }
  return [...groups.values()].toSorted((group, other) => other.names.length - group.names.length);
}

const MOST_NAMES = 4;

/** `a, b`; of many `a, b, c, d and 12 more`. */
export function namesOf(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return more > 1 ? `${names.slice(0, MOST_NAMES).join(", ")} and ${more} more` : names.join(", ");
}

/** Outcome of a capture, in one line. */
export function outcomeOf(capture: Capture): string {
  const { hosts, state, wasStopped, run } = capture;
  const saved = hosts.filter(({ phase }) => phase === "done").length;
  switch (state) {
    case "running":
      return "Capturing";
    case "captured":
      return run === null ? "Captured" : wasStopped ? "Stopped early, and kept what there was" : "Captured";
    case "partly":
      return `${saved} of ${plural(hosts.length, "host")} gave a trace`;
    case "cancelled":
      return "Stopped before there was a trace";
    case "failed":
      return hosts.length > 1 ? `None of ${plural(hosts.length, "host")} gave a trace` : "There is no trace";
  }
}

/** 900 → `0.9 s`, 12,300 → `12 s`, 75,000 → `1 min 15 s`. */
export function secondsText(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) {
    return `${seconds.toFixed(1)}\u202fs`;
  }
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole}\u202fs` : `${Math.floor(whole / 60)}\u202fmin ${whole % 60}\u202fs`;
}
