/**
 * The stream of pages: one WebSocket per open run, as docs/api.md describes it.
 *
 * The client says at any time the complete list of pages it wants. The server sends within a byte credit, which is
 * given back after decoding, so a slow tab slows the server down instead of filling its memory. A lost connection is
 * opened again with growing pauses; while none can be opened, pages come over HTTP. So do the first ones: a WebSocket takes two
 * round trips and, in a browser that is busy with a new page, a tenth of a second to open.
 */

import { LIMITS, type Limits } from "../base/schema";
import { type PageKey, type PageName, pageName } from "../pages/key";
import { type DecodedPage, pageSteps } from "../pages/page";
import { ApiError } from "./error";
import { type FetchPage, PageFetcher } from "./fetcher";
import { inflate } from "./inflate";
import { decodeMessage, encodeCredit, encodeWant, type ServerMessage } from "./messages";
import { retryPauseMs } from "./retry";
import { WorkQueue } from "./work-queue";

/** The part of a WebSocket that the stream uses. */
export interface Socket {
  binaryType: BinaryType;
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  send(data: Uint8Array<ArrayBuffer>): void;
  close(): void;
}

/** `polling`: no WebSocket gets through, pages come over HTTP. */
export type StreamStatus = "connecting" | "open" | "polling" | "closed";

/** Callbacks of a stream. */
export interface StreamEvents {
  onPage(page: DecodedPage): void;
  /** The page does not exist, or cannot be read or had; it is not asked for again while it is wanted all along. */
  onFailed(key: PageKey, error: Error): void;
  onStatus(status: StreamStatus): void;
  /** The server has said something, whatever it was. */
  onHeard?(): void;
}

