/**
 * Arrows for the flows of the selected event: from slices that lead to it, and to those it leads to. Pure.
 *
 * The other end may be in a bin, on a track that is scrolled away, or in a closed group; the arrow then ends at its
 * track's middle, beyond the edge of the screen, or at the group's header.
 */

import { type EventDetails, type FlowPartner, ticks, type View, xOfTick } from "@tilescope/client";
import { locateSlice } from "../raster/locate";
import type { ChainEvent, FlowChain } from "../state/flow-chain";
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

/** One end of a flow: a slice, of which the row and the end may not be known. */
interface FlowEnd {
  readonly track: number;
  readonly ordinal: number;
  readonly startTicks: bigint;
  readonly endTicks: bigint | null;
  readonly row: number | null;
}

interface Flow {
  readonly direction: "in" | "out";
  readonly from: FlowEnd;
  readonly to: FlowEnd;
}

/** The flows of the selected event. */
export function flowArrows(
  picture: Picture,
  layout: Layout,
  scroll: ScrollPlace,
  details: EventDetails,
): readonly FlowArrow[] {
  const { track, ordinal, startTicks, durationTicks, row } = details;
  const own: FlowEnd = { track, ordinal: Number(ordinal), startTicks, endTicks: startTicks + durationTicks, row };
  return arrowsOf(picture, layout, scroll, [
    ...(details.flows?.in ?? []).map((partner): Flow => ({ direction: "in", from: endOf(partner), to: own })),
    ...(details.flows?.out ?? []).map((partner): Flow => ({ direction: "out", from: own, to: endOf(partner) })),
  ]);
}

/** The other flows of the chain that it is in: those of the event itself are drawn already. */
export function chainArrows(
  picture: Picture,
  layout: Layout,
  scroll: ScrollPlace,
  { events, flows }: FlowChain,
  { track, ordinal }: Pick<EventDetails, "track" | "ordinal">,
): readonly FlowArrow[] {
  const isOwn = (event: ChainEvent): boolean => event.track === track && event.ordinal === Number(ordinal);
  const end = (event: ChainEvent): FlowEnd => ({
    ...event,
    endTicks: event.startTicks + event.durationTicks,
    row: null,
  });
  const others = flows.flatMap(({ from, to }): readonly Flow[] => {
    const [source, target] = [events[from]!, events[to]!];
    const direction = source.depth < 0 ? "in" : "out";
    return isOwn(source) || isOwn(target) ? [] : [{ direction, from: end(source), to: end(target) }];
  });
  return arrowsOf(picture, layout, scroll, others);
}

function endOf({ track, ordinal, startTicks }: FlowPartner): FlowEnd {
  return { track, ordinal: Number(ordinal), startTicks, endTicks: null, row: null };
}

function arrowsOf(picture: Picture, layout: Layout, scroll: ScrollPlace, flows: readonly Flow[]): readonly FlowArrow[] {
  const places = placesOf(layout);
  const { view } = picture;
  const onScreen = ({ isPinned }: Place, yPx: number): number => {
    const shownPx = yPx - (isPinned ? scroll.pinnedTopPx : scroll.topPx);
    // What is scrolled away below the pinned tracks is at their edge.
    return isPinned || layout.pinnedPx === 0 ? shownPx : Math.max(layout.pinnedPx, shownPx);
  };
  const drawn = (end: FlowEnd) => {
    const place = places.get(end.track);
    if (place === undefined) {
      return null;
    }
    const slice = locateSlice(drawsOf(picture, end.track), end.ordinal, view);
    const row = end.row ?? slice?.row ?? null;
    const shiftTicks = picture.shifts?.later(end.track) ?? 0n;
    const fromPx = clampX(view, xOfTick(view, ticks(end.startTicks + shiftTicks)));
    const endPx = end.endTicks === null ? slice?.toPx : xOfTick(view, ticks(end.endTicks + shiftTicks));
    return {
      yPx: onScreen(place, row === null ? middle(place) : rowMiddle(place, row)),
      fromPx,
      toPx: endPx === undefined ? fromPx : clampX(view, endPx),
    };
  };
  return flows.flatMap(({ direction, from, to }) => {
    const [source, target] = [drawn(from), drawn(to)];
    if (source === null || target === null) {
      return [];
    }
    // An arrow leaves at the end of a slice when the other begins after it, and at its start when it is a nested call.
    const fromXPx = source.toPx <= target.fromPx ? source.toPx : source.fromPx;
    return [{ direction, fromXPx, fromYPx: source.yPx, toXPx: target.fromPx, toYPx: target.yPx }];
  });
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

/** Place of each track: tracks of closed groups are at the header. */
function placesOf(layout: Layout): ReadonlyMap<number, Place> {
  const cached = cache.get(layout);
  if (cached !== undefined) {
    return cached;
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
