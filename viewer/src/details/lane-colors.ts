/** Colours of the names of a derived lane. */

import { ColorTable, type Theme } from "../raster/palette";

/** States of devices, as the bar of *Overlap* has them: by hash two of them would have one hue. */
const STATE_COLORS: ReadonlyMap<string, string> = new Map([
  ["Computation", "--accent"],
  ["Exposed communication", "--busy"],
  ["Exposed copies", "--good"],
]);

/** Colour of a name; that of a state is a property of the element's style. */
export function laneColor(name: string, theme: Theme, element: Element): string {
  const property = STATE_COLORS.get(name);
  if (property !== undefined) {
    return getComputedStyle(element).getPropertyValue(property);
  }
  const colors = new ColorTable(theme);
  colors.set(0, [{ name, category: "" }]);
  return colors.css(0);
}
