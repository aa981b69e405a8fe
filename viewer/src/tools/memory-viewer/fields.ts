/** The part of the address that is the memory viewer's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";

export interface MemoryViewerFields {
  /** Its label, id or name; empty: the largest one. */
  readonly program: string;
  readonly host: string;
  /** Memory space; 0 is the device's main one. */
  readonly space: number;
  readonly buffers: "peak" | "all";
}

export const FIELDS: PageFields<MemoryViewerFields> = {
  parse: ({ program = "", host = "", space = "", buffers }) => ({
    program: program.slice(0, 4096),
    host: host.slice(0, 4096),
    space: /^\d{1,9}$/.test(space) ? Number(space) : 0,
    buffers: buffers === "all" ? "all" : "peak",
  }),
  format: ({ program, host, space, buffers }) => ({
    ...(program === "" ? {} : { program }),
    ...(host === "" ? {} : { host }),
    ...(space === 0 ? {} : { space: String(space) }),
    ...(buffers === "peak" ? {} : { buffers }),
  }),
};
