/** The part of the address that is the memory viewer's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";

export interface MemoryViewerFields {
  /** Its label, id or name; empty: the largest one. */
  readonly program: string;
  readonly host: string;
  /** Memory space; 0 is the device's main one. */
  readonly space: number;
  readonly buffers: "peak" | "all";
  /** Point of the program of which buffers are listed; null: what `buffers` says. */
  readonly point: number | null;
  /** Points between which the curve is drawn; null: from the first, or to the last. */
  readonly firstPoint: number | null;
  readonly lastPoint: number | null;
}

const number = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : null);

export const FIELDS: PageFields<MemoryViewerFields> = {
  parse: ({ program = "", host = "", space = "", buffers, point = "", first_point = "", last_point = "" }) => ({
    program: program.slice(0, 4096),
    host: host.slice(0, 4096),
    space: number(space) ?? 0,
    buffers: buffers === "all" ? "all" : "peak",
    point: number(point),
    firstPoint: number(first_point),
    lastPoint: number(last_point),
  }),
  format: ({ program, host, space, buffers, point, firstPoint, lastPoint }) => ({
    ...(program === "" ? {} : { program }),
    ...(host === "" ? {} : { host }),
    ...(space === 0 ? {} : { space: String(space) }),
    ...(buffers === "peak" ? {} : { buffers }),
    ...(point === null ? {} : { point: String(point) }),
    ...(firstPoint === null ? {} : { first_point: String(firstPoint) }),
    ...(lastPoint === null ? {} : { last_point: String(lastPoint) }),
  }),
};
