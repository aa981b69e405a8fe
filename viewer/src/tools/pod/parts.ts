/** What may colour the map of a pod, and whether much of it is good. Ids are those of columns and of the tool's question. */

import type { ToolTable } from "@tilescope/client";

/** Whether more of it is what one wants. */
export type Worth = "good" | "bad" | "neither";

const CLASSES: readonly string[] = [
  "device_compute",
  "device_to_device",
  "device_collectives",
  "host_compute",
  "kernel_launch",
  "input",
  "output",
  "compilation",
  "others",
];
const TPU_PARTS: readonly string[] = [
  "tpu_high_flops",
  "tpu_low_flops",
  "tpu_infeed",
  "tpu_sparse_infeed",
  "tpu_outfeed",
  "tpu_host_send",
  "tpu_host_recv",
  "tpu_all_reduce_compute",
  "tpu_all_reduce_sync",
  "tpu_collectives",
  "tpu_send",
  "tpu_recv",
  "tpu_megacore",
  "tpu_idle",
];
const GOOD: ReadonlySet<string> = new Set(["device_compute", "tpu_high_flops"]);
const NEITHER: ReadonlySet<string> = new Set(["tpu_low_flops", "tpu_all_reduce_compute", "tpu_megacore"]);
const WAITING: ReadonlySet<string> = new Set(["device_collectives", "tpu_all_reduce_sync"]);

/** How long a step takes as a whole. */
export const DURATION = "duration";

export function isColour(id: string): boolean {
  return id === DURATION || CLASSES.includes(id) || TPU_PARTS.includes(id);
}

/** The parts that a table tells, by class or by the categories of TPUs. */
export interface PartGroup {
  readonly title: string;
  readonly parts: readonly { readonly id: string; readonly title: string }[];
}

export function partGroups(cores: ToolTable): readonly PartGroup[] {
  const told = (ids: readonly string[]) =>
    ids.flatMap((id) => {
      const column = cores.columns.find((one) => one.id === id);
      return column?.values.some((value) => value !== null) === true ? [{ id, title: column.title }] : [];
    });
  return [
    { title: "Classes", parts: told(CLASSES) },
    { title: "Categories of TPUs", parts: told(TPU_PARTS) },
  ].filter(({ parts }) => parts.length > 0);
}

export function worthOf(colour: string): Worth {
  return GOOD.has(colour) ? "good" : NEITHER.has(colour) ? "neither" : "bad";
}

/** What the legend says of much of it, `more` being how that looks: dark or bright. */
export function legendWords(colour: string, more: string): string {
  const worth = worthOf(colour);
  const words = worth === "neither" ? "neither good nor bad by itself" : worth;
  return WAITING.has(colour) ? `${more} is ${words}: it waits for the cores that have least` : `${more} is ${words}`;
}
