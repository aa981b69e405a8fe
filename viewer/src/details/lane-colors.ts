/** Colours of the names of a derived lane. */

import { forcedColors, systemColor } from "../answers/chart-colors";
import { meaningOf } from "../raster/event-meaning";
import { ColorTable, type Theme } from "../raster/palette";

/** States of devices, as the bar of *Overlap* has them: by hash two of them would have one hue. */
const STATE_COLORS: ReadonlyMap<string, string> = new Map([
  ["Computation", "--accent"],
  ["Exposed communication", "--busy"],
  ["Exposed copies", "--good"],
]);

/** Colours of states where a person forces colours: those of the page would be the same for two of them. */
export const FORCED_COLORS: ReadonlyMap<string, string> = new Map([
  ["Computation", "Highlight"],
  ["Exposed communication", "CanvasText"],
  ["Exposed copies", "GrayText"],
]);

/** Colour of a name; that of a state is a property of the element's style. */
export function laneColor(name: string, theme: Theme, element: Element): string {
  const forced = FORCED_COLORS.get(name);
  if (forced !== undefined && forcedColors().matches) {
    return systemColor(element, forced);
  }
  const property = STATE_COLORS.get(name);
  if (property !== undefined) {
    return getComputedStyle(element).getPropertyValue(property);
  }
  const colors = new ColorTable({ theme, by: "meaning", only: null });
  colors.set(0, [{ name, category: "" }], meaningOf);
  return colors.css(0);
}

/** Colour of text on that of a name which is no state. */
export function laneTextColor(name: string, theme: Theme): string {
  const colors = new ColorTable({ theme, by: "meaning", only: null });
  colors.set(0, [{ name, category: "" }], meaningOf);
  return colors.text(0, 0);
}
