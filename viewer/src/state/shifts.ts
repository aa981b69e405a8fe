/** Shifts of clocks of hosts and ranks: those of the run, those that the address tries in their place, and both by track. */

import { computed, effect } from "@preact/signals";
import { type Group, Shifts, type TickRange, type Ticks, ticks } from "@tilescope/client";
import type { Pane } from "./pane";
import { perPane } from "./per-pane";
import type { Trace } from "./trace";

export type ShiftOrigin = "none" | "measured" | "by_hand" | "own_axis" | "tried";

export interface HostShift {
  readonly shiftTicks: bigint;
  readonly origin: ShiftOrigin;
}

export const ORIGIN_WORDS: Readonly<Record<ShiftOrigin, string>> = {
  none: "not shifted",
  measured: "measured",
  by_hand: "set by hand",
  own_axis: "of the file's own time axis",
  tried: "tried here",
};

const UNSHIFTED: HostShift = { shiftTicks: 0n, origin: "none" };
const TRIED = /^g(\d{1,15}):(-?\d{1,18})$/;
/** Nobody tries more by hand. */
const MOST = 200;

/** Shifts that an address tries, in ticks by the host's group, `g3:1500,g7:-20`; 0 takes that of the run away. */
export function parseTried(text: string): ReadonlyMap<number, bigint> {
  const parts = text.split(",").slice(0, MOST);
  return new Map(
    parts.flatMap((part) => {
      const [, group, shift] = TRIED.exec(part) ?? [];
      return group === undefined || shift === undefined ? [] : [[Number(group), BigInt(shift)] as const];
    }),
  );
}

export function formatTried(tried: ReadonlyMap<number, bigint>): string {
  return [...tried].map(([group, shift]) => `g${group}:${shift}`).join(",");
}

type Tree = Pick<Trace, "manifest" | "groups" | "tracks">;

/** The shift of each host or rank by its group, of those that have one or would have one without what is tried. */
export function hostShifts({ manifest, groups }: Tree, tried: ReadonlyMap<number, bigint>) {
  const saved = new Map(
    (manifest.shifts ?? []).map(({ host, shiftTicks, origin }) => [host, { shiftTicks, origin } as HostShift]),
  );
  const shifts = new Map<number, HostShift>();
  for (const group of groups.values()) {
    const own = tried.get(group.id);
    const shift = own === undefined ? saved.get(group.name) : ({ shiftTicks: own, origin: "tried" } as const);
    if (group.kind === "host" && shift !== undefined) {
      shifts.set(group.id, shift);
    }
  }
  return shifts;
}

/** Ticks by which each track of a shifted host is drawn later. */
export function shiftsOfTracks({ groups, tracks }: Tree, byHost: ReadonlyMap<number, HostShift>): Shifts | null {
  const shifts = new Map<number, bigint>();
  for (const track of tracks.values()) {
    const shiftTicks = byHost.get(hostOf({ groups }, track.group)?.id ?? -1)?.shiftTicks ?? 0n;
    if (shiftTicks !== 0n) {
      shifts.set(track.id, shiftTicks);
    }
  }
  return shifts.size === 0 ? null : new Shifts(shifts);
}

/** The host or rank that a group is in, or is; null where there is none. */
export function hostOf({ groups }: Pick<Trace, "groups">, group: number): Group | null {
  let around = groups.get(group);
  while (around !== undefined && around.kind !== "host") {
    around = around.parent === null ? undefined : groups.get(around.parent);
  }
  return around ?? null;
}

const following = perPane((pane) => {
  const tried = computed(() => pane.parts.value.shift ?? "");
  const byHost = computed((): ReadonlyMap<number, HostShift> => {
    const shown = pane.runView.value;
    return shown.kind === "open" ? hostShifts(shown.trace, parseTried(tried.value)) : new Map();
  });
  effect(() => {
    const shown = pane.runView.value;
    setShifts(pane, shown.kind === "open" ? shiftsOfTracks(shown.trace, byHost.value) : null);
  });
  effect(() => pane.session.value?.setShifts(pane.shifts.value));
  return byHost;
});

/** Draws a pane with these shifts; what is selected as a bin moves with its track. */
function setShifts(pane: Pane, shifts: Shifts | null): void {
  const before = pane.shifts.peek();
  pane.shifts.value = shifts;
  const chosen = pane.selection.peek();
  if (chosen.kind === "bin") {
    const { track, startTicks } = chosen.bin;
    const laterTicks = (shifts?.later(track) ?? 0n) - (before?.later(track) ?? 0n);
    if (laterTicks !== 0n) {
      pane.selection.value = { ...chosen, bin: { ...chosen.bin, startTicks: ticks(startTicks + laterTicks) } };
    }
  }
}

/** Has a pane drawn with its shifts from now on. */
export function followShifts(pane: Pane): void {
  following(pane);
}

/** The shift of a host or rank, and where it is from. */
export function shiftOfHost(pane: Pane, group: number): HostShift {
  return following(pane).value.get(group) ?? UNSHIFTED;
}

/** Draws a host so many ticks later than it was recorded, in this window and its links; null: as the run has it. */
export function tryShift(pane: Pane, group: number, shiftTicks: bigint | null): void {
  following(pane);
  const { shift = "", ...others } = pane.parts.peek();
  const tried = new Map(parseTried(shift));
  tried.delete(group);
  if (shiftTicks !== null) {
    tried.set(group, shiftTicks);
  }
  const text = formatTried(tried);
  pane.parts.value = text === "" ? others : { ...others, shift: text };
}

/** A recorded time of a track as it is drawn. */
export function drawnTicks({ shifts }: Pick<Pane, "shifts">, track: number, time: bigint): Ticks {
  return ticks(time + (shifts.value?.later(track) ?? 0n));
}

/** A recorded span of a track as it is drawn; null: of the whole run, which has no clock. */
export function drawnRange({ shifts }: Pick<Pane, "shifts">, track: number | null, recorded: TickRange): TickRange {
  return shifts.peek()?.range(track ?? -1, recorded) ?? recorded;
}

export interface RecordedRange {
  /** Span of a question, which is about times that were recorded. */
  readonly range: TickRange;
  /** The clocks of these tracks are shifted differently: the span is that of none of them. */
  readonly isMixed: boolean;
}

/** A span as it is drawn, as it was recorded on some tracks. */
export function recordedRange(shifts: Shifts | null, range: TickRange, tracks: Iterable<number>): RecordedRange {
  const used = new Set([...tracks].map((track) => shifts?.later(track) ?? 0n));
  const [shiftTicks = 0n] = used;
  const later = (time: bigint) => ticks(time - shiftTicks);
  return used.size > 1
    ? { range, isMixed: true }
    : { range: { startTicks: later(range.startTicks), endTicks: later(range.endTicks) }, isMixed: false };
}
