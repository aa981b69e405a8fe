/** The way from a cell to the timeline. */

import type { ToolTable } from "@tilescope/client";
import type { PageContext } from "../contract";
import type { Cell } from "./matrix";

/** Leads to the first event of a cell; null: it has none. */
export function timelineWay(links: ToolTable, cell: Cell, context: PageContext): (() => void) | null {
  const events = links.columns.find(({ id }) => id === "event")?.values ?? [];
  const event = cell.links.map((row) => events[row]).find((value) => typeof value === "string");
  const [track, ordinal] = String(event ?? "")
    .split(".")
    .map(Number);
  return event === undefined ? null : () => context.goToEvent(track!, ordinal!);
}
