/** Rows that are of tracks: they have these stand out. */

import type { ToolTable } from "@tilescope/client";
import type { RowActions, RowWay } from "../answers/links";
import type { Pane } from "../state/pane";
import { announcement } from "../state/shell";
import type { Trace } from "../state/trace";
import { highlightOfTracks, isOfRow } from "./row-events";

/** Deeds of rows whose tracks stand in these columns. */
export function highlightTracks(
  pane: Pane,
  trace: Trace,
  table: ToolTable,
  columns: readonly string[],
  ways: readonly RowWay[],
): RowActions {
  const trackColumns = table.columns.filter(({ id }) => columns.includes(id));
  const rowHighlight = (row: number) => {
    const tracks = trackColumns.map(({ values }) => values[row]).filter((track) => typeof track === "number");
    return highlightOfTracks(tracks, trace);
  };
  return {
    ways,
    isLit: (row) => pane.highlight.value !== null && rowHighlight(row).key === pane.highlight.value.key,
    light: (row) => {
      pane.highlight.value = row === null ? null : rowHighlight(row);
      announcement.value =
        row === null ? "Nothing is highlighted" : "The tracks of the row are highlighted in the timeline";
    },
  };
}

/** A table is not shown any more: nothing would say why some events stand out. What others have set stays. */
export function forgetRows(pane: Pane): void {
  if (isOfRow(pane.highlight.peek())) {
    pane.highlight.value = null;
  }
}
