/** Rows of the tracks, folded and unfolded in the layout of a pane; what is under the pointer, or at the top, stays in its place. */

import { type FoldedRows, itemIndexAt, layoutItem } from "../state/layout";
import type { Pane } from "../state/pane";
import type { Picture } from "./picture";
import type { PointerPlace } from "./pointer-place";
import { foldRows, foldShiftPx, unfoldRows } from "./row-fold";

/** The timeline whose tracks are laid out: its element is in the box that scrolls. */
export interface RowsPlace {
  readonly pane: Pane;
  readonly element: HTMLElement;
  readonly pointer: PointerPlace | null;
}

/** Folds rows that a picture at rest does not need. False: all stays as it is. */
export function foldTracks(place: RowsPlace, picture: Picture): boolean {
  const { foldedRows, layout, scrolled } = place.pane;
  return layRows(place, foldRows(picture, layout.peek(), scrolled.peek(), foldedRows.peek()));
}

/** Unfolds rows that a picture has something in. False: none are folded. */
export function unfoldTracks(place: RowsPlace, picture: Picture): boolean {
  return layRows(place, unfoldRows(picture, place.pane.foldedRows.peek()));
}

function layRows({ pane, element, pointer }: RowsPlace, rows: FoldedRows): boolean {
  const { foldedRows, layout, scrolled } = pane;
  if (rows === foldedRows.peek()) {
    return false;
  }
  const { pinnedPx } = layout.peek();
  const { topPx } = scrolled.peek(); // the new layout may not reach so far
  const yPx = Math.max(pinnedPx, pointer?.yPx ?? pinnedPx);
  const item = layout.peek().items[itemIndexAt(layout.peek(), yPx + topPx)];
  foldedRows.value = rows;
  const after = item === undefined ? null : layoutItem(layout.peek(), item.key);
  const shiftPx = item === undefined || after === null ? 0 : foldShiftPx(item, after, yPx + topPx);
  if (shiftPx !== 0) {
    scrollTo(pane, element, topPx + shiftPx);
  }
  return true;
}

/** Scrolls the tracks to a height of the new layout: the picture at once, the box when its content has its new height. */
function scrollTo(pane: Pane, element: HTMLElement, topPx: number): void {
  pane.scroll.value = { ...pane.scroll.peek(), topPx };
  requestAnimationFrame(() => {
    const box = element.isConnected ? element.closest(".scroller") : null;
    if (box !== null) {
      box.scrollTop = topPx;
      // The box may be unable to scroll so far.
      pane.scroll.value = { ...pane.scroll.peek(), topPx: box.scrollTop };
    }
  });
}
