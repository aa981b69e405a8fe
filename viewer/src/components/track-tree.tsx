/** The track tree: a real tree for keyboards and screen readers, of which only the visible part is in the page. */

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { itemsBetween, type LayoutItem, PINNED_EDGE_PX, pinnedBetween, stickyHeader } from "../state/layout";
import type { Trace } from "../state/trace";
import { toggleGroup } from "../state/tracks";
import { useApp } from "./app-context";
import { formatCount } from "./format";
import { focusItem, itemToReturnTo, keyPointedAt, openMenuAt, treeFocus } from "./tree-focus";
import { classOf, TreeItem, TreeLabel } from "./tree-item";
import { moveInTree } from "./tree-keys";
import { LateTrackMenu } from "./tree-menu";
import { useLoaded } from "./use-loaded";

/** Items beyond the screen that are in the page, so that scrolling shows no gap before the next frame. */
const MARGIN_PX = 200;

/** The header of the group that the upper edge cuts, kept at the top. */
function StickyItem({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const { pinnedPx } = pane.layout.value;
  const sticky = stickyHeader(pane.layout.value, pane.scrolled.value.topPx);
  if (sticky === null) {
    return null;
  }
  const { item, offsetPx } = sticky;
  return (
    <div class="tree-sticky" aria-hidden="true" style={{ top: `${pinnedPx}px` }}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: a copy of a tree item, for the mouse alone */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the same */}
      <div
        key={item.key}
        class={classOf(pane, item)}
        data-key={item.key}
        title={item.node.group.name}
        style={{ top: `${offsetPx}px`, height: `${item.heightPx}px` }}
        onClick={() => toggleGroup(pane, item.key)}
      >
        <TreeLabel item={item} trace={trace} />
      </div>
    </div>
  );
}

/** Pinned items, above all that is scrolled; scrolled by themselves where they need more room than they get. */
function PinnedItems({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const { pinnedPx, pinnedContentPx } = pane.layout.value;
  if (pinnedPx === 0) {
    return null;
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of a tree
    <div
      class="tree-pinned"
      role="group"
      aria-label="Pinned"
      style={{ height: `${pinnedPx}px`, borderBottomWidth: `${PINNED_EDGE_PX}px` }}
      onScroll={(event) => {
        pane.scroll.value = { ...pane.scroll.peek(), pinnedTopPx: event.currentTarget.scrollTop };
      }}
    >
      <div style={{ height: `${pinnedContentPx}px` }} role="presentation">
        {pinnedBetween(pane.layout.value, pane.scrolled.value.pinnedTopPx).map((item) => (
          <TreeItem key={item.key} item={item} trace={trace} />
        ))}
      </div>
      <DropLine isPinned={true} />
    </div>
  );
}

/** Line at the place to which a dragged item would go. */
function DropLine({ isPinned }: { isPinned: boolean }) {
  const { pane } = useApp();
  const to = treeFocus(pane).drop.value;
  return to === null || to.isPinned !== isPinned || to.lineYPx === null ? null : (
    <div class="tree-drop" style={{ top: `${to.lineYPx}px` }} role="presentation" />
  );
}

function NothingShown() {
  const { pane } = useApp();
  const { filter } = pane.trackChoice.value;
  return (
    <p class="tree-nothing">
      {filter.trim() === ""
        ? "No track is shown: those of this run are empty or hidden."
        : `No track has “${filter.trim()}” in its name.`}
    </p>
  );
}

const loadActions = async () => (await import("./tree-actions")).TreeActions;

function LateActions({ tree }: { tree: RefObject<HTMLElement | null> }) {
  const TreeActions = useLoaded("tree-actions", loadActions);
  return TreeActions.kind === "ready" ? <TreeActions.value tree={tree} /> : null;
}

export function TrackTreeView({ trace }: { trace: Trace }) {
  const { pane } = useApp();
  const element = useRef<HTMLDivElement>(null);
  const { topPx } = pane.scrolled.value;
  const { heightPx } = pane.scroll.value;
  const shown = itemsBetween(pane.layout.value, topPx - MARGIN_PX, topPx + heightPx + MARGIN_PX);

  useEffect(() => {
    const item = itemToReturnTo(pane);
    if (item !== null) {
      revealItem(element.current, item);
      focusItem(pane, item.key);
    }
    return () => {
      treeFocus(pane).hoveredKey.value = null;
    };
  }, []);
  useEffect(() => {
    // The tree may have moved under a pointer that rests.
    if (treeFocus(pane).hoveredKey.peek() !== null) {
      treeFocus(pane).hoveredKey.value = keyPointedAt();
    }
  });

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const move = moveInTree(pane.layout.value, treeFocus(pane).focusedKey.value, event.key);
    if (move === null) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (move.kind === "toggle") {
      toggleGroup(pane, move.key);
      return;
    }
    treeFocus(pane).focusedKey.value = move.item.key;
    revealItem(element.current, move.item);
    focusItem(pane, move.item.key);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what it takes of the pointer, keys do as well
    <div
      class="tree"
      ref={element}
      onPointerOver={() => {
        treeFocus(pane).hoveredKey.value = keyPointedAt();
      }}
      onPointerLeave={() => {
        treeFocus(pane).hoveredKey.value = null;
      }}
      onContextMenu={(event) => {
        const item = (event.target as Element).closest<HTMLElement>("[data-key]");
        const key = item?.dataset.key ?? keyPointedAt();
        if (key !== null) {
          event.preventDefault();
          openMenuAt(pane, key, event);
        }
      }}
    >
      <StickyItem trace={trace} />
      <div
        class="tree-items"
        role="tree"
        aria-multiselectable="true"
        tabIndex={-1}
        aria-label={`Tracks of ${trace.manifest.name}: ${formatCount(trace.manifest.tracks)}`}
        data-roots={pane.roots.value.length}
        onKeyDown={onKeyDown}
      >
        <PinnedItems trace={trace} />
        {shown.map((item) => (
          <TreeItem key={item.key} item={item} trace={trace} />
        ))}
      </div>
      <DropLine isPinned={false} />
      {pane.layout.value.items.length === 0 && <NothingShown />}
      <LateActions tree={element} />
      <LateTrackMenu trace={trace} />
    </div>
  );
}

function revealItem(tree: HTMLElement | null, item: LayoutItem): void {
  tree?.dispatchEvent(new CustomEvent("reveal", { bubbles: true, detail: item }));
}
