/**
 * Choices of a person in the track tree: hidden, pinned and moved nodes, and the names that are looked for. Nodes stand in it by their
 * keys, `t5` and `g2`. Pure: each change makes another choice.
 */

import type { Group, Track } from "@tilescope/client";
import type { FoldedRows } from "./layout";
import { parseKeys, trackKey } from "./track-keys";
import type { TreeNode } from "./tree";

export interface TrackChoice {
  /** Words that are looked for in names. */
  readonly filter: string;
  readonly hidden: ReadonlySet<string>;
  /** From top to bottom. */
  readonly pinned: readonly string[];
  /** Nodes that have been moved, and those before them: they stand first among their siblings, in this order. */
  readonly order: readonly string[];
  /** True if tracks without events are shown. */
  readonly showsEmpty: boolean;
  /** Ids of the derived lanes that are drawn with their tracks. */
  readonly lanes: readonly string[];
}

export const AS_RECORDED: TrackChoice = {
  filter: "",
  hidden: new Set(),
  pinned: [],
  order: [],
  showsEmpty: false,
  lanes: [],
};

/** Hides a track or group, also one that is pinned. */
export function hide(choice: TrackChoice, key: string): TrackChoice {
  return { ...unpin(choice, key), hidden: new Set([...choice.hidden, key]) };
}

export function show(choice: TrackChoice, keys: Iterable<string>): TrackChoice {
  const gone = new Set(keys);
  return { ...choice, hidden: new Set([...choice.hidden].filter((key) => !gone.has(key))) };
}

/** Pins a track or group below those that are pinned already, also one that is hidden. */
export function pin(choice: TrackChoice, key: string): TrackChoice {
  return { ...show(choice, [key]), pinned: [...choice.pinned.filter((other) => other !== key), key] };
}

export function unpin(choice: TrackChoice, key: string): TrackChoice {
  return { ...choice, pinned: choice.pinned.filter((other) => other !== key) };
}

/** Draws a derived lane with its track, which is shown for it; takes one away that is drawn. */
export function toggleLane(choice: TrackChoice, lane: string, trackKey: string): TrackChoice {
  return choice.lanes.includes(lane)
    ? { ...choice, lanes: choice.lanes.filter((other) => other !== lane) }
    : { ...show(choice, [trackKey]), lanes: [...choice.lanes, lane] };
}

/** Draws a derived lane with its track as another id has it, in its place where it is drawn already: with other rows. */
export function redrawLane(
  choice: TrackChoice,
  drawn: string | undefined,
  lane: string,
  trackKey: string,
): TrackChoice {
  return drawn === undefined
    ? toggleLane(choice, lane, trackKey)
    : { ...choice, lanes: choice.lanes.map((other) => (other === drawn ? lane : other)) };
}

/** The nodes beside a node, itself among them; none where it is not in the tree. */
export function siblingsOf(roots: readonly TreeNode[], key: string): readonly TreeNode[] {
  if (roots.some((node) => node.key === key)) {
    return roots;
  }
  for (const node of roots) {
    const siblings = node.kind === "group" ? siblingsOf(node.children, key) : [];
    if (siblings.length > 0) {
      return siblings;
    }
  }
  return [];
}

/** Some siblings as they stand: first those of the order, then the others as they are. */
export function inOrder(siblings: readonly TreeNode[], places: ReadonlyMap<string, number>): readonly TreeNode[] {
  if (places.size === 0 || !siblings.some(({ key }) => places.has(key))) {
    return siblings;
  }
  const placeOf = ({ key }: TreeNode): number => places.get(key) ?? places.size;
  return siblings.toSorted((a, b) => placeOf(a) - placeOf(b));
}

export function placesOf(order: readonly string[]): ReadonlyMap<string, number> {
  return new Map(order.map((key, place) => [key, place]));
}

/**
 * Moves a node to the place before a sibling of it, or behind all of them: among the pinned ones when it is pinned, else in its
 * group of `roots`, the tree as it is recorded.
 */
export function moveBefore(
  choice: TrackChoice,
  roots: readonly TreeNode[],
  key: string,
  before: string | null,
): TrackChoice {
  if (key === before) {
    return choice;
  }
  if (choice.pinned.includes(key)) {
    return { ...choice, pinned: insert(choice.pinned, key, before) };
  }
  const recorded = siblingsOf(roots, key);
  const keys = recorded.map((node) => node.key);
  const moved = insert(
    inOrder(recorded, placesOf(choice.order)).map((node) => node.key),
    key,
    before,
  );
  const siblings = new Set(keys);
  return { ...choice, order: [...choice.order.filter((other) => !siblings.has(other)), ...head(moved, keys)] };
}

