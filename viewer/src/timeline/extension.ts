/** Interface through which code that is loaded after the first picture joins the timeline. */

import type { Trace } from "../state/trace";
import type { CanvasTheme } from "./canvas-theme";
import type { PointerMeaning, PointerSample } from "./gesture-tracker";
import type { Picture } from "./picture";

/** Marks, the timing tool, further ways to use the pointer. */
export interface TimelineExtension {
  /** Does what a click or a drag means. */
  take(meaning: PointerMeaning): void;
  /** True if a drag from there, with the tool that selects, moves an end of what is measured. */
  isEdgeAt(point: PointerSample): boolean;
  /** The run on the screen has grown. */
  renew(trace: Trace): void;
  /** Ends what Esc ends first; false where there is nothing of that. */
  clear(): boolean;
  /** True if there is nothing to paint over the tracks. */
  readonly isBlank: boolean;
  /** Paints over the tracks, and on the axis. Both canvases have CSS pixels. */
  paintOver(context: CanvasRenderingContext2D, picture: Picture, theme: CanvasTheme): void;
  paintOnAxis(context: CanvasRenderingContext2D, picture: Picture, theme: CanvasTheme): void;
}
