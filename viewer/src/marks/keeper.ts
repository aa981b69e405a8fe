/**
 * Marks that the server keeps: what is changed here is saved at once, what others have changed meanwhile is merged with it,
 * and what cannot be saved now is saved when the server is back. The server is behind a port; tests have one of their own.
 */

import { computed, signal } from "@preact/signals";
import { ApiError, type Mark as KeptMark, NetworkError } from "@tilescope/client";
import { fromKept, isSame, type Mark, shifted } from "./mark";
import { mergeMarks } from "./merge";

export interface KeeperPort {
  load(): Promise<{ readonly marks: readonly KeptMark[]; readonly writable: boolean; readonly etag: string }>;
  save(marks: readonly Mark[], etag: string): Promise<{ readonly etag: string }>;
}

export type KeepState =
  | { readonly kind: "loading" }
  /** The server keeps none. */
  | { readonly kind: "read-only" }
  | { readonly kind: "saved" }
  | { readonly kind: "saving" }
  /** It did not work; with `isAway` it will when the server is back. */
  | { readonly kind: "unsaved"; readonly message: string; readonly isAway: boolean }
  /** The server's marks are not known. */
  | { readonly kind: "unknown"; readonly message: string; readonly isAway: boolean };

interface Base {
  readonly marks: readonly Mark[];
  readonly etag: string;
}

/** Somebody who is quicker so often is a program. */
const MOST_TRIES = 8;

export class MarkKeeper {
  readonly marks = signal<readonly Mark[]>([]);
  readonly state = signal<KeepState>({ kind: "loading" });
  /** Number of marks that two people have changed at the same time, so that there are two of them now. */
  readonly twice = signal(0);
  readonly isWritable = computed(() => !["loading", "read-only", "unknown"].includes(this.state.value.kind));
  readonly #base = signal<Base>({ marks: [], etag: "" });
  /** Marks that the server does not have as they are here, and cannot have now. */
  readonly unsaved = computed<readonly Mark[]>(() => {
    const before = new Map(this.#base.value.marks.map((mark) => [mark.id, mark]));
    return this.state.value.kind === "unsaved"
      ? this.marks.value.filter((mark) => !isSame(mark, before.get(mark.id)))
      : [];
  });
  readonly #port: KeeperPort;
  #work: Promise<void> | null = null;
  #isClosed = false;

  constructor(port: KeeperPort) {
    this.#port = port;
  }

  /** Looks at what the server has; never rejects. */
  load(): Promise<void> {
    return this.#alone(async () => {
      if (this.#isChanged()) {
        await this.#save();
        return;
      }
      const now = await this.#port.load();
      if (this.#isChanged()) {
        await this.#save(); // changed while the answer was on its way
        return;
      }
      this.#take(now.marks.map(fromKept), now.etag);
      this.state.value = { kind: now.writable ? "saved" : "read-only" };
    });
  }

  /** Changes the marks, where the server keeps them; never rejects. */
  change(change: (marks: readonly Mark[]) => readonly Mark[]): Promise<void> {
    this.marks.value = change(this.marks.peek());
    return this.#alone(() => this.#save());
  }

  /** The run's origin has moved: ticks count from another time. */
  shift(by: bigint): void {
    const { marks, etag } = this.#base.peek();
    this.marks.value = this.marks.peek().map((mark) => shifted(mark, by));
    this.#base.value = { marks: marks.map((mark) => shifted(mark, by)), etag };
  }

  close(): void {
    this.#isClosed = true;
  }

  /** One at a time; what is asked for meanwhile is done by the one that is at work, or after it. */
  #alone(work: () => Promise<void>): Promise<void> {
    const before = this.#work ?? Promise.resolve();
    const mine = before.then(async () => {
      if (this.#isClosed) {
        return;
      }
      try {
        await work();
      } catch (error) {
        this.#failed(error);
      }
    });
    this.#work = mine;
    return mine;
  }

  async #save(): Promise<void> {
    for (let tries = 0; this.#isChanged(); tries++) {
      const sent = this.marks.peek();
      this.state.value = { kind: "saving" };
      try {
        const { etag } = await this.#port.save(sent, this.#base.peek().etag);
        this.#base.value = { marks: sent, etag };
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 412) || tries >= MOST_TRIES) {
          throw error;
        }
        const now = await this.#port.load();
        const theirs = now.marks.map(fromKept);
        const { marks, twice } = mergeMarks(this.#base.peek().marks, this.marks.peek(), theirs);
        this.twice.value += twice.length;
        this.#base.value = { marks: theirs, etag: now.etag };
        this.marks.value = marks;
      }
    }
    this.state.value = { kind: "saved" };
  }

  #isChanged(): boolean {
    const { marks: before } = this.#base.peek();
    const now = this.marks.peek();
    const beforeById = new Map(before.map((mark) => [mark.id, mark]));
    return now.length !== before.length || now.some((mark) => !isSame(mark, beforeById.get(mark.id)));
  }

  #take(marks: readonly Mark[], etag: string): void {
    this.#base.value = { marks, etag };
    this.marks.value = marks;
  }

  #failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const isAway = error instanceof NetworkError;
    const isKnown = this.isWritable.peek() || this.state.peek().kind === "read-only";
    if (this.#isChanged()) {
      this.state.value = { kind: "unsaved", message, isAway };
    } else if (!isKnown) {
      this.state.value = { kind: "unknown", message, isAway };
    }
  }
}
