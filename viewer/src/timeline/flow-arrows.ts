/**
 * Where to draw the flows of the selected event: from slices that lead to it, and to those it leads to. Pure.
 *
 * The other end may be in a bin, on a track that is scrolled away, or in a closed group; the arrow then ends at its
 * track's middle, beyond the edge of the screen, or at the group's header.
 */

import { type EventDetails, type FlowPartner, type View, xOfTick } from "@tilescope/client";
import { locateSlice } from "../raster/locate";
import { type Layout, ROW_PX, type ScrollPlace } from "../state/layout";
import type { TreeNode } from "../state/tree";
import { drawsOf, type Picture } from "./picture";

/** In CSS pixels of the timeline. Both ends may lie outside of it. */
export interface FlowArrow {
  readonly direction: "in" | "out";
  readonly fromXPx: number;
  readonly fromYPx: number;
  readonly toXPx: number;
  readonly toYPx: number;
}

interface Place {
  readonly topPx: number;
  readonly heightPx: number;
  /** Rows of slices begin at the top; headers and the like have none. */
  readonly hasRows: boolean;
  readonly isPinned: boolean;
}

/** Farther beyond the edge of the screen an arrow's direction is the same for all that one sees. */
const BEYOND_PX = 400;

export function flowArrows(
  picture: Picture,
  layout: Layout,
  scroll: ScrollPlace,
  details: EventDetails,
): readonly FlowArrow[] {
  const places = placesOf(layout);
  const { view } = picture;
  const own = places.get(details.track);
  if (own === undefined) {
    return [];
  }
  const onScreen = ({ isPinned }: Place, yPx: number): number => {
    const shownPx = yPx - (isPinned ? scroll.pinnedTopPx : scroll.topPx);
    // What is scrolled away below the pinned tracks is at their edge.
    return isPinned || layout.pinnedPx === 0 ? shownPx : Math.max(layout.pinnedPx, shownPx);
  };
  const ownY = onScreen(own, rowMiddle(own, details.row));
  const ownFrom = clampX(view, xOfTick(view, details.startTicks));
  const ownTo = clampX(view, xOfTick(view, details.startTicks + details.durationTicks));
  const arrowOf = (direction: "in" | "out", partner: FlowPartner): readonly FlowArrow[] => {
    const place = places.get(partner.track);
    if (place === undefined) {
      return [];
    }
    const found = locateSlice(drawsOf(picture, partner.track), Number(partner.ordinal), view);
    const y = onScreen(place, place.hasRows && found !== null ? rowMiddle(place, found.row) : middle(place));
    const from = clampX(view, xOfTick(view, partner.startTicks));
    const to = found === null ? from : clampX(view, found.toPx);
    // An arrow leaves at the end of a slice when the other begins after it, and at its start when it is a nested call.
    return direction === "out"
      ? [{ direction, fromXPx: from >= ownTo ? ownTo : ownFrom, fromYPx: ownY, toXPx: from, toYPx: y }]
      : [{ direction, fromXPx: to <= ownFrom ? to : from, fromYPx: y, toXPx: ownFrom, toYPx: ownY }];
  };
  return [
    ...details.flows.in.flatMap((partner) => arrowOf("in", partner)),
    ...details.flows.out.flatMap((partner) => arrowOf("out", partner)),
  ];
}

/** The control points of an arrow's curve: it leaves and arrives level, as time runs. */
export function curveOf({ fromXPx, toXPx }: FlowArrow): { readonly bendPx: number } {
  return { bendPx: Math.min(90, Math.max(24, Math.abs(toXPx - fromXPx) / 2)) };
}

function clampX(view: View, xPx: number): number {
  return Math.max(-BEYOND_PX, Math.min(view.widthPx + BEYOND_PX, xPx));
}

function rowMiddle(place: Place, row: number): number {
  return place.hasRows ? place.topPx + 1 + row * ROW_PX + (ROW_PX - 1) / 2 : middle(place);
}

function middle({ topPx, heightPx }: Place): number {
  return topPx + heightPx / 2;
}

const cache = new WeakMap<Layout, ReadonlyMap<number, Place>>();

/** Where each track is: tracks of closed groups are at the header. */
function placesOf(layout: Layout): ReadonlyMap<number, Place> {
  const known = cache.get(layout);
  if (known !== undefined) {
    return known;
  }
  const places = new Map<number, Place>();
  const addAll = (node: TreeNode, place: Place): void => {
    if (node.kind === "track") {
      places.set(node.track.id, place);
    } else {
      for (const child of node.children) {
        addAll(child, place);
      }
    }
  };
  for (const { kind, topPx, heightPx, isPinned, node, ...item } of layout.items) {
    if (kind === "track" && node.kind === "track") {
      const hasRows = node.track.kind === "slice" || node.track.kind === "async";
      places.set(node.track.id, { topPx, heightPx, hasRows, isPinned });
    } else if ("isOpen" in item && !item.isOpen) {
      addAll(node, { topPx, heightPx, hasRows: false, isPinned });
    }
  }
  cache.set(layout, places);
  return places;
}
