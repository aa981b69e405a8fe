/** Slices from which flows arrive at one, and to which they leave: those of the file, and launches that have one correlation. */

import { INTS } from "../archive/columns";
import type { EventFlowsJson, FlowPartnerJson } from "../base/schema";
import { sliceStart } from "../pages/tile";
import type { ArchivedRun } from "./archived-run";
import { type LaunchPartner, launchesOfWork, workOfLaunch } from "./launches";
import { placeOfEvent } from "./leaf-events";
import { placesOf, recordColumns } from "./record-columns";

/** Partners that an event lists in each direction, as the API has it; the counts are of all. */
const FLOWS_AT_MOST = 100;

interface Flow {
  readonly tick: bigint;
  readonly partner: FlowPartnerJson;
}

/** The flows of a slice, which starts at a tick. */
export async function eventFlows(
  run: ArchivedRun,
  track: number,
  ordinal: bigint,
  startTicks: bigint,
): Promise<EventFlowsJson> {
  const [[leaving, arriving], work, launches] = await Promise.all([
    flowEnds(run, track, ordinal),
    workOfLaunch(run, track, ordinal),
    launchesOfWork(run, track, ordinal),
  ]);
  const side = async (flows: Flow[], derived: readonly LaunchPartner[]) => {
    const made = await Promise.all(derived.slice(0, FLOWS_AT_MOST).map((other) => derivedFlow(run, other, startTicks)));
    const all = [...flows, ...made].sort((a, b) => (a.tick < b.tick ? -1 : a.tick > b.tick ? 1 : 0));
    return {
      partners: all.slice(0, FLOWS_AT_MOST).map(({ partner }) => partner),
      count: String(flows.length + derived.length),
    };
  };
  const [incoming, outgoing] = await Promise.all([side(arriving, launches), side(leaving, work)]);
  return { in: incoming.partners, in_count: incoming.count, out: outgoing.partners, out_count: outgoing.count };
}

/** Flows of the file that leave a slice, and those that arrive at it, by time. */
async function flowEnds(run: ArchivedRun, track: number, ordinal: bigint): Promise<[Flow[], Flow[]]> {
  const record = await run.lastAtMost("F", [track, ordinal]);
  const sides: [Flow[], Flow[]] = [[], []];
  if (record === null) {
    return sides;
  }
  const container = recordColumns(record.content, "TSFL", track);
  const column = (id: number): BigInt64Array => container.ints(id, container.tileCount).values;
  const { first, stop } = placesOf(column(INTS.flowOrdinal), ordinal);
  const [incoming, tick, partnerTrack] = [INTS.flowIncoming, INTS.flowTick, INTS.flowPartnerTrack].map(column);
  const [partnerOrdinal, partnerTick] = [INTS.flowPartnerOrdinal, INTS.flowPartnerTick].map(column);
  const [offset, name] = [INTS.flowPartnerOffset, INTS.flowPartnerName].map(column);
  for (let row = first; row < stop; row++) {
    const partner = {
      track: Number(partnerTrack![row]),
      ordinal: String(partnerOrdinal![row]),
      name: (await run.name(Number(name![row])))[0],
      start: String(partnerTick![row]! - offset![row]!),
      derived: false,
    };
    sides[incoming![row] === 1n ? 1 : 0].push({ tick: tick![row]!, partner });
  }
  return sides;
}

async function derivedFlow(run: ArchivedRun, { track, ordinal }: LaunchPartner, tick: bigint): Promise<Flow> {
  const { tile, row } = await placeOfEvent(run, track, Number(ordinal));
  const [name] = await run.name(tile.slices.name[row]!);
  const start = String(sliceStart(tile, row));
  return { tick, partner: { track, ordinal: String(ordinal), name, start, derived: true } };
}
