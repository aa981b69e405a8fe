/** The part of the address that is the page's own; `tracks` is a field of the tool's question. */

import type { PageFields } from "../contract";
import { type CellFigure, FIGURES } from "./matrix";

export interface CollectivesFields {
  /** The transport whose links the matrix shows; empty: the one that takes most time. */
  readonly transport: string;
  readonly figure: CellFigure;
  /** Waits by the clocks of ranks as recorded, or less what these differ. */
  readonly clocks: "recorded" | "measured";
  /** Tracks of the ranks that are looked at; empty: all. */
  readonly tracks: string;
}

export const FIELDS: PageFields<CollectivesFields> = {
  parse: ({ transport = "", figure = "", clocks = "", tracks = "" }) => ({
    transport: transport.slice(0, 100),
    figure: FIGURES.find((id) => id === figure) ?? "bandwidth",
    clocks: clocks === "measured" ? clocks : "recorded",
    tracks: /^[\d,-]{1,2000}$/.test(tracks) ? tracks : "",
  }),
  format: ({ transport, figure, clocks, tracks }) => ({
    ...(transport === "" ? {} : { transport }),
    ...(figure === "bandwidth" ? {} : { figure }),
    ...(clocks === "recorded" ? {} : { clocks }),
    ...(tracks === "" ? {} : { tracks }),
  }),
};
