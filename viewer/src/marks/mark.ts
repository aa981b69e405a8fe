/** A mark: a moment or a span of time that somebody wants to find again, with a text and a colour. Pure. */

import {
  formatDuration,
  type Mark as KeptMark,
  type MarkKind,
  minus,
  type TickRange,
  type Ticks,
  ticks,
} from "@tilescope/client";

export interface Mark {
  readonly id: string;
  readonly kind: MarkKind;
  readonly startTicks: Ticks;
  /** Null: a moment. */
  readonly endTicks: Ticks | null;
  /** Its first line is its name. */
  readonly name: string;
  /** None: it is about all of them. */
  readonly tracks: readonly number[];
  readonly colour: number;
}

/** Limit of the server's schema; a mark with more tracks is about all of them. */
export const MOST_TRACKS = 100;
export const LONGEST_NAME = 2000;

/** As the server has it. */
export function fromKept({ id, kind, startTicks, endTicks, name, tracks, colour }: KeptMark): Mark {
  return {
    ...{ id, kind, startTicks, endTicks: endTicks ?? null },
    ...{ name: name ?? "", tracks: tracks ?? [], colour: colour ?? 0 },
  };
}

/** Eight letters and digits by chance. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => (byte % 36).toString(36)).join("");
}

/** A text of several lines, or at a moment, is a note; a span with a name is a region. */
export function kindOf({ name, endTicks }: Pick<Mark, "name" | "endTicks">): MarkKind {
  return name === "" ? "mark" : endTicks === null || name.includes("\n") ? "note" : "region";
}

export function makeMark(range: TickRange, tracks: readonly number[], colour: number): Mark {
  const { startTicks, endTicks } = range;
  return {
    ...{ id: newId(), kind: "mark", startTicks, endTicks: endTicks > startTicks ? endTicks : null, name: "" },
    ...{ tracks: tracks.length > MOST_TRACKS ? [] : tracks, colour },
  };
}

/** The same with another text. */
export function renamed(mark: Mark, text: string): Mark {
  const name = text
    .trim()
    .slice(0, LONGEST_NAME)
    .replace(/\p{Surrogate}/gu, "");
  return { ...mark, name, kind: kindOf({ name, endTicks: mark.endTicks }) };
}

export function rangeOf({ startTicks, endTicks }: Pick<Mark, "startTicks" | "endTicks">): TickRange {
  return { startTicks, endTicks: endTicks ?? startTicks };
}

export function durationOf(mark: Mark): Ticks {
  return minus(rangeOf(mark).endTicks, mark.startTicks);
}

export function isSameRange(a: TickRange, b: TickRange): boolean {
  return a.startTicks === b.startTicks && a.endTicks === b.endTicks;
}

/** True if two marks are equal. */
export function isSame(a: Mark | undefined, b: Mark | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && contentOf(a) === contentOf(b) && a.id === b.id);
}

function contentOf({ kind, startTicks, endTicks, name, tracks, colour }: Mark): string {
  return JSON.stringify([kind, `${startTicks}`, `${endTicks}`, name, tracks, colour]);
}

/** By time; of those that begin together the longer one first. */
export function byTime(a: Mark, b: Mark): number {
  const [first, second] = [rangeOf(a), rangeOf(b)];
  return (
    compare(first.startTicks, second.startTicks) ||
    compare(second.endTicks, first.endTicks) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  );
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function firstLine(text: string): string {
  return text.split("\n", 1)[0]!;
}

/** The first line of its text, or what it is. */
export function titleOf(mark: Pick<Mark, "name" | "endTicks">): string {
  return firstLine(mark.name) || (mark.endTicks === null ? "Moment" : "Span");
}

/** Name and length, `warm-up · 1.25 ms`: what of them a mark has. */
export function labelOf(mark: Mark, tickPs: number): string {
  const length = mark.endTicks === null ? "" : formatDuration(durationOf(mark), tickPs);
  return [firstLine(mark.name), length].filter((text) => text !== "").join(" · ");
}

export function shifted(mark: Mark, shift: bigint): Mark {
  const { startTicks, endTicks } = mark;
  const later = (time: bigint) => ticks(time + shift);
  return { ...mark, startTicks: later(startTicks), endTicks: endTicks === null ? null : later(endTicks) };
}
