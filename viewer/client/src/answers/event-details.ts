/** One event with all that an archive has of it, as the API says it. */

import type { EventDetailsJson } from "../base/schema";
import { sampleTime, sliceDuration, sliceFlags, sliceStart } from "../pages/tile";
import type { ArchivedRun } from "./archived-run";
import { eventArguments } from "./event-arguments";
import { eventFlows } from "./event-flows";
import { placeOfEvent } from "./leaf-events";

/** The event of that ordinal on a track; null where there is none. */
export async function eventDetails(run: ArchivedRun, track: number, ordinal: bigint): Promise<EventDetailsJson | null> {
  const stored = (await run.manifest()).tracks[track];
  if (stored === undefined || stored.kind === "rollup" || ordinal < 0n || ordinal >= BigInt(stored.events)) {
    return null;
  }
  const args = eventArguments(run, track, ordinal);
  args.catch(() => undefined); // awaited below, beside what else is read
  const { tile, row } = await placeOfEvent(run, track, Number(ordinal));
  const named = { track, ordinal: String(ordinal), kind: stored.kind };
  if (stored.kind === "counter") {
    return {
      ...named,
      ...{ name: stored.name, category: "", start: String(sampleTime(tile, row)), duration: "0", row: 0, flags: [] },
      value: tile.samples.value[row]!,
      flows: { in: [], in_count: "0", out: [], out_count: "0" },
      args: await args,
      stacks: [],
    };
  }
  const start = sliceStart(tile, row);
  const [[name, category], flows] = await Promise.all([
    run.name(tile.slices.name[row]!),
    eventFlows(run, track, ordinal, start),
  ]);
  return {
    ...named,
    ...{ name, category, start: String(start), duration: String(sliceDuration(tile, row)) },
    ...{ row: tile.slices.row[row]!, flags: sliceFlags(tile.slices.flags[row]!), value: null, flows },
    args: await args,
    stacks: [],
  };
}
