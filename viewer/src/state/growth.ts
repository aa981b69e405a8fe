/** Progress of the run on the screen while it is indexed: follows it, and reports which blocks are looked at. */

import { signal } from "@preact/signals";
import { type Api, type Progress, type TextSocket, Watch } from "@tilescope/client";

export function growthState() {
  /** Progress of the run on the screen; null unless it is being indexed. */
  const growth = signal<Progress | null>(null);
  return { growth };
}

export type GrowthState = ReturnType<typeof growthState>;

export interface GrowthEvents {
  /** There is something (new) to show: the track tree has changed. */
  onRevision(run: string, revision: number): void;
  onBlocks(run: string, build: string, blocks: readonly number[]): void;
  onReady(run: string): void;
  onFailed(run: string, message: string): void;
}

export type ConnectWatch = (run: string) => TextSocket;

export class GrowthFollower {
  readonly #pane: GrowthState;
  readonly #connect: ConnectWatch;
  readonly #events: GrowthEvents;
  #run: string | null = null;
  #watch: Watch | null = null;
  #revision = 0;

  constructor(pane: GrowthState, events: GrowthEvents, connect: ConnectWatch) {
    this.#pane = pane;
    this.#events = events;
    this.#connect = connect;
  }

  /** Follows a run, and no other; null: none. */
  follow(run: string | null): void {
    if (run === this.#run) {
      return;
    }
    this.#watch?.close();
    this.#watch = null;
    this.#run = run;
    this.#revision = 0;
    this.#pane.growth.value = null;
    if (run === null) {
      return;
    }
    const { onRevision, onBlocks, onReady, onFailed } = this.#events;
    const end = (tell: () => void): void => {
      this.follow(null);
      tell();
    };
    this.#watch = new Watch({
      connect: () => this.#connect(run),
      events: {
        onProgress: (progress) => {
          this.#pane.growth.value = progress;
          if (progress.revision > this.#revision) {
            this.#revision = progress.revision;
            onRevision(run, progress.revision);
          }
        },
        onBlocks: (build, blocks) => onBlocks(run, build, blocks),
        onReady: () => end(() => onReady(run)),
        onFailed: (message) => end(() => onFailed(run, message)),
      },
    });
  }

  /** Blocks that are on the screen and not built, most urgent first. */
  want(blocks: readonly number[]): void {
    this.#watch?.want(blocks);
  }
}

/** The address and the browser's own socket. */
export function watchSocket(api: Api): ConnectWatch {
  return (run) => new WebSocket(api.watchUrl(run, location.href));
}
