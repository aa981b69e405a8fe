/** Figures that may colour the map of a pod, and whether much of them is good. Ids are those of columns and of the tool's question. */

import type { ToolTable } from "@tilescope/client";

/** Worth of a high value. */
export type Worth = "good" | "bad" | "neither";

const GOOD: ReadonlySet<string> = new Set(["device_compute", "tpu_high_flops"]);
const NEITHER: ReadonlySet<string> = new Set([
  "tpu_low_flops",
  "tpu_all_reduce_compute",
  "tpu_all_reduce_unsplit",
  "tpu_megacore",
]);
const WAITING: ReadonlySet<string> = new Set(["device_collectives", "tpu_all_reduce_sync"]);

/** Id of the duration of a step as a whole. */
export const DURATION = "duration";

/** Id of the mean of the steps of which parts were recorded: these are parts of it. */
export const RECORDED_DURATION = "recorded_duration";

/** Id of the time that others wait for a core: no part of its own steps. */
export const KEEPS_WAITING = "keeps_waiting";

/** Prefix of the ids of TPU categories: some of the others are those of classes. */
const TPU = "tpu_";

/** The parts that a table tells, by class or by the categories of TPUs. */
export interface PartGroup {
  readonly title: string;
  readonly parts: readonly { readonly id: string; readonly title: string }[];
}

/** All columns of times that are parts of the duration, in the server's order. */
export function partGroups(cores: ToolTable): readonly PartGroup[] {
  const parts = cores.columns
    .filter(({ id, kind }) => kind === "ticks" && ![DURATION, RECORDED_DURATION, KEEPS_WAITING].includes(id))
    .filter(({ values }) => values.some((value) => value !== null))
    .map(({ id, title }) => ({ id, title }));
  return [
    { title: "Classes", parts: parts.filter(({ id }) => !id.startsWith(TPU)) },
    { title: "Categories of TPUs", parts: parts.filter(({ id }) => id.startsWith(TPU)) },
  ].filter((group) => group.parts.length > 0);
}

/** The figure that colours the map: the one that is chosen, or the first that a table tells, as in the tool. */
export function colourOf(cores: ToolTable | undefined, chosen: string): string {
  const waits = cores?.columns.find(({ id }) => id === KEEPS_WAITING)?.values ?? [null];
  return chosen || (cores === undefined || waits.some((value) => value !== null) ? KEEPS_WAITING : DURATION);
}

export function worthOf(colour: string): Worth {
  return GOOD.has(colour) ? "good" : NEITHER.has(colour) ? "neither" : "bad";
}

/** Text of the legend for more of it, `more` being its look: "Darker" or "Brighter". */
export function legendWords(colour: string, more: string): string {
  if (colour === KEEPS_WAITING) {
    return `${more}: others wait longer for it`;
  }
  if (WAITING.has(colour)) {
    return `${more}: waits longer for other cores`;
  }
  const worth = worthOf(colour);
  return worth === "neither" ? `${more}: more of it` : `${more} is ${worth === "good" ? "better" : "worse"}`;
}
