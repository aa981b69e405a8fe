/**
 * Keeps an eye on the server: asks for a sign of life when it is silent, and waits for it while no connection fails: a busy server
 * answers late. When it is lost it tries again with growing pauses, and lets no request wait: new ones fail at once, those under
 * way when a try has failed.
 */

import { AwayError, type Fetch, retryPauseMs } from "@tilescope/client";
import { estrangement, fate, link, Pulse, retries } from "./link";

/** The part of the page that the keeper needs. */
export interface LinkPort {
  /** The version of the server, or null where it does not say; rejects when it does not answer. */
  health(signal: AbortSignal): Promise<string | null>;
  /** Asks over the open stream, which calls `heard` when it answers; false where none is open. */
  ping(): boolean;
  /** Opens the stream anew. */
  reconnect(): void;
  /** Looks at the list of runs: what is shown may be gone, or another. */
  checkRuns(): void;
  readonly fetch: Fetch;
  readonly now: () => number;
  /** Calls back later; gives a function that cancels. */
  readonly later: (run: () => void, ms: number) => () => void;
  readonly random?: () => number;
}

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 16_000;
/** Time limit of the first try; each may take twice as long as the one before: a server that is back may be busy. */
const TRY_MS = 4000;
const LONGEST_TRY_MS = 16_000;
/** So long a server may be silent before it counts as lost, though no connection has failed. */
const SILENCE_MS = 20_000;
/** While it is silent, it is looked at so often whether that is so. */
const SILENT_LOOK_MS = 1000;
const SILENT_ASK_MS = 5000;
/** An answer that may have come from the browser's cache is a sign of life if it took so long. */
const CACHED_MS = 1000;
/** A page that is looked at asks so often what has become of its run. */
const CHECK_MS = 10_000;
/** Shortest pause between two checks of the server that missing data causes. */
const MISSING_CHECK_MS = 1000;
/** A stream that has not answered for so long while requests were is opened anew. */
const DEAF_MS = 5000;
/** Statuses of a proxy whose server does not answer. */
const GATEWAY_STATUSES: readonly number[] = [502, 503, 504];

export class LinkKeeper {
  readonly #port: LinkPort;
  readonly #pulse: Pulse;
  #isAwake = false;
  #hasSlept = false;
  #isStreamOpen = false;
  #tries = 0;
  #version: string | null = null;
  /** Requests that are not answered yet. */
  readonly #probes = new Set<AbortController>();
  #askedMs = 0;
  /** Time of the first question to the stream since it last said anything. */
  #unheardMs: number | null = null;
  #checkedMs: number;
  #cancelLook: () => void = () => undefined;
  /** Aborts what is under way when the server is lost for good. */
  #cut = new AbortController();

  constructor(port: LinkPort) {
    this.#port = port;
    this.#pulse = new Pulse(port.now());
    this.#checkedMs = port.now();
  }

  /** For all requests of the page: fails at once while the server is lost. */
  readonly fetch: Fetch = async (input, init = {}) => {
    if (link.peek().kind === "down") {
      throw new AwayError("the server is away");
    }
    const own = init.signal ?? null;
    const signal = own === null ? this.#cut.signal : AbortSignal.any([own, this.#cut.signal]);
    const askedMs = this.#port.now();
    let response: Response;
    try {
      response = await this.#port.fetch(input, { ...init, signal });
    } catch (error) {
      if (own?.aborted !== true) {
        this.suspect();
      }
      throw error;
    }
    if (GATEWAY_STATUSES.includes(response.status) && !isOurs(response)) {
      this.suspect();
      throw new TypeError("the proxy does not reach the server");
    }
    if (!mayBeCached(response) || this.#port.now() - askedMs > CACHED_MS) {
      this.#sign();
    }
    this.#answered(response.status);
    return response;
  };

  /** The page is looked at, or not: one that is not asks for nothing. */
  watch(isAwake: boolean): void {
    if (isAwake === this.#isAwake) {
      return;
    }
    this.#isAwake = isAwake;
    this.#hasSlept ||= !isAwake;
    if (link.peek().kind === "down") {
      this.tryNow();
      return;
    }
    this.#cancelLook();
    if (isAwake) {
      if (this.#hasSlept) {
        retries.value += 1;
      }
      this.#pulse.restart(this.#port.now());
      if (link.peek().kind === "slow") {
        link.value = { kind: "slow", sinceMs: this.#port.now() };
      }
      this.suspect();
      this.#check(0);
      this.#lookIn(0);
    }
  }

  /** The stream has said something. */
  heard(): void {
    this.#unheardMs = null;
    this.#sign();
  }

  /** The server has said something, wherever it was. */
  #sign(): void {
    this.#pulse.heard(this.#port.now());
    if (link.peek().kind !== "up") {
      this.#revive();
    }
  }

  /** Something says that the server may be away: asks at once. */
  suspect(): void {
    if (link.peek().kind !== "down") {
      void this.#ask();
    }
  }

  /** Tries at once, in the place of the next time. */
  tryNow(): void {
    if (link.peek().kind === "down") {
      this.#cancelLook();
      void this.#try();
    }
  }