/** Options of a stream: its connection, the way over HTTP, its limits. */
export interface StreamOptions {
  /** Null where nothing but `fetchPage` leads to pages, of which it takes any number at a time. */
  readonly connect: (() => Socket) | null;
  readonly fetchPage: FetchPage;
  readonly events: StreamEvents;
  /** Limits of the manifest; those of this version unless given. */
  readonly limits?: Limits;
  /** The queue in which pages are decoded; one of its own unless given. */
  readonly turns?: WorkQueue;
  /** Calls back later; gives a function that cancels. */
  readonly later?: (run: () => void, ms: number) => () => void;
  /** From 0 to 1, for the length of pauses. */
  readonly random?: () => number;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8000;
/** Connections that fail to open before pages are fetched over HTTP. */
const FAILURES_BEFORE_POLLING = 2;

/** The stream of docs/api.md: a list of wanted pages goes out, pages come in. A lost connection is opened again. */
export class TileStream {
  readonly #options: StreamOptions;
  readonly #workQueue: WorkQueue;
  readonly #fetcher: PageFetcher;
  readonly #later: (run: () => void, ms: number) => () => void;
  #socket: Socket | null = null;
  #state: StreamStatus = "connecting";
  #failures = 0;
  /** The first connection is being opened. */
  #isFirst = true;
  #cancelRetry: () => void = () => undefined;
  #wanted: readonly PageKey[] = [];
  /** Names of the last list that was sent, without the pages that have come since. */
  #outstanding: readonly PageName[] | null = null;
  #wantId = 0;
  #received = 0;
  /** Pages that have arrived and are being decoded. */
  readonly #decoding = new Set<PageName>();
  /** Pages that cannot be had; they are asked for again when they have not been wanted in between. */
  readonly #failed = new Set<PageName>();

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#workQueue = options.turns ?? new WorkQueue();
    this.#later = options.later ?? laterByTimer;
    this.#fetcher = new PageFetcher(
      options.fetchPage,
      {
        onBytes: (key, bytes) => void this.#deliver(key, () => Promise.resolve(bytes)),
        // Without an answer the page stays wanted: it is asked for on the stream, or with the next attempt to connect.
        onError: (key, error) =>
          error instanceof ApiError || options.connect === null ? this.#fail(key, error) : this.#sendWants(true),
      },
      options.connect === null ? LIMITS.pageKeys : undefined,
    );
    this.#open();
  }

  /** The transport that pages come by now. */
  get status(): StreamStatus {
    return this.#state;
  }

  /** Pages that could not be had are asked for again when they are wanted the next time. */
  forgetFailures(): void {
    this.#failed.clear();
  }

  /** The complete list of pages that are wanted and not there yet, most urgent first. */
  want(keys: readonly PageKey[]): void {
    this.#wanted = keys.slice(0, (this.#options.limits ?? LIMITS).pageKeys);
    if (this.#failed.size > 0) {
      const names = new Set(keys.map(pageName));
      for (const name of [...this.#failed].filter((failed) => !names.has(failed))) {
        this.#failed.delete(name);
      }
    }
    this.#sendWants();
  }

  /** Asks the server for a sign of life: it answers each list, be it the one of before. False where nothing is open. */
  ping(): boolean {
    if (this.#state !== "open" || this.#socket === null) {
      return false;
    }
    this.#outstanding = null;
    this.#sendWants();
    return true;
  }

  /** Gives up the connection, or the pause before the next, and opens another at once. */
  reconnect(): void {
    if (this.#state === "closed") {
      return;
    }
    this.#letGo();
    if (this.#state === "open") {
      this.#setStatus("connecting");
    }
    this.#open();
    // While no WebSocket gets through, what was not answered is asked for once more.
    this.#sendWants();
  }

  /** Closes the connection for good. */
  close(): void {
    this.#setStatus("closed");
    this.#fetcher.stop();
    this.#letGo();
  }

  #letGo(): void {
    this.#cancelRetry();
    // First of all: closing may report itself at once, and would look like a lost connection.
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }

  #open(): void {
    if (this.#options.connect === null) {
      this.#setStatus("open");
      return;
    }
    const socket = this.#options.connect();
    let opened = false;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      if (this.#socket !== socket) {
        return;
      }
      opened = true;
      this.#failures = 0;
      this.#received = 0;
      this.#outstanding = null;
      if (this.#isFirst) {
        this.#fetcher.finish();
      } else {
        this.#fetcher.stop();
      }
      this.#isFirst = false;
      this.#setStatus("open");
      this.#sendWants();
    };
    socket.onmessage = (event) => {
      if (this.#socket === socket) {
        this.#options.events.onHeard?.();
        this.#receive(socket, event.data as ArrayBuffer);
      }
    };
    socket.onclose = () => {
      if (this.#socket === socket) {
        this.#socket = null;
        this.#retry(opened);
      }
    };
    this.#socket = socket;
  }

  #retry(opened: boolean): void {
    this.#failures += opened ? 0 : 1;
    this.#isFirst = false;
    const polling = this.#failures >= FAILURES_BEFORE_POLLING;
    this.#setStatus(polling ? "polling" : "connecting");
    const pauseMs = retryPauseMs(this.#failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS, this.#options.random);
    this.#cancelRetry = this.#later(() => this.#open(), pauseMs);
    this.#sendWants();
  }

  /** `onStreamOnly`: what has just failed over HTTP is not tried there again. */
  #sendWants(onStreamOnly = false): void {
    const keys = this.#wanted.filter((key) => !this.#decoding.has(pageName(key)) && !this.#failed.has(pageName(key)));
    const isStreamed = this.#socket !== null && this.#state === "open";
    if (!isStreamed && this.#state !== "closed" && (this.#state !== "connecting" || this.#isFirst)) {
      if (!onStreamOnly) {
        this.#fetcher.want(keys);
      }
    } else if (isStreamed) {
      const wanted = keys.filter((key) => !this.#fetcher.isFetching(key));
      const names = wanted.map(pageName);
      if (this.#outstanding === null || names.join() !== this.#outstanding.join()) {
        this.#outstanding = names;
        this.#wantId += 1;
        this.#socket?.send(encodeWant(this.#wantId, wanted, this.#received));
      }
    }
  }

  #receive(socket: Socket, frame: ArrayBuffer): void {
    let message: ServerMessage;
    try {
      message = decodeMessage(frame);
    } catch {
      // A peer that speaks something else: start over.
      socket.close();
      return;
    }
    if (message.type === "page") {
      const { key, payload } = message;
      this.#received += 1;
      this.#outstanding = this.#outstanding?.filter((name) => name !== pageName(key)) ?? null;
      void this.#deliver(key, () => inflate(payload)).then(() => {
        if (this.#socket === socket && this.#state === "open") {
          socket.send(encodeCredit(payload.byteLength));
        }
      });
    } else if (message.type === "missing") {
      this.#fail(message.key, new Error("the server has no such page"));
    } else if (message.type === "error") {
      socket.close();
    }
  }

  async #deliver(key: PageKey, load: () => Promise<Uint8Array>): Promise<void> {
    const name = pageName(key);
    this.#decoding.add(name);
    try {
      const bytes = await load();
      const page = await this.#workQueue.runSteps(() => pageSteps(bytes, key));
      if (this.#state === "closed") {
        return;
      }
      this.#decoding.delete(name);
      this.#wanted = this.#wanted.filter((other) => pageName(other) !== name);
      this.#options.events.onPage(page);
    } catch (error) {
      this.#fail(key, error instanceof Error ? error : new Error(String(error)));
    }
  }

  #fail(key: PageKey, error: Error): void {
    this.#decoding.delete(pageName(key));
    this.#failed.add(pageName(key));
    this.#options.events.onFailed(key, error);
  }

  #setStatus(status: StreamStatus): void {
    if (this.#state !== status) {
      this.#state = status;
      this.#options.events.onStatus(status);
    }
  }
}

/** Calls back after a time; gives a function that cancels. */
export function laterByTimer(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}
