/** State of the connection to the server: the last signs of it, the time of the next request, the rule by which it counts as lost. Pure. */

import { signal } from "@preact/signals";
import type { Run } from "@tilescope/client";

/**
 * Times are of the page's own clock. `slow`: nothing has been heard since then, but no connection has failed: what was asked is
 * waited for. `down`: a connection has failed, or the silence has lasted too long; `nextTryMs` is null while it is being tried.
 */
export type Link =
  | { readonly kind: "up" }
  | { readonly kind: "slow"; readonly sinceMs: number }
  | { readonly kind: "down"; readonly nextTryMs: number | null };

export const link = signal<Link>({ kind: "up" });

/** Grows when what could not be had is asked for again: the server is back, or the page is looked at again. */
export const retries = signal(0);

/** Questions that have failed and are asked again, with pauses: the server is busy, or connections are cut. */
export const delayed = signal(0);

/** Change on the server's side of this page that only a reload mends. */
export interface Estrangement {
  /** It asks for its token again. */
  readonly needsLogin: boolean;
  /** It is of another version than it was when the page was loaded. */
  readonly isUpdated: boolean;
}

export const estrangement = signal<Estrangement>({ needsLogin: false, isUpdated: false });

/** Change of the run on the screen. */
export type Fate = "same" | "vanished" | "replaced";

export const fate = signal<Fate>("same");

/** Fate of a shown build by a new list of runs. */
export function fateOf(
  shown: { readonly run: string; readonly build: string; readonly state: string },
  list: readonly Run[],
): Fate {
  const now = list.find(({ id }) => id === shown.run);
  if (now === undefined) {
    return "vanished";
  }
  // One that grows is followed by itself; one that failed, or is being opened, has its own words; one without a build has other files now.
  const hasWords = now.state === "failed" || (now.state === "queued" && now.error !== null);
  const isOurs = shown.state === "indexing" || hasWords || now.build === shown.build;
  return isOurs ? "same" : "replaced";
}

/** After so much silence the server is asked for a sign of life, on the stream where one is open. */
const QUIET_MS = 600;
/** Quiet time without a stream, where each sign is a request: a little less often. */
const QUIET_WITHOUT_STREAM_MS = 800;
/** So long an answer on the stream may take before a request asks, too … */
const PING_PATIENCE_MS = 400;
/** … and so long its answer before the server counts as slow: within two seconds in all. */
const PROBE_PATIENCE_MS = 700;
/** On a slow network each of them may take so many times what it took before. */
const ROUND_TRIPS = 3;
const LONGEST_PATIENCE_MS = 5000;
/** A page that looks so much later than it meant to was busy or asleep itself, and has heard nothing for that reason. */
const LATE_MS = 250;
const CATCH_UP_MS = 200;

/** Action of now, and milliseconds until the next look. */
export interface Step {
  readonly act: "wait" | "ping" | "probe" | "stall";
  readonly againMs: number;
}

/** The silence of a server: `heard` whenever it says anything, `look` when the last step said to. */
export class Pulse {
  #heardMs: number;
  #pingedMs: number | null = null;
  #probedMs: number | null = null;
  #dueMs: number;
  #roundTripMs = 0;

  constructor(nowMs: number) {
    this.#heardMs = nowMs;
    this.#dueMs = nowMs;
  }

  heard(nowMs: number): void {
    const askedMs = this.#pingedMs ?? this.#probedMs;
    if (askedMs !== null) {
      this.#learn(nowMs - askedMs);
    }
    this.#heardMs = nowMs;
    this.#pingedMs = null;
    this.#probedMs = null;
  }

  /** Begins anew, as if something had been heard: after a rest. */
  restart(nowMs: number): void {
    this.#heardMs = nowMs;
    this.#pingedMs = null;
    this.#probedMs = null;
    this.#dueMs = nowMs;
  }

  /** An answer has taken so long, be it after the server was given up. */
  answered(tookMs: number): void {
    this.#learn(tookMs);
  }

  look(nowMs: number, hasStream: boolean): Step {
    if (nowMs - this.#dueMs > LATE_MS) {
      // What arrived in the meantime is waiting to be read.
      this.#shift(nowMs - this.#dueMs);
      return this.#again("wait", CATCH_UP_MS, nowMs);
    }
    if (this.#probedMs !== null) {
      const leftMs = this.#probedMs + this.#patienceMs(PROBE_PATIENCE_MS) - nowMs;
      return leftMs > 0 ? this.#again("wait", leftMs, nowMs) : this.#again("stall", 0, nowMs);
    }
    if (this.#pingedMs !== null) {
      const leftMs = this.#pingedMs + this.#patienceMs(PING_PATIENCE_MS) - nowMs;
      return leftMs > 0 ? this.#again("wait", leftMs, nowMs) : this.#probe(nowMs);
    }
    const leftMs = this.#heardMs + (hasStream ? QUIET_MS : QUIET_WITHOUT_STREAM_MS) - nowMs;
    if (leftMs > 0) {
      return this.#again("wait", leftMs, nowMs);
    }
    if (!hasStream) {
      return this.#probe(nowMs);
    }
    this.#pingedMs = nowMs;
    return this.#again("ping", this.#patienceMs(PING_PATIENCE_MS), nowMs);
  }

  #probe(nowMs: number): Step {
    this.#probedMs = nowMs;
    return this.#again("probe", this.#patienceMs(PROBE_PATIENCE_MS), nowMs);
  }

  #again(act: Step["act"], againMs: number, nowMs: number): Step {
    this.#dueMs = nowMs + againMs;
    return { act, againMs };
  }

  #shift(byMs: number): void {
    this.#heardMs += byMs;
    this.#pingedMs = this.#pingedMs === null ? null : this.#pingedMs + byMs;
    this.#probedMs = this.#probedMs === null ? null : this.#probedMs + byMs;
  }

  #learn(tookMs: number): void {
    // Up at once, down slowly: one quick answer says little of the next.
    this.#roundTripMs = Math.max(tookMs, (3 * this.#roundTripMs + tookMs) / 4);
  }

  #patienceMs(leastMs: number): number {
    return Math.min(LONGEST_PATIENCE_MS, Math.max(leastMs, ROUND_TRIPS * this.#roundTripMs));
  }
}
