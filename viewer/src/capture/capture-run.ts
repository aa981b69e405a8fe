/** The capture that this page follows: from the wish to what came of it. Goes on when nobody looks at it. */

import { signal } from "@preact/signals";
import {
  type Api,
  beginCapture,
  type Capture,
  type CaptureOrder,
  type CaptureRoom,
  captureWatchUrl,
  fetchCaptures,
  followCapture,
  stopCapture,
} from "@tilescope/client";
import { type HeardCapture, heard } from "./clock";

export type CaptureView =
  | { readonly kind: "loading" }
  /** The server does not say what can be captured. */
  | { readonly kind: "unknown"; readonly message: string }
  | {
      readonly kind: "form";
      readonly room: CaptureRoom;
      readonly refusal: string | null;
      readonly isBeginning: boolean;
    }
  | { readonly kind: "capture"; readonly heard: HeardCapture };

export interface CaptureRunPort {
  readonly api: Api;
  readonly now: () => number;
  /** A capture that this page began, or found, is over. */
  readonly onOver: (capture: Capture) => void;
}

export class CaptureRun {
  readonly view = signal<CaptureView>({ kind: "loading" });
  readonly #port: CaptureRunPort;
  #room: CaptureRoom | null = null;
  #unfollow: () => void = () => undefined;

  constructor(port: CaptureRunPort) {
    this.#port = port;
  }

  /** Looks at what can be captured; a capture that runs is shown. */
  async load(): Promise<void> {
    const before = this.view.peek();
    if (before.kind === "capture" && before.heard.capture.state === "running") {
      return;
    }
    this.view.value = { kind: "loading" };
    try {
      this.#room = await fetchCaptures(this.#port.api);
    } catch (error) {
      this.view.value = { kind: "unknown", message: messageOf(error) };
      return;
    }
    const running = this.#room.captures.find(({ state }) => state === "running");
    if (running === undefined) {
      this.showForm();
    } else {
      this.#follow(running);
    }
  }

  showForm(refusal: string | null = null, isBeginning = false): void {
    this.#unfollow();
    if (this.#room !== null) {
      this.view.value = { kind: "form", room: this.#room, refusal, isBeginning };
    }
  }

  async begin(order: CaptureOrder): Promise<void> {
    this.showForm(null, true);
    try {
      this.#follow(await beginCapture(this.#port.api, order));
    } catch (error) {
      this.showForm(messageOf(error));
    }
  }

  /** Ends it early. */
  async stop(): Promise<void> {
    const view = this.view.peek();
    if (view.kind === "capture") {
      try {
        this.#take(await stopCapture(this.#port.api, view.heard.capture.id));
      } catch {
        // It goes on; what becomes of it is heard of.
      }
    }
  }

  #follow(capture: Capture): void {
    this.#unfollow();
    const { api } = this.#port;
    this.#take(capture);
    this.#unfollow = followCapture(api, capture.id, {
      onCapture: (now) => this.#take(now),
      onLost: () => this.showForm("The server was restarted and no longer knows this capture."),
      connect: () => new WebSocket(captureWatchUrl(api, capture.id, location.href)),
    });
  }

  #take(capture: Capture): void {
    const before = this.view.peek();
    const previous = before.kind === "capture" ? before.heard : null;
    const wasOver = previous?.capture.id === capture.id && previous.capture.state !== "running";
    if (wasOver) {
      return;
    }
    this.view.value = { kind: "capture", heard: heard(previous, capture, this.#port.now()) };
    if (capture.state !== "running") {
      this.#port.onOver(capture);
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
