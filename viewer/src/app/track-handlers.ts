/** Handlers for tracks and groups: pin, hide, move, go to. Each is a step that Back undoes. */

import type { TrackActions } from "../components/app-context";
import { keyPointedAt, refocus, walkedKey } from "../components/tree-focus";
import type { AddressKeeper } from "../state/address";
import { chosenLane, type DerivedLane, laneByTitle, withRows } from "../state/lanes";
import { itemOnScreen } from "../state/layout";
import type { Pane } from "../state/pane";
import { rootOf } from "../state/pane-root";
import { trackOf } from "../state/selection";
import { announcement } from "../state/shell";
import type { Trace } from "../state/trace";
import * as choices from "../state/track-choice";
import { findNode, type TreeNode, tracksOf } from "../state/tree";
import { placeWithin } from "../timeline/pointer-place";
import type { ViewNavigator } from "../timeline/view-navigator";

const NONE = "Point at a track, or select something on it, first.";

export class TrackHandlers implements TrackActions {
  readonly #address: AddressKeeper;
  readonly #pane: Pane;
  readonly #viewNavigator: ViewNavigator;

  constructor(address: AddressKeeper, viewNavigator: ViewNavigator) {
    this.#address = address;
    this.#viewNavigator = viewNavigator;
    this.#pane = viewNavigator.pane;
  }

