/** Buttons at the right of the tree item that the pointer is over or that has the focus: pin, hide, and all the rest. */

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { withKeys } from "../keys/table";
import { HEADER_PX, layoutItem, screenTopPx, stickyHeader } from "../state/layout";
import { useApp } from "./app-context";
import { EyeOffIcon, MoreIcon, PinIcon } from "./icons";
import { connectTreeDrag } from "./tree-drag";
import { openMenuAt, treeFocus } from "./tree-focus";

/** Height of the buttons: that of a track of one row. */
const HEIGHT_PX = 22;

/** Pointer actions of tree items, loaded when the tree is shown: the buttons, and moving by drag. */
export function TreeActions({ tree }: { tree: RefObject<HTMLElement | null> }) {
  const app = useApp();
  const { pane } = app;
  useEffect(() => connectTreeDrag(pane, tree.current!, app.tracks), [app, tree]);
  return <ItemButtons />;
}

function ItemButtons() {
  const app = useApp();
  const { pane } = app;
  const key = treeFocus(pane).openTrackMenu.value?.key ?? treeFocus(pane).hoveredKey.value;
  const item = key === null ? null : layoutItem(pane.layout.value, key);
  if (key === null || item === null || treeFocus(pane).drop.value !== null) {
    return null;
  }
  const { pinnedPx } = pane.layout.value;
  const sticky = stickyHeader(pane.layout.value, pane.scrolled.value.topPx);
  // Beside the name, which stays on the screen where its track is scrolled out of it.
  const upperPx = item.isPinned ? 0 : pinnedPx + (item.parentIndex >= 0 ? HEADER_PX : 0);
  const lowestPx = screenTopPx(item, pane.scrolled.value) + item.heightPx - HEIGHT_PX;
  const topPx =
    sticky?.item === item
      ? pinnedPx + sticky.offsetPx
      : Math.min(lowestPx, Math.max(upperPx, screenTopPx(item, pane.scrolled.value)));
  const isPinned = item.isPinned && item.parentIndex < 0;
  const name = item.kind === "group" ? item.node.group.name : item.node.track.name;
  return (
    <div class="tree-actions-anchor">
      <div class="tree-actions" data-key={key} style={{ top: `${topPx}px`, height: `${HEIGHT_PX}px` }}>
        <button
          type="button"
          tabIndex={-1}
          class={isPinned ? "tree-action is-on" : "tree-action"}
          aria-pressed={isPinned}
          aria-label={`Pin ${name} to the top`}
          title={withKeys(isPinned ? "Back to its place" : "Pin to the top", "pin-track")}
          onClick={() => app.tracks.togglePinned(key)}
        >
          <PinIcon />
        </button>
        <button
          type="button"
          tabIndex={-1}
          class="tree-action"
          aria-label={`Hide ${name}`}
          title={withKeys("Hide", "hide-track")}
          onClick={() => app.tracks.hide(key)}
        >
          <EyeOffIcon />
        </button>
        <button
          type="button"
          tabIndex={-1}
          class="tree-action"
          aria-haspopup="menu"
          aria-label={`More for ${name}`}
          title="More: first and last event, order"
          onClick={(event) => openMenuAt(pane, key, event)}
        >
          <MoreIcon />
        </button>
      </div>
    </div>
  );
}
