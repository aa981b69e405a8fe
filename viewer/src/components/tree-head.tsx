/** Above the track tree: the filter, how many tracks are shown, and where the others are. */

import { useRef } from "preact/hooks";
import { keysOf, withKeys } from "../keys/table";
import { collapseAll, expandAll, setFilter } from "../state/tracks";
import { useApp } from "./app-context";
import { formatCount, plural } from "./format";
import { CloseIcon, CollapseIcon, ExpandIcon, EyeIcon, EyeOffIcon, FilterIcon, ResetIcon } from "./icons";
import { Menu } from "./menu";
import { focusItem } from "./tree-focus";

const FILTER_TITLE = [
  withKeys("Words in the names of tracks and of the processes around them", "filter-tracks"),
  `${keysOf("find-track")} finds one and goes to it, also where it is hidden`,
].join("\n");

function TrackFilter() {
  const app = useApp();
  const { pane } = app;
  const input = useRef<HTMLInputElement>(null);
  /** Scroll position of the tracks before they were filtered. */
  const before = useRef(0);
  const { filter } = pane.trackChoice.value;

  const change = (text: string) => {
    if (filter === "" && text !== "") {
      before.current = pane.scroll.peek().topPx;
      app.viewNavigator.scrollTo(0);
    }
    setFilter(pane, text);
    if (text === "") {
      requestAnimationFrame(() => app.viewNavigator.scrollTo(before.current));
    }
  };
  return (
    <div class="tree-filter">
      <FilterIcon />
      <input
        ref={input}
        type="search"
        spellcheck={false}
        autocomplete="off"
        placeholder="Filter tracks"
        aria-label="Filter tracks by name"
        title={FILTER_TITLE}
        value={filter}
        onInput={(event) => change(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation();
            if (filter === "") {
              event.currentTarget.blur();
            } else {
              change("");
            }
          } else if (event.key === "ArrowDown" || event.key === "Enter") {
            event.preventDefault();
            const first = pane.layout.peek().items[0];
            if (first !== undefined) {
              focusItem(pane, first.key);
            }
          }
        }}
      />
      {filter !== "" && (
        <button
          type="button"
          class="tree-action"
          aria-label="Clear the filter"
          title="Clear the filter (Esc)"
          onClick={() => {
            change("");
            input.current?.focus();
          }}
        >
          <CloseIcon />
        </button>
      )}
    </div>
  );
}

/** More are not listed one by one. */
const MOST_LISTED = 100;

function HiddenTracks() {
  const app = useApp();
  const { pane } = app;
  const { hidden, counts } = pane.arrangement.value;
  if (hidden.length === 0) {
    return null;
  }
  const text = `${plural(counts.hidden, "hidden track")}: show`;
  const item = (key: string, name: string, note: string, keys: readonly string[], close: () => void) => (
    <button
      key={key}
      type="button"
      class="menu-item"
      role="menuitem"
      onClick={() => {
        close();
        app.tracks.show(keys);
      }}
    >
      <span />
      <span class="menu-name">{name}</span>
      {note !== "" && <span class="menu-note">{note}</span>}
    </button>
  );
  return (
    <Menu label={text} choice={`${formatCount(counts.hidden)} hidden`} icon={<EyeOffIcon />}>
      {(close) => [
        item("all", "Show all", "", [...pane.trackChoice.value.hidden], close),
        ...hidden.slice(0, MOST_LISTED).map((node) => {
          const isGroup = node.kind === "group";
          const name = isGroup ? node.group.name : node.track.name;
          const home = isGroup ? plural(node.trackCount, "track") : app.tracks.homeOf(node.key);
          return item(node.key, `Show ${name}`, home, [node.key], close);
        }),
      ]}
    </Menu>
  );
}

function EmptyTracks() {
  const app = useApp();
  const { pane } = app;
  const { counts, emptyGroups } = pane.arrangement.value;
  const { showsEmpty } = pane.trackChoice.value;
  if (counts.empty + emptyGroups === 0 && !showsEmpty) {
    return null;
  }
  const groups = emptyGroups === 0 ? "" : `${plural(emptyGroups, "group")} without tracks`;
  const tracks = counts.empty === 0 ? "" : plural(counts.empty, "empty track");
  const what = [tracks, groups].filter(Boolean).join(" and ");
  const text = showsEmpty ? "Hide tracks without events" : `${what} hidden: show`;
  return (
    <button
      type="button"
      class="tree-chip"
      title={withKeys(text, "toggle-empty")}
      onClick={() => app.tracks.toggleEmpty()}
    >
      {showsEmpty ? <EyeIcon /> : <EyeOffIcon />}
      {showsEmpty ? "empty" : `${formatCount(counts.empty > 0 ? counts.empty : emptyGroups)} empty`}
      <span class="visually-hidden">{showsEmpty ? " shown: hide" : " hidden: show"}</span>
    </button>
  );
}

export function TreeHead() {
  const app = useApp();
  const { pane } = app;
  const { counts } = pane.arrangement.value;
  const count =
    counts.shown === counts.all
      ? plural(counts.all, "track")
      : `${formatCount(counts.shown)} of ${plural(counts.all, "track")}`;
  const unitAt = count.lastIndexOf(" ");
  return (
    <div class="tree-head">
      <div class="tree-head-row">
        <TrackFilter />
        {pane.trackChoice.value.order.length > 0 && (
          <button
            type="button"
            class="button is-icon"
            aria-label="Tracks in their recorded order"
            title="Moved by hand: back to the recorded order"
            onClick={() => app.tracks.resetOrder()}
          >
            <ResetIcon />
          </button>
        )}
        <button
          type="button"
          class="button is-icon"
          title="Expand all groups"
          aria-label="Expand all groups"
          onClick={() => expandAll(pane)}
        >
          <ExpandIcon />
        </button>
        <button
          type="button"
          class="button is-icon"
          title="Collapse all groups"
          aria-label="Collapse all groups"
          onClick={() => collapseAll(pane)}
        >
          <CollapseIcon />
        </button>
      </div>
      <div class="tree-head-row">
        <span class="tree-count" role="status" title={count}>
          <span>{count.slice(0, unitAt)}</span>
          <span>{count.slice(unitAt)}</span>
        </span>
        <EmptyTracks />
        <HiddenTracks />
      </div>
    </div>
  );
}
