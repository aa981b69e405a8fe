/** News of a job that this page monitors: its last samples, and the reason where there are none. */

import { signal } from "@preact/signals";
import {
  type Api,
  type CaptureProblem,
  followMonitor,
  type MonitorSample,
  type MonitorWord,
  monitorUrl,
} from "@tilescope/client";

/** So many samples are kept and shown: two minutes. */
const MOST_SAMPLES = 120;

export type MonitorState =
  /** Nobody has said which job. */
  | { readonly kind: "asking" }
  | { readonly kind: "connecting" }
  | { readonly kind: "live" }
  | { readonly kind: "paused" }
  /** A capture runs. */
  | { readonly kind: "held" }
  /** Tilescope itself does not answer. */
  | { readonly kind: "away" }
  /** The job cannot be asked; with `isOver` it is not asked again. */
  | { readonly kind: "problem"; readonly problem: CaptureProblem; readonly isOver: boolean }
  | { readonly kind: "refused"; readonly message: string };

export class MonitorRun {
  readonly host = signal("");
  readonly state = signal<MonitorState>({ kind: "asking" });
  readonly samples = signal<readonly MonitorSample[]>([]);
  readonly #api: Api;
  #end: () => void = () => undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Looks at a job. */
  begin(host: string): void {
    if (host !== this.host.peek()) {
      this.samples.value = [];
    }
    this.host.value = host;
    this.resume();
  }

  /** Asks which job. */
  ask(): void {
    this.#end();
    this.state.value = { kind: "asking" };
  }

  /** The job is left alone; what was seen stays. */
  pause(): void {
    this.#end();
    this.state.value = { kind: "paused" };
  }

  resume(): void {
    this.#end();
    this.state.value = { kind: "connecting" };
    this.#end = followMonitor({
      onWord: (word) => this.#take(word),
      onAway: () => {
        this.state.value = { kind: "away" };
      },
      connect: () => new WebSocket(monitorUrl(this.#api, this.host.peek(), location.href)),
    });
  }

  stop(): void {
    this.#end();
  }

  #take(word: MonitorWord): void {
    switch (word.type) {
      case "sample":
        this.samples.value = [...this.samples.peek(), word].slice(-MOST_SAMPLES);
        this.state.value = { kind: "live" };
        return;
      case "held":
        this.state.value = { kind: "held" };
        return;
      case "problem":
        this.state.value = { kind: "problem", problem: word.problem, isOver: word.retryMs === 0 };
        return;
      case "error":
        this.state.value = { kind: "refused", message: word.message };
    }
  }
}
