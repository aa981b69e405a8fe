/** All marks of the run on the screen: those that the server keeps, those of the address, and one for the moment, which is in the address, too. */

import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { TickRange } from "@tilescope/client";
import type { Pane } from "../state/pane";
import { bindPart } from "../state/part-text";
import type { Trace } from "../state/trace";
import { carrier } from "../state/track-choice";
import { trackKey } from "../state/track-keys";
import type { MarkKeeper } from "./keeper";
import { byTime, isSame, isSameRange, type Mark, makeMark, newId, rangeOf, shifted } from "./mark";
import { formatMarks, parseMarks } from "./text";

/** Storage of a mark: beside the run, in the address, in this page alone, or until another is marked. */
export type Home = "server" | "address" | "page" | "moment";

export interface ShownMark extends Mark {
  readonly home: Home;
}

/** Hues of the palette that are given to new marks in turn. */
const COLOURS = 8;
const LANE_PX = 20;

export class MarkCollection {
  readonly #pane: Pane;
  readonly keeper: MarkKeeper;
  /** The mark that was pointed out last, by its id. */
  readonly current = signal<string | null>(null);
  /** Marked until another is marked. */
  readonly moment = signal<Mark | null>(null);
  /** The mark that was removed last, to be brought back. */
  readonly removed = signal<Mark | null>(null);
  readonly #addressed = signal<readonly Mark[]>([]);
  /** Made here: what others have put into a link goes to no server by itself. */
  readonly #own = new Set<string>();
  #trace: Trace;
  #written = "";
  readonly #stops: (() => void)[];

