/** The part of the address that is the pod page's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";

export interface PodFields {
  /** One step alone, by its number; empty: all of the range. */
  readonly step: string;
  /** Figure that colours the map: one of the choices that the server has; empty: the first that was recorded. */
  readonly colour: string;
  readonly tracks: string;
  /** Name of steps, where the trace does not mark them. */
  readonly stepName: string;
}

export const FIELDS: PageFields<PodFields> = {
  parse: ({ step = "", colour = "", tracks = "", step_name = "" }) => ({
    step: /^\d{1,18}$/.test(step) ? step : "",
    colour: /^[a-z_]{1,60}$/.test(colour) ? colour : "",
    tracks: tracks.slice(0, 4096),
    stepName: step_name.trim(),
  }),
  format: ({ step, colour, tracks, stepName }) => ({
    ...(step === "" ? {} : { step }),
    ...(colour === "" ? {} : { colour }),
    ...(tracks === "" ? {} : { tracks }),
    ...(stepName === "" ? {} : { step_name: stepName }),
  }),
};
