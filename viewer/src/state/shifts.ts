/** Shifts of hosts' clocks, by track. Pure. */

import { Shifts } from "@tilescope/client";
import type { Trace } from "./trace";

/** Ticks by which each track of a shifted host is drawn later, as the manifest has it for hosts. */
export function shiftsOfTracks({ manifest, groups, tracks }: Pick<Trace, "manifest" | "groups" | "tracks">) {
  const shifts = new Map<number, bigint>();
  const byHost = new Map((manifest.shifts ?? []).map(({ host, shiftTicks }) => [host, shiftTicks]));
  for (const track of tracks.values()) {
    for (let group = groups.get(track.group); group !== undefined; ) {
      const shiftTicks = group.kind === "host" ? byHost.get(group.name) : undefined;
      if (shiftTicks !== undefined) {
        shifts.set(track.id, shiftTicks);
      }
      group = group.parent === null ? undefined : groups.get(group.parent);
    }
  }
  return new Shifts(shifts);
}
