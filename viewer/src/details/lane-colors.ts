/** Colours of the names of a derived lane. */

import { forcedColors, systemColor } from "../answers/chart-colors";
import { meaningOf } from "../raster/event-meaning";
import type { Meaning } from "../raster/meaning";
import { ColorTable, type Theme } from "../raster/palette";

/** States of devices: each has the colour of its kind of work. */
const STATES: ReadonlyMap<string, Meaning> = new Map([
  ["Computation", "compute"],
  ["Exposed communication", "collective"],
  ["Exposed copies", "copy"],
]);

/** Colours of states where a person forces colours: those of the page would be the same for two of them. */
export const FORCED_COLORS: ReadonlyMap<string, string> = new Map([
  ["Computation", "Highlight"],
  ["Exposed communication", "CanvasText"],
  ["Exposed copies", "GrayText"],
]);

/** Colour of a name. */
export function laneColor(name: string, theme: Theme, element: Element): string {
  const forced = FORCED_COLORS.get(name);
  return forced !== undefined && forcedColors().matches ? systemColor(element, forced) : colorsOf(name, theme).css(0);
}

/** Colour of text on that of a name. */
export function laneTextColor(name: string, theme: Theme): string {
  return colorsOf(name, theme).text(0, 0);
}

function colorsOf(name: string, theme: Theme): ColorTable {
  const colors = new ColorTable({ theme, by: "meaning", only: null });
  colors.set(0, [{ name, category: "" }], (event) => STATES.get(name) ?? meaningOf(event));
  return colors;
}
