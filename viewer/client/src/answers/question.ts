/** Span and tracks of a question, as tools read them. */

import { ApiError } from "../net/error";
import { parseTrackTree } from "../net/model";
import type { ArchivedRun } from "./archived-run";
import type { TickSpan } from "./span-sums";

const TICK_LIMIT = 1n << 61n;
const SLICE_KINDS: ReadonlySet<string> = new Set(["slice", "async", "instant"]);
const RANGE = /^(\d{1,9})(?:-(\d{1,9}))?$/;

export interface QuestionSpan {
  /** The part of the run that is asked about. */
  readonly shown: TickSpan;
  /** The same; to the end of the time axis where that is the end of the run: tiles reach beyond it. */
  readonly within: TickSpan;
}

/** The ticks of a question; where outliers may be left out, without what lies apart unless both ends are given. */
export async function questionSpan(
  run: ArchivedRun,
  question: URLSearchParams,
  mayLeaveOut = true,
): Promise<QuestionSpan> {
  const { public: stored } = await run.manifest();
  const tick = (name: string): bigint | null => {
    const text = question.get(name);
    if (text !== null && !/^-?\d{1,20}$/.test(text)) {
      throw new ApiError(400, "bad_request", `${name}: '${text}' is no tick`);
    }
    return text === null ? null : BigInt(text);
  };
  const [from, to] = [tick("start"), tick("end")];
  const outliers = !mayLeaveOut || (from !== null && to !== null) ? null : (stored.outliers ?? null);
  const end = await lastTick(run);
  const first = outliers === null ? 0n : BigInt(outliers.start);
  const last = outliers === null ? end + 1n : BigInt(outliers.end) + 1n;
  const start = least(most(from ?? 0n, first), last);
  const stop = most(least(to ?? TICK_LIMIT, last), first);
  const shown = { start, stop: most(start, stop) };
  return { shown, within: shown.stop > end ? { ...shown, stop: TICK_LIMIT } : shown };
}

/** The last tick of the run. */
export async function lastTick(run: ArchivedRun): Promise<bigint> {
  return BigInt((await run.manifest()).public.end);
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** The tracks of slices that a text names (`1,5,8-12`), each once, ascending; null: all. A rollup stands for those that it sums. */
export async function questionTracks(run: ArchivedRun, text: string | null): Promise<number[]> {
  const tree = parseTrackTree(await run.trackTree());
  const tracks = new Map(tree.tracks.map((track) => [track.id, track]));
  const chosen = text === null ? [...tracks.keys()] : numbersOf(text, tracks.size);
  const leaves = new Set<number>();
  for (const id of chosen) {
    const track = tracks.get(id);
    if (track === undefined) {
      throw new ApiError(400, "bad_request", `there is no track ${id}`);
    }
    const members = track.kind !== "rollup" ? [id] : text === null ? [] : track.children;
    for (const member of members) {
      if (SLICE_KINDS.has(tracks.get(member)!.kind)) {
        leaves.add(member);
      }
    }
  }
  return [...leaves].sort((a, b) => a - b);
}

function numbersOf(text: string, limit: number): number[] {
  return text.split(",").flatMap((part) => {
    const [, first, last = first] = RANGE.exec(part.trim()) ?? [];
    if (first === undefined || Number(last) >= limit || Number(last) < Number(first)) {
      throw new ApiError(400, "bad_request", `tracks: '${part}' names no tracks of this run`);
    }
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, k) => Number(first) + k);
  });
}
