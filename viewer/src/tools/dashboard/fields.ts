/** The part of the address that is a dashboard's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";

export interface DashboardFields {
  /** Tracks that say whose events are looked at; empty: all. */
  readonly tracks: string;
  /** Name of steps, where the trace does not mark them. */
  readonly stepName: string;
}

export const FIELDS: PageFields<DashboardFields> = {
  parse: ({ tracks = "", step_name = "" }) => ({
    tracks: /^[\d,-]{1,2000}$/.test(tracks) ? tracks : "",
    stepName: step_name.trim(),
  }),
  format: ({ tracks, stepName }) => ({
    ...(tracks === "" ? {} : { tracks }),
    ...(stepName === "" ? {} : { step_name: stepName }),
  }),
};
