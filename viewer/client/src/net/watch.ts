/**
 * The watch of docs/api.md: follows a run while it is indexed, and says which blocks are on the screen, so that they
 * are built first. A lost connection is opened again.
 */

import { LIMITS, type Progress, readProgress, type WatchMessage } from "../base/schema";
import { retryPauseMs } from "./retry";
import { laterByTimer } from "./stream";

/** The part of a WebSocket that the watch uses. */
export interface TextSocket {
  onopen: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent) => void) | null;
  onclose: ((event: CloseEvent) => void) | null;
  send(data: string): void;
  close(): void;
}

/** Callbacks of a watch. */
export interface WatchEvents {
  /** `build` is null while there is nothing to show. */
  onProgress(progress: Progress, build: string | null): void;
  /** These blocks are done. All that were done before come first. */
  onBlocks(build: string, blocks: readonly number[]): void;
  onReady(build: string): void;
  onFailed(message: string): void;
}

/** Options of a watch: its connection, and callbacks. */
export interface WatchOptions {
  readonly connect: () => TextSocket;
  readonly events: WatchEvents;
  readonly later?: (run: () => void, ms: number) => () => void;
  /** From 0 to 1, for the length of pauses. */
  readonly random?: () => number;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;

/** Follows a run while it is indexed. */
export class Watch {
  readonly #later: (run: () => void, ms: number) => () => void;
  #socket: TextSocket | null = null;
  #isOpen = false;
  #failures = 0;
  #cancelRetry: () => void = () => undefined;
  #wanted: readonly number[] = [];
  #sent = "";
  readonly #options: WatchOptions;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#later = options.later ?? laterByTimer;
    this.#open();
  }

  /** The complete list of blocks that are on the screen and not built, most urgent first. */
  want(blocks: readonly number[]): void {
    this.#wanted = blocks.slice(0, LIMITS.watchBlocks);
    this.#sendWants();
  }

  /** Follows the run no longer. */
  close(): void {
    this.#cancelRetry();
    const socket = this.#socket;
    this.#socket = null;
    this.#isOpen = false;
    socket?.close();
  }

  #open(): void {
    const socket = this.#options.connect();
    this.#socket = socket;
    socket.onopen = () => {
      this.#isOpen = true;
      this.#failures = 0;
      this.#sent = "";
      this.#sendWants();
    };
    socket.onmessage = (event) => {
      if (this.#socket === socket) {
        this.#receive(String(event.data));
      }
    };
    socket.onclose = () => {
      if (this.#socket !== socket) {
        return;
      }
      this.#isOpen = false;
      const pauseMs = retryPauseMs(this.#failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS, this.#options.random);
      this.#failures += 1;
      this.#cancelRetry = this.#later(() => this.#open(), pauseMs);
    };
  }

  #sendWants(): void {
    const text = JSON.stringify({ type: "want", blocks: this.#wanted });
    if (this.#isOpen && text !== this.#sent && (this.#wanted.length > 0 || this.#sent !== "")) {
      this.#sent = text;
      this.#socket?.send(text);
    }
  }

  #receive(text: string): void {
    const { events } = this.#options;
    const message = JSON.parse(text) as WatchMessage;
    switch (message.type) {
      case "progress":
        events.onProgress(readProgress(message), message.build);
        return;
      case "blocks":
        events.onBlocks(message.build, message.blocks);
        return;
      case "ready":
        events.onReady(message.build);
        return;
      case "failed":
        events.onFailed(message.error);
    }
  }
}
