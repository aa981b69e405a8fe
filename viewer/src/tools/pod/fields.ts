/** The part of the address that is the pod page's own; the names are those of the tool's question. */

import type { PageFields } from "../contract";
import { isColour } from "./parts";

export interface PodFields {
  /** One step alone, by its number; empty: all of the range. */
  readonly step: string;
  /** What colours the map. */
  readonly colour: string;
  readonly tracks: string;
}

const COLOUR = "device_collectives";

export const FIELDS: PageFields<PodFields> = {
  parse: ({ step = "", colour = "", tracks = "" }) => ({
    step: /^\d{1,18}$/.test(step) ? step : "",
    colour: isColour(colour) ? colour : COLOUR,
    tracks: tracks.slice(0, 4096),
  }),
  format: ({ step, colour, tracks }) => ({
    ...(step === "" ? {} : { step }),
    ...(colour === COLOUR ? {} : { colour }),
    ...(tracks === "" ? {} : { tracks }),
  }),
};
