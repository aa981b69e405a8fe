/**
 * The families of events of a trace, the busiest first: they get the palette's hues in this order, so that the few
 * families that fill a trace are told apart. Looks at root tiles alone, so it is quick, and the same each time.
 */

import { type EventName, fit, type StillClient, type TileData, type Track } from "@tilescope/client";
import { familyOf } from "../raster/palette";
import { requestOf, type Trace } from "./trace";

/** Tracks that are looked at. Those with the same name do the same kind of work: one of them is enough. */
const MAX_TRACKS = 32;

/** Names that are looked up: few names take most of the time. */
const MAX_NAMES = 512;

/** On so few pixels the root tile is the sharp one. */
const WIDTH_PX = 64;

const KINDS: ReadonlySet<string> = new Set(["slice", "async"]);

/** The busiest tracks, each name once. */
export function telling(tracks: Iterable<Track>): readonly Track[] {
  const byName = new Map<string, Track>();
  for (const track of tracks) {
    const other = byName.get(track.name);
    if (KINDS.has(track.kind) && track.events > 0n && (other === undefined || other.busyTicks < track.busyTicks)) {
      byName.set(track.name, track);
    }
  }
  const ordered = [...byName.values()].sort((a, b) =>
    a.busyTicks === b.busyTicks ? a.id - b.id : a.busyTicks < b.busyTicks ? 1 : -1,
  );
  return ordered.slice(0, MAX_TRACKS);
}

/** Adds up the busy ticks by name id, as far as tiles tell: bins know that of their dominant name. */
export function busyByName(tiles: Iterable<TileData>): ReadonlyMap<number, number> {
  const busy = new Map<number, number>();
  for (const { slices, bins } of tiles) {
    for (let k = 0; k < slices.length; k++) {
      const length = slices.endOffset[k]! - slices.startOffset[k]!;
      busy.set(slices.name[k]!, (busy.get(slices.name[k]!) ?? 0) + length);
    }
    for (let k = 0; k < bins.length; k++) {
      const part = (bins.busy[k]! * bins.share[k]!) / 255;
      busy.set(bins.name[k]!, (busy.get(bins.name[k]!) ?? 0) + part);
    }
  }
  return busy;
}

/** Families by falling busy time. Rejects when something cannot be loaded. */
export async function findHueOrder(
  trace: Trace,
  client: Pick<StillClient, "complete" | "coverage">,
  names: { want(ids: Iterable<number>): Promise<void>; get(id: number): EventName | undefined },
): Promise<readonly string[]> {
  const requests = telling(trace.tracks.values()).map(requestOf);
  const view = fit(trace.manifest.range, WIDTH_PX);
  await client.complete(requests, view);
  const tiles = requests.flatMap((request) => client.coverage(request, view).draws.map(({ tile }) => tile));
  const ids = [...busyByName(tiles)].sort(([, a], [, b]) => b - a).slice(0, MAX_NAMES);
  await names.want(ids.map(([id]) => id));
  const busy = new Map<string, number>();
  for (const [id, ticks] of ids) {
    const event = names.get(id);
    if (event !== undefined) {
      busy.set(familyOf(event), (busy.get(familyOf(event)) ?? 0) + ticks);
    }
  }
  return [...busy].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([family]) => family);
}
