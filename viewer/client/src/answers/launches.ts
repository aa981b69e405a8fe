/** Launches: of slices of devices the slices of hosts that launched them (docs/page-format.md, Launches). */

import { INTS } from "../archive/columns";
import { recordKey } from "../archive/keys";
import { FormatError } from "../pages/error";
import type { ArchivedRun } from "./archived-run";
import { placesOf, recordColumns } from "./record-columns";

/** The slice at the other end of a launch that no flow of the file tells. */
export interface LaunchPartner {
  readonly track: number;
  readonly ordinal: bigint;
}

/** Pairs of one track, in the order of its slices. */
interface Launches {
  readonly ordinal: BigInt64Array;
  readonly launchTrack: BigInt64Array;
  readonly launchOrdinal: BigInt64Array;
  readonly way: BigInt64Array;
}

const BY_CORRELATION = 1n;

/** The launches of a chunk. Throws FormatError. */
function decodeLaunches(content: Uint8Array, track: number): Launches {
  const container = recordColumns(content, "TSLN", track);
  const n = container.tileCount;
  const code = container.ints(INTS.launchCode, n).values;
  const places = container.sizeOf(INTS.launchingTrack);
  const tracks = container.ints(INTS.launchingTrack, places).values;
  const before = container.ints(INTS.beforeLaunch, places).values;
  const bits = BigInt(places < 2 ? 0 : (places - 1).toString(2).length);
  const shift: (bigint | undefined)[] = [];
  const launchTrack = new BigInt64Array(n);
  const launchOrdinal = new BigInt64Array(n);
  let now = 0n;
  for (let row = 0; row < n; row++) {
    const place = Number(code[row]! & ((1n << bits) - 1n));
    if (place >= places) {
      throw new FormatError("a launch is on no track of the list");
    }
    const moved = shift[place] ?? BigInt.asIntN(64, now - before[place]!);
    shift[place] = moved;
    const launch = BigInt.asIntN(64, (code[row]! >> bits) + now - moved);
    const next = BigInt.asIntN(64, launch + moved);
    if (next < now) {
      shift[place] = BigInt.asIntN(64, now - launch);
    } else {
      now = next;
    }
    launchTrack[row] = tracks[place]!;
    launchOrdinal[row] = launch;
  }
  return {
    ordinal: container.ints(INTS.launchOrdinal, n).values,
    launchTrack,
    launchOrdinal,
    way: container.ints(INTS.launchWay, n).values,
  };
}

/** Launches of a slice, in stored order: by correlation alone. */
export async function launchesOfWork(run: ArchivedRun, track: number, ordinal: bigint): Promise<LaunchPartner[]> {
  const record = await run.lastAtMost("l", [track, ordinal]);
  if (record === null) {
    return [];
  }
  const launches = decodeLaunches(record.content, track);
  const { first, stop } = placesOf(launches.ordinal, ordinal);
  const partners: LaunchPartner[] = [];
  for (let row = first; row < stop; row++) {
    if (launches.way[row] === BY_CORRELATION) {
      partners.push({ track: Number(launches.launchTrack[row]), ordinal: launches.launchOrdinal[row]! });
    }
  }
  return partners;
}

/** Slices that one launched, in the order (track, ordinal): by correlation alone. */
export async function workOfLaunch(run: ArchivedRun, track: number, ordinal: bigint): Promise<LaunchPartner[]> {
  const partners: LaunchPartner[] = [];
  for (const work of (await placesOfLaunches(run, track)).work) {
    const places = await placesOfLaunches(run, Number(work));
    const events = new Set<bigint>();
    for (const [row, event] of places.event.entries()) {
      if (places.track[row] === BigInt(track) && places.least[row]! <= ordinal && places.greatest[row]! >= ordinal) {
        events.add(event);
      }
    }
    const keys = [...events].map((event) => recordKey("l", [work, event])!);
    for (const content of await Promise.all(keys.map((key) => run.content(key)))) {
      const launches = decodeLaunches(content, Number(work));
      for (const [row, launch] of launches.launchOrdinal.entries()) {
        if (launch === ordinal && launches.launchTrack[row] === BigInt(track) && launches.way[row] === BY_CORRELATION) {
          partners.push({ track: Number(work), ordinal: launches.ordinal[row]! });
        }
      }
    }
  }
  return partners;
}

interface LaunchPlaces {
  readonly event: BigInt64Array;
  readonly track: BigInt64Array;
  readonly least: BigInt64Array;
  readonly greatest: BigInt64Array;
  /** Tracks whose slices the track's own launched. */
  readonly work: BigInt64Array;
}

async function placesOfLaunches(run: ArchivedRun, track: number): Promise<LaunchPlaces> {
  const content = await run.find(recordKey("m", [BigInt(track)])!);
  const none = new BigInt64Array(0);
  if (content === null) {
    return { event: none, track: none, least: none, greatest: none, work: none };
  }
  const container = recordColumns(content, "TSLP", track);
  const column = (id: number): BigInt64Array => container.ints(id, container.tileCount).values;
  return {
    event: column(INTS.placeEvent),
    track: column(INTS.placeTrack),
    least: column(INTS.placeLeast),
    greatest: column(INTS.placeGreatest),
    work: container.ints(INTS.placeWork, container.sizeOf(INTS.placeWork)).values,
  };
}
