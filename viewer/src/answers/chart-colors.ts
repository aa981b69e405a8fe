/** The colours that charts are drawn in, now: of the page's theme, or of the system where a person forces them. */

import type { Theme } from "../raster/palette";
import { readCanvasTheme } from "../timeline/canvas-theme";
import type { ForcedColors, PlotColors } from "./chart-style";

/** Media query that matches when the system forces its colours upon pages. */
export function forcedColors(): MediaQueryList {
  return matchMedia("(forced-colors: active)");
}

export function plotColors(element: HTMLElement, theme: Theme): PlotColors {
  const { textDim, line, ground, font } = readCanvasTheme(element);
  const forced = systemColors(element);
  return forced === null
    ? { text: textDim, line, ground, font, theme, forced }
    : { ...forced, line: systemColor(element, "GrayText"), font, theme, forced };
}

/** Colours that the system forces upon pages; null: it forces none. */
export function systemColors(element: HTMLElement): ForcedColors | null {
  return forcedColors().matches
    ? { ground: systemColor(element, "Canvas"), text: systemColor(element, "CanvasText") }
    : null;
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
