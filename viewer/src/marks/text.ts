/**
 * Marks as an address has them: `id,r100-250,3,5-7.9,warm-up` is a region from 100 to 250 of colour 3 on the tracks 5 to 7
 * and 9; marks are parted by `;`. `m`, `r` and `n` are marks, regions and notes; a moment has one time. What is last and says
 * nothing is left out. Pure.
 */

import { type MarkKind, ticks } from "@tilescope/client";
import { entryText, escapeField, unescapeField } from "../base/list-text";
import { LONGEST_MARKS } from "../state/location";
import { formatTracks, parseTracks } from "../state/track-keys";
import { isSame, LONGEST_NAME, type Mark, MOST_TRACKS } from "./mark";

const KINDS: Readonly<Record<string, MarkKind>> = { m: "mark", r: "region", n: "note" };
const ID = /^[\w-]{1,64}$/;
const TIME = /^([mrn])(-?\d{1,19})(?:-(-?\d{1,19}))?$/;
const COLOUR = /^(\d|1[0-5])?$/;

function formatMark({ id, kind, startTicks, endTicks, name, tracks, colour }: Mark): string {
  const fields = [
    id,
    `${kind[0]}${startTicks}${endTicks === null ? "" : `-${endTicks}`}`,
    colour === 0 ? "" : `${colour}`,
    formatTracks(new Set(tracks)),
    escapeField(name),
  ];
  return entryText(fields);
}

function parseMark(text: string, tracksById: ReadonlyMap<number, unknown>): Mark | null {
  const [id = "", time = "", colour = "", tracks = "", name = "", ...more] = text.split(",");
  const match = TIME.exec(time);
  if (!ID.test(id) || match === null || !COLOUR.test(colour) || more.length > 0) {
    return null;
  }
  const [, kind, start, end] = match;
  const startTicks = ticks(start!);
  const endTicks = end === undefined ? null : ticks(end);
  if (endTicks !== null && endTicks < startTicks) {
    return null;
  }
  const named = parseTracks(tracks, { tracks: tracksById, groups: new Map() });
  return {
    ...{ id, kind: KINDS[kind!]!, startTicks, endTicks, colour: Number(colour) },
    tracks: [...named].slice(0, MOST_TRACKS),
    name: unescapeField(name).slice(0, LONGEST_NAME),
  };
}

/** The marks of an address that make sense, each id once; tracks that there are not are left out. */
export function parseMarks(text: string, tracksById: ReadonlyMap<number, unknown>): readonly Mark[] {
  const marks = new Map<string, Mark>();
  for (const part of text.slice(0, LONGEST_MARKS).split(";")) {
    const mark = parseMark(part, tracksById);
    if (mark !== null && !marks.has(mark.id)) {
      marks.set(mark.id, mark);
    }
  }
  return [...marks.values()];
}

export interface MarksText {
  readonly text: string;
  /** Marks for which an address has no room. */
  readonly left: readonly Mark[];
}

/** As many of the marks as an address holds, those that were made first. */
export function formatMarks(marks: readonly Mark[]): MarksText {
  const parts: string[] = [];
  const left: Mark[] = [];
  let length = 0;
  for (const mark of marks) {
    const part = formatMark(mark);
    const partLength = encodeURIComponent(part).length + 1;
    if (length + partLength > LONGEST_MARKS) {
      left.push(mark);
    } else {
      parts.push(part);
      length += partLength;
    }
  }
  return { text: parts.join(";"), left };
}

/** True if two lists are equal. */
export function areSame(a: readonly Mark[], b: readonly Mark[]): boolean {
  return a.length === b.length && a.every((mark, k) => isSame(mark, b[k]));
}
