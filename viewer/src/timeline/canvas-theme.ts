/** The colours and fonts of the canvases, read from the style sheet so that there is one place for them. */

export interface CanvasTheme {
  readonly ground: string;
  readonly panel: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly text: string;
  readonly textDim: string;
  readonly accent: string;
  readonly font: string;
}

export function readCanvasTheme(element: Element): CanvasTheme {
  const style = getComputedStyle(element);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    ground: value("--ground"),
    panel: value("--panel"),
    line: value("--line"),
    lineStrong: value("--line-strong"),
    text: value("--text"),
    textDim: value("--text-dim"),
    accent: value("--accent"),
    font: value("--font"),
  };
}
