/** Colours of the names of a derived lane. */

import { forcedColors, systemColor } from "../answers/chart-colors";
import type { Meaning } from "../raster/meaning";
import { ColorTable, type Theme } from "../raster/palette";
import { meaningOf } from "../raster/reading";
import type { DerivedLane } from "../state/lanes";

/** States of devices: each has the colour of its kind of work. */
const STATES: ReadonlyMap<string, Meaning> = new Map([
  ["Computation", "compute"],
  ["Exposed communication", "collective"],
  ["Exposed copies", "copy"],
  // Kinds of a critical path.
  ["Communication", "collective"],
  ["Copies", "copy"],
  ["Operators and calls", "operator"],
  ["Launch delay", "launch"],
  ["Synchronisation", "launch"],
]);

/** Colours of states where a person forces colours: those of the page would be the same for two of them. */
export const FORCED_COLORS: ReadonlyMap<string, string> = new Map([
  ["Computation", "Highlight"],
  ["Exposed communication", "CanvasText"],
  ["Exposed copies", "GrayText"],
]);

/** Lanes whose names are scopes, in which operators of any kind lie: their names say nothing of that. */
const SCOPES = /\.scopes-/;

/** Colour of a name on a lane. */
export function laneColor(lane: Pick<DerivedLane, "id">, name: string, theme: Theme, element: Element): string {
  const forced = FORCED_COLORS.get(name);
  return forced !== undefined && forcedColors().matches
    ? systemColor(element, forced)
    : colorsOf(lane, name, theme).css(0);
}

/** Colour of text on that of a name. */
export function laneTextColor(lane: Pick<DerivedLane, "id">, name: string, theme: Theme): string {
  return colorsOf(lane, name, theme).text(0, 0);
}

function colorsOf({ id }: Pick<DerivedLane, "id">, name: string, theme: Theme): ColorTable {
  const colors = new ColorTable({ theme, by: "meaning", only: null });
  const meaning = SCOPES.test(id) ? "operator" : STATES.get(name);
  colors.set(0, [{ name, category: "" }], (event) => meaning ?? meaningOf(event));
  return colors;
}
