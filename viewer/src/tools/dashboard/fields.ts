/** The part of the address that is a dashboard's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";

export interface DashboardFields {
  /** Tracks that say whose events are looked at; empty: all. */
  readonly tracks: string;
  /** Name of steps, where the trace does not mark them. */
  readonly stepName: string;
  /** The rank whose data preparation is shown; empty: the one with most steps in doubt. */
  readonly rank: string;
}

export const FIELDS: PageFields<DashboardFields> = {
  parse: ({ tracks = "", step_name = "", rank = "" }) => ({
    tracks: /^[\d,-]{1,2000}$/.test(tracks) ? tracks : "",
    stepName: step_name.trim(),
    rank: /^\d{1,9}$/.test(rank) ? rank : "",
  }),
  format: ({ tracks, stepName, rank }) => ({
    ...(tracks === "" ? {} : { tracks }),
    ...(stepName === "" ? {} : { step_name: stepName }),
    ...(rank === "" ? {} : { rank }),
  }),
};

/** The fields of a tool with what it can be asked: the other one has no ranks. */
export function fieldsOf(tool: string, fields: DashboardFields): DashboardFields {
  return tool === "input_pipeline" ? fields : { ...fields, rank: "" };
}
