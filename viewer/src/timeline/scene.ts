/**
 * Part of the layout that is on the screen, and its lanes of the raster. Pure.
 *
 * Only rows that one sees get a lane, so the work of a frame depends on the screen and not on the trace.
 */

import type { Track, TrackRequest } from "@tilescope/client";
import {
  COUNTER_PX,
  HEADER_PX,
  INSTANT_PX,
  itemsBetween,
  type Layout,
  type LayoutItem,
  PINNED_EDGE_PX,
  pinnedBetween,
  ROW_PX,
  type ScrollPlace,
  screenTopPx,
  stickyHeader,
  type TrackItem,
} from "../state/layout";
import { requestOf } from "../state/trace";

/** A track on the screen. Lengths in CSS pixels from the upper edge of the timeline. */
export interface SceneTrack {
  readonly track: Track;
  /** `header`: the rollup in a group's header. */
  readonly place: "header" | "sticky" | "track";
  /** Events are counted here: in tracks, and in headers of closed groups, whose tracks are not shown. */
  readonly isCounted: boolean;
  /** Top of the row `firstRow`. */
  readonly topPx: number;
  readonly rowPx: number;
  readonly firstRow: number;
  readonly rows: number;
  /** Lane of `firstRow` in the raster; counters have no lane: -1. */
  readonly firstLane: number;
  readonly isPinned: boolean;
}

/** A header's ground, drawn below everything else of the header. */
export interface SceneHeader {
  readonly topPx: number;
  readonly heightPx: number;
  readonly isSticky: boolean;
  readonly isPinned: boolean;
}

export interface Scene {
  readonly tracks: readonly SceneTrack[];
  readonly headers: readonly SceneHeader[];
  /** Lower edges of tracks, where a hairline is drawn. */
  readonly edgesPx: readonly number[];
  readonly pinnedEdgesPx: readonly number[];
  /** The upper part of the screen that is of pinned tracks alone. */
  readonly pinnedPx: number;
  readonly lanes: number;
  /** End of the tracks, when that is on the screen. */
  readonly endPx: number;
}

type HeaderPlace = Pick<SceneHeader, "isSticky" | "isPinned">;

const HEADER_INSET_PX = 4;
const INSTANT_INSET_PX = 3;

function trackOf(item: LayoutItem): Track | null {
  return item.kind === "group" ? item.node.rollup : item.node.track;
}