  togglePinned(key: string): void {
    const isPinned = this.#pane.trackChoice.peek().pinned.includes(key);
    this.#change((choice) => (isPinned ? choices.unpin(choice, key) : choices.pin(choice, key)));
    announcement.value = `${nameOf(this.#pane, key)}: ${isPinned ? "back in its place" : "pinned to the top"}`;
    refocus(this.#pane, key);
  }

  hide(key: string): void {
    const { items } = this.#pane.layout.peek();
    const index = items.findIndex((item) => item.key === key);
    this.#change((choice) => choices.hide(choice, key));
    announcement.value = `${nameOf(this.#pane, key)}: hidden`;
    const left = this.#pane.layout.peek().items;
    const next = left[Math.min(index, left.length - 1)];
    if (next !== undefined) {
      refocus(this.#pane, next.key);
    }
  }

  show(keys: readonly string[]): void {
    this.#change((choice) => choices.show(choice, keys));
    announcement.value =
      keys.length === 1 ? `${nameOf(this.#pane, keys[0]!)}: shown again` : "All hidden tracks are shown again";
  }

  moveBefore(key: string, before: string | null): void {
    this.#change((choice) => choices.moveBefore(choice, this.#pane.roots.peek(), key, before));
    refocus(this.#pane, key);
  }

  /** Up or down by one of the siblings that are on the screen. */
  move(key: string, direction: "up" | "down"): void {
    const siblings = this.siblings(key);
    const index = siblings.indexOf(key);
    const step = direction === "up" ? -1 : 1;
    if (siblings[index + step] === undefined) {
      announcement.value = `${nameOf(this.#pane, key)}: ${direction === "up" ? "the first" : "the last"} of its group`;
      return;
    }
    // Not a step of its own: one presses this key several times to get somewhere.
    const before = direction === "up" ? siblings[index - 1]! : (siblings[index + 2] ?? null);
    this.#pane.trackChoice.value = choices.moveBefore(
      this.#pane.trackChoice.peek(),
      this.#pane.roots.peek(),
      key,
      before,
    );
    announcement.value = `${nameOf(this.#pane, key)}: ${index + step + 1} of ${siblings.length}`;
    refocus(this.#pane, key);
  }

  resetOrder(): void {
    this.#change((choice) => ({ ...choice, order: [] }));
    announcement.value = "Tracks are in their recorded order";
  }

  toggleEmpty(): void {
    this.#change((choice) => ({ ...choice, showsEmpty: !choice.showsEmpty }));
    announcement.value = this.#pane.trackChoice.peek().showsEmpty
      ? "Empty tracks are shown"
      : "Empty tracks are hidden";
  }

  toggleLanes(lanes: readonly DerivedLane[]): void {
    const { lanes: drawn } = this.#pane.trackChoice.peek();
    const missing = lanes.filter((lane) => chosenLane(lane, drawn) === undefined);
    const changed = missing.length > 0 ? missing : lanes;
    this.#change((choice) =>
      changed.reduce((before, lane) => {
        const { id, track } = chosenLane(lane, drawn) ?? lane;
        return choices.toggleLane(before, id, `t${track}`);
      }, choice),
    );
    const titles = [...new Set(changed.map(({ title }) => title))].join(", ");
    announcement.value = `${titles}: ${missing.length > 0 ? "drawn with its track" : "hidden"}`;
  }

  drawRows(lanes: readonly DerivedLane[], rows: number): void {
    this.#change((choice) =>
      lanes.reduce((before, lane) => {
        const { id, track } = withRows(lane, rows);
        return choices.redrawLane(before, chosenLane(lane, before.lanes)?.id, id, `t${track}`);
      }, choice),
    );
    announcement.value = `${lanes[0]?.title ?? ""}: ${rows === 1 ? "1 level" : `${rows} levels`} drawn`;
  }

  async toggleToolLane(tool: string, title?: string): Promise<void> {
    const shown = this.#pane.runView.peek();
    if (shown.kind !== "open") {
      return;
    }
    await this.#pane.laneLoader.want(shown.trace);
    const lanes = this.#pane.laneList.peek().filter(({ id }) => id.startsWith(`${tool}.`));
    const drawn = lanes.filter((lane) => chosenLane(lane, this.#pane.trackChoice.peek().lanes) !== undefined);
    const lane = title === undefined ? lanes[0] : laneByTitle(lanes, title);
    if (lane === undefined) {
      const state = this.#pane.laneRequest.peek();
      const missing = this.#pane.laneNotes.peek().join(" ") || "The trace has nothing to draw for it.";
      announcement.value = state.kind === "failed" ? state.failure.message : missing;
    } else if (title === undefined && drawn.length > 0) {
      this.toggleLanes(drawn);
    } else {
      if (!drawn.includes(lane)) {
        this.toggleLanes([lane]);
      }
      this.reveal(`t${lane.track}`);
    }
  }

  /** Selects the first or last event of a track, or of all tracks of a group, and goes there. */
  jump(key: string, end: "first" | "last"): void {
    const node = findNode(this.#pane.roots.peek(), key);
    const track = node === null ? null : farthest(node, end);
    if (track === null) {
      announcement.value = `${nameOf(this.#pane, key)}: no event`;
      return;
    }
    this.#address.step(() => this.#viewNavigator.goTo(track.id, end === "first" ? 0 : Number(track.events) - 1));
  }

  /** Selects all tracks of it, in the time of the selected range or else of the run. */
  lookInto(key: string): void {
    const node = findNode(this.#pane.roots.peek(), key);
    const tracks = new Set(node === null ? [] : tracksOf(node).map(({ id }) => id));
    if (tracks.size === 0) {
      announcement.value = `${nameOf(this.#pane, key)}: no track`;
      return;
    }
    const chosen = this.#pane.selection.peek();
    const range = chosen.kind === "area" ? chosen.range : this.#pane.bounds.peek();
    this.#address.step(() => this.#viewNavigator.select({ kind: "area", range, tracks }));
  }

  /** Shows a track that may be hidden, in a closed group or scrolled away, and puts the focus on it. */
  reveal(key: string): void {
    const shown = this.#pane.runView.peek();
    if (shown.kind === "open") {
      this.#address.step(() => this.#viewNavigator.revealNode(shown.trace, key));
      refocus(this.#pane, key);
    }
  }

  /** Keys of what a node stands among on the screen, itself with them, from top to bottom. */
  siblings(key: string): readonly string[] {
    const { pinned, body } = this.#pane.arrangement.peek();
    const inPinned = choices.siblingsOf(pinned, key);
    return (inPinned.length > 0 ? inPinned : choices.siblingsOf(body, key)).map((node) => node.key);
  }

  homeOf(key: string): string {
    const shown = this.#pane.runView.peek();
    const track = shown.kind === "open" ? shown.trace.tracks.get(Number(key.slice(1))) : undefined;
    return (shown.kind === "open" && track !== undefined ? shown.trace.groups.get(track.group)?.name : "") ?? "";
  }

  /** Does something with the track that a key is meant for. */
  withSubject(act: (key: string) => void): void {
    const key = this.#subject();
    if (key === null) {
      announcement.value = NONE;
    } else {
      act(key);
    }
  }

  /** The tree item that one has walked to by keys, else what the pointer is over now, else the track of the selection. */
  #subject(): string | null {
    return (
      walkedKey() ??
      keyPointedAt() ??
      rowPointedAt(this.#pane) ??
      keyOf(this.#pane, trackOf(this.#pane.selection.peek()))
    );
  }

  #change(change: (choice: choices.TrackChoice) => choices.TrackChoice): void {
    this.#address.step(() => {
      this.#pane.trackChoice.value = change(this.#pane.trackChoice.peek());
    });
  }
}

/** The tree item beside what the pointer is over in the timeline. */
function rowPointedAt(pane: Pane): string | null {
  const timeline = rootOf(pane).querySelector(".timeline");
  const place = timeline === null ? null : placeWithin(timeline);
  return place === null ? null : (itemOnScreen(pane.layout.peek(), pane.scrolled.peek(), place.yPx)?.key ?? null);
}

/** The node that a track is: rollups are the headers of their groups. */
function keyOf(pane: Pane, track: number | null): string | null {
  const shown = pane.runView.peek();
  const own = shown.kind === "open" && track !== null ? shown.trace.tracks.get(track) : undefined;
  if (own === undefined) {
    return null;
  }
  return own.kind === "rollup" ? groupKey(shown.kind === "open" ? shown.trace : null, own.id) : `t${own.id}`;
}

function groupKey(trace: Trace | null, rollup: number): string | null {
  const group = [...(trace?.groups.values() ?? [])].find((candidate) => candidate.rollup === rollup);
  return group === undefined ? null : `g${group.id}`;
}

function nameOf(pane: Pane, key: string): string {
  const node = findNode(pane.roots.peek(), key);
  return node === null ? "Track" : node.kind === "group" ? node.group.name : node.track.name;
}

function farthest(node: TreeNode, end: "first" | "last") {
  const tracks = tracksOf(node).filter((track) => track.events > 0n);
  const [first, ...others] = tracks;
  const isFarther = (a: bigint | undefined, b: bigint | undefined): boolean =>
    a !== undefined && (b === undefined || (end === "first" ? a < b : a > b));
  const timeOf = (track: (typeof tracks)[number]) => (end === "first" ? track.firstTicks : track.lastTicks);
  return others.reduce((best, track) => (isFarther(timeOf(track), timeOf(best)) ? track : best), first!) ?? null;
}
