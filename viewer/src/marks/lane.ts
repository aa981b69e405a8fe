/** The pointer in the lane of marks: what it is over, and clicks on it. The list of marks does the same for keys. */

import type { Pane } from "../state/pane";
import type { ShownMark } from "./mark-collection";

export interface LanePort {
  flagAt(xPx: number): ShownMark | null;
  textOf(mark: ShownMark): string;
  select(mark: ShownMark): void;
  zoomTo(mark: ShownMark): void;
}

/** Listens on the whole page: the axis comes and goes with the timeline. */
export function connectLane(pane: Pane, port: LanePort): void {
  const markOf = (event: MouseEvent): { readonly axis: HTMLElement; readonly mark: ShownMark | null } | null => {
    const axis = event.target instanceof Element ? event.target.closest<HTMLElement>(".axis") : null;
    if (axis === null) {
      return null;
    }
    const box = axis.getBoundingClientRect();
    const isInLane = event.clientY >= box.bottom - pane.marksLanePx.peek();
    return { axis, mark: isInLane ? port.flagAt(event.clientX - box.left) : null };
  };
  addEventListener("pointermove", (event) => {
    const target = markOf(event);
    if (target !== null) {
      target.axis.classList.toggle("is-over-mark", target.mark !== null);
      target.axis.title = target.mark === null ? "" : port.textOf(target.mark);
    }
  });
  addEventListener("click", (event) => {
    const mark = markOf(event)?.mark;
    if (mark != null) {
      port.select(mark);
    }
  });
  addEventListener("dblclick", (event) => {
    const mark = markOf(event)?.mark;
    if (mark != null) {
      port.zoomTo(mark);
    }
  });
}
