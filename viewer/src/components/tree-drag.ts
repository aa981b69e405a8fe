/** Moves tracks and groups by drag among their siblings. */

import { layoutItem } from "../state/layout";
import type { Pane } from "../state/pane";
import type { TrackActions } from "./app-context";
import { dropPlace } from "./tree-drop";
import { treeFocus } from "./tree-focus";

/** A press that moves less is a click. */
const DRAG_PX = 5;

/** So near to an edge of the box the tracks are scrolled, by so much for each move. */
const EDGE_PX = 24;
const SCROLL_PX = 14;

export function connectTreeDrag(
  pane: Pane,
  tree: HTMLElement,
  actions: Pick<TrackActions, "moveBefore" | "siblings">,
): () => void {
  const abort = new AbortController();
  const options = { signal: abort.signal };
  let pressed: { readonly key: string; readonly pointer: number; readonly yPx: number } | null = null;
  let siblings: readonly string[] = [];
  let wasDragged = false;

  /** The box in which what is dragged lies, and the height of the pointer in its content. */
  const placeIn = (isPinned: boolean, clientY: number) => {
    const content = tree.querySelector<HTMLElement>(isPinned ? ".tree-pinned > div" : ".tree-items");
    return clientY - (content?.getBoundingClientRect().top ?? 0);
  };
  const end = () => {
    pressed = null;
    treeFocus(pane).drop.value = null;
  };

  tree.addEventListener(
    "pointerdown",
    (event) => {
      const item = (event.target as Element).closest<HTMLElement>("[role=treeitem]");
      wasDragged = false;
      // A finger scrolls; the menu moves tracks as well.
      if (event.pointerType !== "touch" && event.button === 0 && item?.dataset.key !== undefined) {
        pressed = { key: item.dataset.key, pointer: event.pointerId, yPx: event.clientY };
      }
    },
    options,
  );
  tree.addEventListener(
    "pointermove",
    (event) => {
      if (pressed === null) {
        return;
      }
      const { key } = pressed;
      if (treeFocus(pane).drop.peek() === null) {
        if (Math.abs(event.clientY - pressed.yPx) < DRAG_PX) {
          return;
        }
        tree.setPointerCapture(pressed.pointer);
        siblings = actions.siblings(key);
        wasDragged = true;
      }
      const isPinned = layoutItem(pane.layout.peek(), key)?.isPinned ?? false;
      const box = tree.closest<HTMLElement>(".scroller");
      if (box !== null && !isPinned) {
        const { top, bottom } = box.getBoundingClientRect();
        const toEdge = event.clientY < top + EDGE_PX ? -SCROLL_PX : event.clientY > bottom - EDGE_PX ? SCROLL_PX : 0;
        box.scrollTop += toEdge;
      }
      const place = dropPlace(pane.layout.peek(), siblings, key, placeIn(isPinned, event.clientY));
      treeFocus(pane).drop.value = { key, isPinned, before: place?.before ?? null, lineYPx: place?.lineYPx ?? null };
    },
    options,
  );
  tree.addEventListener(
    "pointerup",
    () => {
      const to = treeFocus(pane).drop.peek();
      end();
      if (to !== null && to.lineYPx !== null) {
        actions.moveBefore(to.key, to.before);
      }
    },
    options,
  );
  tree.addEventListener("pointercancel", end, options);
  addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Escape" && treeFocus(pane).drop.peek() !== null) {
        event.preventDefault();
        end();
      }
    },
    { ...options, capture: true },
  );
  // What ends a drag is no click on what was dragged.
  tree.addEventListener(
    "click",
    (event) => {
      if (wasDragged) {
        event.stopPropagation();
        wasDragged = false;
      }
    },
    { ...options, capture: true },
  );
  return () => abort.abort();
}
