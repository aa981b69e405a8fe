/** The part of the address that is the heat map's own, and its view as a text. */

import { type TickRange, ticks } from "@tilescope/client";
import type { PageFields } from "../contract";
import type { RowView } from "./row-view";

export interface HeatMapFields {
  /** Lanes that are busy or idle; empty: devices, where there are some. */
  readonly counted: "" | "devices" | "computing" | "tracks";
  /** Figure by which rows are sorted; empty: in the order of the timeline. */
  readonly sort: string;
  /** Text that the names of rows have; empty: all are shown. */
  readonly filter: string;
}

/** Figures of the answer itself, and those of the tool `pod`, by which rows can be sorted, the greatest first. */
export const SORTS: readonly { readonly id: string; readonly title: string }[] = [
  { id: "", title: "As in the timeline" },
  { id: "late", title: "Behind the others" },
  { id: "busy", title: "Most busy" },
  { id: "idle", title: "Least busy" },
  { id: "pod.keeps_waiting", title: "Keeps others waiting (pod)" },
  { id: "pod.duration", title: "Step time (pod)" },
  { id: "pod.input", title: "Input (pod)" },
  { id: "pod.device_collectives", title: "Collectives (pod)" },
];

export const FIELDS: PageFields<HeatMapFields> = {
  parse: ({ counted = "", sort = "", filter = "" }) => ({
    counted: counted === "devices" || counted === "computing" || counted === "tracks" ? counted : "",
    sort: SORTS.some(({ id }) => id === sort) ? sort : "",
    filter: filter.slice(0, 200),
  }),
  format: ({ counted, sort, filter }) => ({
    ...(counted === "" ? {} : { counted }),
    ...(sort === "" ? {} : { sort }),
    ...(filter === "" ? {} : { filter }),
  }),
};

/** Place on the map: what is in view, and the name of the chosen row. */
export interface MapPlace {
  readonly span: TickRange | null;
  readonly rows: RowView | null;
  readonly chosen: string;
}

/** `start-end;from-to;name`: rows in thousandths; an empty part is all, or nothing. */
export function placeText({ span, rows, chosen }: MapPlace): string {
  const parts = [
    span === null ? "" : `${span.startTicks}-${span.endTicks}`,
    rows === null ? "" : `${Math.round(1000 * rows.from)}-${Math.round(1000 * rows.to)}`,
    encodeURIComponent(chosen),
  ];
  return parts.every((part) => part === "") ? "" : parts.join(";");
}

/** The place that a text says; what is malformed is left out. */
export function placeOf(text: string): MapPlace {
  const [span = "", rows = "", name = ""] = text.split(";");
  const ofSpan = /^(\d{1,19})-(\d{1,19})$/.exec(span);
  const ofRows = /^(\d{1,10})-(\d{1,10})$/.exec(rows);
  const [startTicks, endTicks] = [BigInt(ofSpan?.[1] ?? 0), BigInt(ofSpan?.[2] ?? 0)];
  const [from, to] = [Number(ofRows?.[1] ?? 0) / 1000, Number(ofRows?.[2] ?? 0) / 1000];
  return {
    span: startTicks < endTicks ? { startTicks: ticks(startTicks), endTicks: ticks(endTicks) } : null,
    rows: from < to ? { from, to } : null,
    chosen: decoded(name),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) {
      return "";
    }
    throw error;
  }
}