function insert(keys: readonly string[], key: string, before: string | null): readonly string[] {
  const others = keys.filter((other) => other !== key);
  const index = before === null ? -1 : others.indexOf(before);
  return index < 0 ? [...others, key] : [...others.slice(0, index), key, ...others.slice(index)];
}

/** As much of an order as says all of it: what follows is as it was recorded. */
function head(moved: readonly string[], recorded: readonly string[]): readonly string[] {
  const places = placesOf(recorded);
  let length = moved.length;
  while (length > 0 && (length === moved.length || places.get(moved[length - 1]!)! < places.get(moved[length]!)!)) {
    length -= 1;
  }
  return moved.slice(0, length);
}

/** A choice as an address says it; null and "" say nothing. */
export interface ChoiceTexts {
  readonly filter: string;
  readonly pin: string | null;
  readonly hide: string | null;
  readonly order: string | null;
  readonly empty: boolean;
  readonly lanes: string | null;
}

interface Named {
  readonly tracks: ReadonlyMap<number, Track>;
  readonly groups: ReadonlyMap<number, Group>;
}

/** The choice of an address, and how many tracks and groups it names that are not in the tree. */
export function choiceOf(texts: ChoiceTexts, names: Named): { readonly choice: TrackChoice; readonly unknown: number } {
  const [pin, hide, order] = [texts.pin, texts.hide, texts.order].map((text) => parseKeys(text, names));
  const pinned = pin!.keys.filter((key) => isNode(key, names));
  const choice = {
    filter: texts.filter,
    pinned,
    // Whoever writes both wants to see it.
    hidden: new Set(hide!.keys.filter((key) => isNode(key, names) && !pinned.includes(key))),
    order: order!.keys,
    showsEmpty: texts.empty,
    lanes: [...new Set(texts.lanes?.split(","))],
  };
  return { choice, unknown: pin!.unknown + hide!.unknown + order!.unknown };
}

/** Rollups are in the headers of groups, and have no place of their own. */
function isNode(key: string, { tracks }: Named): boolean {
  return !(key.startsWith("t") && tracks.get(Number(key.slice(1)))?.kind === "rollup");
}

/** The same choice in a tree that has grown, in which nodes may have other ids: they are found by their names. */
export function carryChoice(before: Named, after: Named, choice: TrackChoice): TrackChoice {
  if (choice.pinned.length + choice.hidden.size + choice.order.length === 0) {
    return choice;
  }
  const carry = carrier(before, after);
  return {
    ...choice,
    pinned: carry(choice.pinned),
    hidden: new Set(carry(choice.hidden)),
    order: carry(choice.order),
  };
}

/** The same rows in such a tree, with which they may be too few: the picture that shows more brings them back. */
export function carryFolded(before: Named, after: Named, folded: FoldedRows): FoldedRows {
  if (folded.size === 0) {
    return folded;
  }
  const carry = carrier(before, after);
  const carried = [...folded].flatMap(([track, rows]) =>
    carry([trackKey(track)]).map((key) => [Number(key.slice(1)), rows] as const),
  );
  return new Map(carried);
}

/** From keys of nodes to those that the same nodes have in a tree that has grown. */
export function carrier(before: Named, after: Named): (keys: Iterable<string>) => readonly string[] {
  const names = namesOf(before);
  const keys = new Map([...namesOf(after)].map(([key, name]) => [name, key]));
  return (list) => [...list].flatMap((key) => keys.get(names.get(key) ?? "") ?? []);
}

/** Name of each node, from the outside in; namesakes are numbered. */
function namesOf({ tracks, groups }: Named): ReadonlyMap<string, string> {
  const parents = new Map<string, string>();
  const times = new Map<string, number>();
  const add = (key: string, name: string): void => {
    const count = (times.get(name) ?? 0) + 1;
    times.set(name, count);
    parents.set(key, `${name}\n#${count}`);
  };
  const pathOf = (id: number | null): string => {
    const group = id === null ? undefined : groups.get(id);
    return group === undefined ? "" : `${pathOf(group.parent)}\n${group.kind}\n${group.name}\n${group.detail}`;
  };
  for (const { id } of groups.values()) {
    add(`g${id}`, pathOf(id));
  }
  for (const { id, group, kind, name, detail } of tracks.values()) {
    add(`t${id}`, `${pathOf(group)}\n${kind}\n${name}\n${detail}`);
  }
  return parents;
}
