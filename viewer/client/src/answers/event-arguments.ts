/** The arguments of one event, as people read them. */

import { INTS } from "../archive/columns";
import { recordKey } from "../archive/keys";
import type { Argument } from "../base/schema";
import type { ArchivedRun } from "./archived-run";
import { argumentsOfChunk, type DurationsOf } from "./argument-chunk";
import { jsonArguments } from "./json-arguments";
import { recordColumns } from "./record-columns";
import { xstatArguments } from "./xstat";

/** The name of an argument that says why there are no others. */
export const UNREADABLE = "[unreadable]";

const OPERATIONS_PER_RECORD = 16_384;

/** The arguments of an event, in the order and with the repetitions of its file. */
export async function eventArguments(run: ArchivedRun, track: number, ordinal: bigint): Promise<Argument[]> {
  const manifest = await run.manifest();
  if (manifest.left_out?.includes("arguments") === true) {
    return [{ name: UNREADABLE, value: leftOutText(manifest.left_out) }];
  }
  const record = await run.lastAtMost("D", [track, ordinal]);
  if (record === null) {
    return [];
  }
  const index = Number(ordinal) - record.number;
  const raw = await argumentsOfChunk(record.content, index, record.number, durationsOf(run, track));
  const file = manifest.tracks[track]!.file;
  const codec = manifest.files[file]?.args_encoding ?? "";
  switch (codec) {
    case "json":
      return jsonArguments(raw);
    case "xstat":
      return await xstatArguments(run, file, raw);
    default: {
      const why = `arguments are written as '${codec.slice(0, 80)}': install the package that reads them`;
      return raw.length === 0 ? [] : [{ name: UNREADABLE, value: why }];
    }
  }
}

function leftOutText(parts: readonly string[]): string {
  return `the archive was made --without ${parts.join(",")} (ask the store it was made of)`;
}

function durationsOf(run: ArchivedRun, track: number): DurationsOf {
  return async (first, count) => {
    const place = first % OPERATIONS_PER_RECORD;
    const content = await run.content(recordKey("X", [BigInt(track), BigInt(first - place)])!);
    const container = recordColumns(content, "TSOP", track);
    return container.ints(INTS.deviceDuration, container.tileCount).values.slice(place, place + count);
  };
}
