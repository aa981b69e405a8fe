/** The part of the address that is the heat map's own, and its view as a text. */

import { type TickRange, ticks } from "@tilescope/client";
import type { PageFields } from "../contract";
import type { RowView } from "./row-view";

export interface HeatMapFields {
  /** Lanes that are busy or idle; empty: devices, where there are some. */
  readonly counted: "" | "devices" | "computing" | "tracks";
  /** Figure by which rows are sorted: one of the answer, or `tool.column`; empty: in the order of the timeline. */
  readonly sort: string;
  /** True: the least first. */
  readonly least: boolean;
  /** Trait that neighbours have in common, whatever they are sorted by; empty: none. */
  readonly group: "" | "host" | "name" | "grid";
  /** Text that the names of rows have; empty: all are shown. */
  readonly filter: string;
}

/** Orders to choose from: places and figures of the answer itself, and figures of the tool `pod`, the greatest first. */
export const SORTS: readonly { readonly id: string; readonly title: string }[] = [
  { id: "", title: "As in the timeline" },
  { id: "chips", title: "By the numbers of their chips" },
  { id: "late", title: "Behind the others" },
  { id: "busy", title: "Busy" },
  { id: "pod.keeps_waiting", title: "Keeps others waiting (pod)" },
  { id: "pod.duration", title: "Step time (pod)" },
  { id: "pod.input", title: "Input (pod)" },
  { id: "pod.device_collectives", title: "Collectives (pod)" },
];

/** A column of a tool; without one: the tool's first. */
const FIGURE = /^([a-z][a-z0-9_]{0,63})\.([a-z0-9_]{0,63})$/;

/** The tool and the column that rows are sorted by; null where it is nothing of another tool. */
export function figureOf(sort: string): { readonly tool: string; readonly column: string } | null {
  const [, tool, column] = FIGURE.exec(sort) ?? [];
  return tool === undefined || column === undefined ? null : { tool, column };
}

export const FIELDS: PageFields<HeatMapFields> = {
  parse: ({ counted = "", sort = "", least = "", group = "", filter = "" }) => ({
    counted: counted === "devices" || counted === "computing" || counted === "tracks" ? counted : "",
    sort: SORTS.some(({ id }) => id === sort) || FIGURE.test(sort) ? sort : "",
    least: least === "1",
    group: group === "host" || group === "name" || group === "grid" ? group : "",
    filter: filter.slice(0, 200),
  }),
  format: ({ counted, sort, least, group, filter }) => ({
    ...(counted === "" ? {} : { counted }),
    ...(sort === "" ? {} : { sort }),
    ...(least ? { least: "1" } : {}),
    ...(group === "" ? {} : { group }),
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
