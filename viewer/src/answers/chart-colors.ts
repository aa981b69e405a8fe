/** The colours that charts are drawn in, now: of the page's theme, or of the system where a person forces them. */

import type { Theme } from "../raster/palette";
import { readCanvasTheme } from "../timeline/canvas-theme";
import type { PlotColors } from "./chart-style";

/** Media query that matches when the system forces its colours upon pages. */
export function forcedColors(): MediaQueryList {
  return matchMedia("(forced-colors: active)");
}

export function plotColors(element: HTMLElement, theme: Theme): PlotColors {
  const { textDim, line, ground, font } = readCanvasTheme(element);
  if (!forcedColors().matches) {
    return { text: textDim, line, ground, font, theme, forced: null };
  }
  const text = systemColor(element, "CanvasText");
  const forced = { ground: systemColor(element, "Canvas"), text };
  return { text, line: systemColor(element, "GrayText"), ground: forced.ground, font, theme, forced };
}

/** Value of a system colour: canvases do not follow when it changes, so it is read. */
export function systemColor(element: Element, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = name;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