  constructor(pane: Pane, trace: Trace, keeper: MarkKeeper) {
    this.#pane = pane;
    this.#trace = trace;
    this.keeper = keeper;
    this.#stops = [
      effect(() => {
        const text = this.#pane.addressMarks.value;
        untracked(() => text !== this.#written && this.#read(text));
      }),
      effect(() => {
        const { text } = this.#inAddress.value;
        untracked(() => {
          this.#written = text;
          this.#pane.addressMarks.value = text;
        });
      }),
      effect(() => {
        const kept = keeper.marks.value;
        untracked(() => this.#sortOut(kept));
      }),
      effect(() => {
        const isReady = keeper.isWritable.value;
        untracked(() => isReady && this.#handOver((mark) => this.#own.has(mark.id)));
      }),
      bindPart(
        this.#pane.parts,
        "mark",
        () => (this.moment.value === null ? null : formatMarks([this.moment.value]).text),
        (text) => {
          this.moment.value = parseMarks(text ?? "", this.#trace.tracks)[0] ?? null;
          return text === null || this.moment.peek() !== null;
        },
      ),
      effect(() => {
        this.#pane.marksLanePx.value = this.all.value.length > 0 ? LANE_PX : 0;
      }),
    ];
  }

  /** In the address are also those that the server should keep and cannot now: with the page, nothing is lost. */
  readonly #inAddress = computed(() => formatMarks([...this.#addressed.value, ...this.keeper.unsaved.value]));

  /** From left to right. */
  readonly all = computed<readonly ShownMark[]>(() => {
    const left = new Set(this.#inAddress.value.left.map(({ id }) => id));
    const shown: ShownMark[] = [
      ...this.keeper.marks.value.map((mark) => ({ ...mark, home: "server" as const })),
      ...this.#addressed.value.map((mark) => ({
        ...mark,
        home: left.has(mark.id) ? ("page" as const) : ("address" as const),
      })),
    ];
    const moment = this.moment.value;
    return [...shown, ...(moment === null ? [] : [{ ...moment, home: "moment" as const }])].sort(byTime);
  });

  readonly currentMark = computed(() => this.all.value.find(({ id }) => id === this.current.value) ?? null);

  /** The mark of exactly this time. */
  at(range: TickRange): ShownMark | null {
    return this.all.peek().find((mark) => mark.home !== "moment" && isSameRange(rangeOf(mark), range)) ?? null;
  }

  /** Keeps a mark: on the server, or else in the address. */
  keep(range: TickRange, tracks: readonly number[]): Mark {
    const mark = makeMark(range, tracks, this.#nextColour());
    batch(() => {
      const moment = this.moment.peek();
      if (moment !== null && isSameRange(rangeOf(moment), range)) {
        this.moment.value = null;
      }
      this.current.value = mark.id;
      this.#add(mark);
    });
    return mark;
  }

  change(mark: ShownMark, now: Mark): void {
    const { home: _home, ...before } = mark;
    if (isSame(before, now)) {
      return;
    }
    const replace = (marks: readonly Mark[]) => marks.map((other) => (other.id === mark.id ? now : other));
    if (mark.home === "server") {
      void this.keeper.change(replace);
    } else if (mark.home === "moment") {
      // Whoever gives it a name wants to keep it.
      this.moment.value = null;
      this.#add(now);
    } else {
      this.#addressed.value = replace(this.#addressed.peek());
    }
  }

  remove(mark: ShownMark): void {
    const { home, ...gone } = mark;
    const without = (marks: readonly Mark[]) => marks.filter(({ id }) => id !== mark.id);
    batch(() => {
      this.current.value = null;
      if (home === "moment") {
        this.moment.value = null;
        return;
      }
      this.removed.value = gone;
      if (home === "server") {
        void this.keeper.change(without);
      } else {
        this.#addressed.value = without(this.#addressed.peek());
      }
    });
  }

  /** Brings back what was removed last. */
  undo(): void {
    const mark = this.removed.peek();
    if (mark !== null) {
      this.removed.value = null;
      this.#add(mark);
    }
  }

  /** Has the server keep all marks that are in the address. */
  keepAll(): void {
    this.#handOver(() => true);
  }

  /** The run has grown: ticks may count from another time, tracks may have other numbers. */
  renew(trace: Trace, shift: bigint): void {
    const keysNow = carrier(this.#trace, trace);
    this.#trace = trace;
    if (shift !== 0n) {
      this.keeper.shift(shift);
    }
    const carry = (mark: Mark): Mark => {
      const tracks = keysNow(mark.tracks.map(trackKey)).map((key) => Number(key.slice(1)));
      return { ...shifted(mark, shift), tracks };
    };
    this.#addressed.value = this.#addressed.peek().map(carry);
    const moment = this.moment.peek();
    this.moment.value = moment === null ? null : carry(moment);
  }

  close(): void {
    this.keeper.close();
    for (const stop of this.#stops) {
      stop();
    }
    this.#pane.marksLanePx.value = 0;
  }

  #add(mark: Mark): void {
    this.#own.add(mark.id);
    if (this.keeper.isWritable.peek()) {
      void this.keeper.change((marks) => [...marks, mark]);
    } else {
      this.#addressed.value = [...this.#addressed.peek(), mark];
    }
  }

  #handOver(isMeant: (mark: Mark) => boolean): void {
    const meant = this.#addressed.peek().filter(isMeant);
    if (meant.length > 0) {
      this.#addressed.value = this.#addressed.peek().filter((mark) => !isMeant(mark));
      void this.keeper.change((marks) => [
        ...marks,
        ...meant.filter(({ id }) => !marks.some((other) => other.id === id)),
      ]);
    }
  }

  /** Takes the marks of an address that one has opened, or gone back to. */
  #read(text: string): void {
    const unsaved = new Set(this.keeper.unsaved.peek().map(({ id }) => id));
    this.#addressed.value = parseMarks(text, this.#trace.tracks).filter(({ id }) => !unsaved.has(id));
    this.#sortOut(this.keeper.marks.peek());
  }

  /** Leaves out of the address what the server has; what has been changed on one of the two since is another mark. */
  #sortOut(kept: readonly Mark[]): void {
    const keptById = new Map(kept.map((mark) => [mark.id, mark]));
    const before = this.#addressed.peek();
    if (before.some(({ id }) => keptById.has(id))) {
      this.#addressed.value = before
        .filter((mark) => !isSame(mark, keptById.get(mark.id)))
        .map((mark) => (keptById.has(mark.id) ? { ...mark, id: newId() } : mark));
    }
  }

  #nextColour(): number {
    const uses = new Array<number>(COLOURS).fill(0);
    for (const { colour } of this.all.peek()) {
      uses[colour % COLOURS]! += 1;
    }
    return uses.indexOf(Math.min(...uses));
  }
}