export function buildScene(layout: Layout, scroll: ScrollPlace, heightPx: number): Scene {
  const { pinnedPx } = layout;
  const scrollPx = scroll.topPx;
  const tracks: SceneTrack[] = [];
  const headers: SceneHeader[] = [];
  const edgesPx: number[] = [];
  const pinnedEdgesPx: number[] = [];
  let lanes = 0;

  const addHeader = (track: Track | null, topPx: number, place: HeaderPlace, isCounted: boolean): void => {
    const { isSticky, isPinned } = place;
    headers.push({ topPx, heightPx: HEADER_PX, isSticky, isPinned });
    if (track === null || track.events === 0n) {
      return;
    }
    const inner = { topPx: topPx + HEADER_INSET_PX, rowPx: HEADER_PX - 2 * HEADER_INSET_PX, isPinned };
    tracks.push({
      ...{ track, place: isSticky ? "sticky" : "header", isCounted, ...inner, firstRow: 0, rows: 1, firstLane: lanes },
    });
    lanes += 1;
  };

  /** The rows that one sees between two heights of the screen. */
  const addTrack = (
    { node: { track }, rows: laidOut, isPinned }: TrackItem,
    topPx: number,
    fromPx: number,
    toPx: number,
  ) => {
    if (track.events === 0n) {
      return;
    }
    if (track.kind === "counter") {
      const inner = { topPx, rowPx: COUNTER_PX, isPinned };
      tracks.push({ track, place: "track", isCounted: true, ...inner, firstRow: 0, rows: 1, firstLane: -1 });
      return;
    }
    if (track.kind === "instant") {
      const inner = { topPx: topPx + INSTANT_INSET_PX, rowPx: INSTANT_PX - 2 * INSTANT_INSET_PX, isPinned };
      tracks.push({ track, place: "track", isCounted: true, ...inner, firstRow: 0, rows: 1, firstLane: lanes });
      lanes += 1;
      return;
    }
    const firstRow = Math.max(0, Math.floor((fromPx - topPx) / ROW_PX));
    const endRow = Math.min(laidOut, Math.ceil((toPx - topPx) / ROW_PX));
    if (firstRow >= endRow) {
      return;
    }
    const rows = endRow - firstRow;
    tracks.push({
      track,
      place: "track",
      isCounted: true,
      topPx: topPx + firstRow * ROW_PX,
      rowPx: ROW_PX,
      firstRow,
      rows,
      firstLane: lanes,
      isPinned,
    });
    lanes += rows;
  };

  const addItem = (item: LayoutItem, fromPx: number, toPx: number, edges: number[]): void => {
    const { isPinned } = item;
    const topPx = screenTopPx(item, scroll);
    if (item.kind === "group") {
      addHeader(item.node.rollup, topPx, { isSticky: false, isPinned }, !item.isOpen);
    } else {
      addTrack(item, topPx + 1, fromPx, toPx);
    }
    edges.push(topPx + item.heightPx);
  };

  for (const item of pinnedBetween(layout, scroll.pinnedTopPx)) {
    addItem(item, 0, Math.min(heightPx, pinnedPx - PINNED_EDGE_PX), pinnedEdgesPx);
  }
  for (const item of itemsBetween(layout, scrollPx + pinnedPx, scrollPx + heightPx)) {
    addItem(item, pinnedPx, heightPx, edgesPx);
  }
  const sticky = stickyHeader(layout, scrollPx);
  // A header that is not cut is its own sticky header.
  if (sticky !== null && sticky.item.topPx < scrollPx + pinnedPx) {
    addHeader(sticky.item.node.rollup, pinnedPx + sticky.offsetPx, { isSticky: true, isPinned: false }, false);
  }
  return { tracks, headers, edgesPx, pinnedEdgesPx, pinnedPx, lanes, endPx: layout.heightPx - scrollPx };
}

/** The tracks of a scene as the tile client wants them: each once, from top to bottom. */
export function requestsOf(scene: Scene): readonly TrackRequest[] {
  const seen = new Map(scene.tracks.map(({ track }) => [track.id, requestOf(track)]));
  return [...seen.values()];
}

/** Tracks within `marginPx` above and below the screen. */
export function nearbyRequests(layout: Layout, scrollPx: number, heightPx: number, marginPx: number) {
  const requests: TrackRequest[] = [];
  for (const item of [
    ...itemsBetween(layout, scrollPx + heightPx, scrollPx + heightPx + marginPx),
    ...itemsBetween(layout, scrollPx + layout.pinnedPx - marginPx, scrollPx + layout.pinnedPx),
  ]) {
    const track = trackOf(item);
    if (track !== null && track.events > 0n) {
      requests.push(requestOf(track));
    }
  }
  return requests;
}

/** The track at a height, and the row of it; pinned tracks and the sticky header hide what is below them. */
export function sceneTrackAt(scene: Scene, yPx: number): { readonly track: SceneTrack; readonly row: number } | null {
  const sticky = scene.headers.find((header) => header.isSticky);
  const isOverPinned = yPx < scene.pinnedPx;
  const isUnderSticky = !isOverPinned && sticky !== undefined && yPx < sticky.topPx + sticky.heightPx;
  if (isOverPinned && yPx >= scene.pinnedPx - PINNED_EDGE_PX) {
    return null;
  }
  for (const track of scene.tracks) {
    if (isOverPinned !== track.isPinned || isUnderSticky !== (track.place === "sticky")) {
      continue;
    }
    const row = Math.floor((yPx - track.topPx) / track.rowPx);
    if (row >= 0 && row < track.rows) {
      return { track, row: row + track.firstRow };
    }
  }
  return null;
}