  #look(): void {
    const now = this.#port.now();
    if (link.peek().kind === "down") {
      void this.#try();
      return;
    }
    if (link.peek().kind === "slow") {
      this.#lookAtSilence(now);
      return;
    }
    const { act, againMs } = this.#pulse.look(now, this.#isStreamOpen);
    if (act === "ping") {
      this.#unheardMs ??= now;
      this.#port.ping();
    } else if (act === "probe") {
      void this.#ask();
    } else if (act === "stall") {
      link.value = { kind: "slow", sinceMs: now };
      this.#lookIn(SILENT_LOOK_MS);
      return;
    }
    this.#check(CHECK_MS);
    this.#lookIn(againMs);
  }

  /** Checks a silent server. Its requests stay open; now and then another one goes out, as a connection may be dead that nobody has closed. */
  #lookAtSilence(now: number): void {
    const before = link.peek();
    if (before.kind === "slow" && now - before.sinceMs >= SILENCE_MS) {
      this.#lose();
      return;
    }
    void this.#ask(now - this.#askedMs >= SILENT_ASK_MS);
    this.#lookIn(SILENT_LOOK_MS);
  }

  /** Looks at the list of runs, unless that was done less than so long ago. */
  #check(pauseMs: number): void {
    const now = this.#port.now();
    if (now - this.#checkedMs >= pauseMs) {
      this.#checkedMs = now;
      this.#port.checkRuns();
    }
  }

  /** A stream was opened, or closed: what closes may have lost its server. */
  streamChanged(isOpen: boolean): void {
    const wasOpen = this.#isStreamOpen;
    this.#isStreamOpen = isOpen;
    this.#unheardMs = null;
    if (isOpen) {
      this.heard();
    }
    if (isOpen !== wasOpen) {
      this.suspect();
    }
  }

  #lookIn(ms: number): void {
    this.#cancelLook();
    if (this.#isAwake || link.peek().kind === "down") {
      this.#cancelLook = this.#port.later(() => this.#look(), Math.max(20, ms));
    }
  }

  /** Asks by a request; whatever comes of it is known to the pulse, or is the loss of the server. `again`: beside what is asked already. */
  async #ask(again = false): Promise<void> {
    if (this.#probes.size > 0 && !again) {
      return;
    }
    const probe = this.#begin();
    const askedMs = this.#askedMs;
    try {
      const version = await this.#port.health(probe.signal);
      const now = this.#port.now();
      this.#pulse.answered(now - askedMs);
      this.#learnVersion(version);
      this.#probes.delete(probe);
      this.#sign();
      if (this.#unheardMs !== null && now - this.#unheardMs > DEAF_MS) {
        this.#unheardMs = null;
        this.#port.reconnect();
      }
    } catch {
      if (!probe.signal.aborted) {
        this.#lose();
      }
    } finally {
      this.#probes.delete(probe);
    }
  }

  #begin(): AbortController {
    const probe = new AbortController();
    this.#probes.add(probe);
    this.#askedMs = this.#port.now();
    return probe;
  }

  #forget(): void {
    for (const probe of [...this.#probes]) {
      this.#probes.delete(probe);
      probe.abort();
    }
  }

  #lose(): void {
    this.#forget();
    if (link.peek().kind !== "down") {
      this.#tries = 0;
      link.value = { kind: "down", nextTryMs: null };
    }
    this.#pause();
  }

  #pause(): void {
    const pauseMs = retryPauseMs(this.#tries, FIRST_PAUSE_MS, LONGEST_PAUSE_MS, this.#port.random);
    this.#tries += 1;
    link.value = { kind: "down", nextTryMs: this.#port.now() + pauseMs };
    this.#lookIn(pauseMs);
  }

  async #try(): Promise<void> {
    this.#forget();
    const probe = this.#begin();
    link.value = { kind: "down", nextTryMs: null };
    const patienceMs = Math.min(LONGEST_TRY_MS, TRY_MS * 2 ** (this.#tries - 1));
    const giveUp = this.#port.later(() => probe.abort(), patienceMs);
    const askedMs = this.#askedMs;
    try {
      const version = await this.#port.health(probe.signal);
      if (this.#probes.has(probe)) {
        this.#pulse.answered(this.#port.now() - askedMs);
        this.#learnVersion(version);
        this.#revive();
        this.#port.reconnect();
      }
    } catch {
      if (this.#probes.has(probe) && link.peek().kind === "down") {
        // A server that was only busy answers yet what it was asked; one that is still silent does not.
        this.#cut.abort(new AwayError("the server is away"));
        this.#cut = new AbortController();
        this.#pause();
      }
    } finally {
      giveUp();
      this.#probes.delete(probe);
    }
  }

  #revive(): void {
    this.#forget();
    this.#pulse.restart(this.#port.now());
    link.value = { kind: "up" };
    retries.value += 1;
    // Also for its version: the stream does not tell it.
    this.suspect();
    this.#check(0);
    this.#lookIn(0);
  }

  #answered(status: number): void {
    const needsLogin = status === 401;
    if (needsLogin !== estrangement.peek().needsLogin) {
      estrangement.value = { ...estrangement.peek(), needsLogin };
    }
    // A build that is not there any more: its run is gone, or another.
    if (status === 404 && fate.peek() === "same") {
      this.#check(MISSING_CHECK_MS);
    }
  }

  #learnVersion(version: string | null): void {
    if (version === null) {
      return;
    }
    this.#version ??= version;
    const isUpdated = version !== this.#version;
    if (isUpdated !== estrangement.peek().isUpdated) {
      estrangement.value = { ...estrangement.peek(), isUpdated };
    }
  }
}

/** True if an answer may come from the browser's own cache. */
function mayBeCached(response: Response): boolean {
  return response.headers.get("cache-control")?.includes("immutable") === true;
}

/** True if an answer is the API's own, and not that of a proxy before it. */
function isOurs(response: Response): boolean {
  return response.headers.get("content-type")?.startsWith("application/json") === true;
}
