/** Nodes of the track tree that are on the screen, in order, by the choices of a person. Pure. */

import { inOrder, placesOf, type TrackChoice } from "./track-choice";
import { type GroupNode, moved, type TreeNode } from "./tree";

/** Each track of the tree is in exactly one of these; rollups are in none. */
export interface TrackCounts {
  readonly all: number;
  readonly shown: number;
  readonly hidden: number;
  readonly empty: number;
  /** Neither hidden nor empty, but without what the filter looks for. */
  readonly unmatched: number;
}

export interface Arrangement {
  /** Above all others, each as if it were a root. */
  readonly pinned: readonly TreeNode[];
  readonly body: readonly TreeNode[];
  readonly counts: TrackCounts;
  /** Groups that are left out because there is no track below them. */
  readonly emptyGroups: number;
  /** Hidden nodes, without those below them. */
  readonly hidden: readonly TreeNode[];
}

/** The words of a filter: all of them have to be in the names of a track and of the groups around it. */
export function wordsOf(filter: string): readonly string[] {
  return filter.toLowerCase().split(/\s+/).filter(Boolean);
}

const texts = new WeakMap<object, string>();

/** Made once for each group and track: a filter looks through all of them at each key. */
function textOf(node: TreeNode): string {
  const named = node.kind === "group" ? node.group : node.track;
  const text = texts.get(named) ?? named.name.toLowerCase();
  texts.set(named, text);
  return text;
}

/**
 * Hidden goes before empty, and empty before unmatched. What is pinned is shown whatever else is chosen, and is nowhere else; a
 * pinned group has its tracks with it. A group stays as long as something in it is shown.
 */
export function arrange(roots: readonly TreeNode[], choice: TrackChoice): Arrangement {
  const pins = new Set(choice.pinned);
  const places = placesOf(choice.order);
  const pinned = new Map<string, TreeNode>();
  const hidden: TreeNode[] = [];
  const counts = { all: 0, shown: 0, hidden: 0, empty: 0, unmatched: 0 };
  let emptyGroups = 0;

  const visit = (node: TreeNode, words: readonly string[], isHidden: boolean): readonly TreeNode[] => {
    if (!pins.has(node.key)) {
      return place(node, words, isHidden);
    }
    for (const own of place(node, [], false)) {
      pinned.set(node.key, moved(own, -own.depth));
    }
    return [];
  };

  /** The node, with what is left below it, or nothing. */
  const place = (node: TreeNode, words: readonly string[], isInHidden: boolean): readonly TreeNode[] => {
    const isPinned = pins.has(node.key);
    const isOwnHidden = !isInHidden && !isPinned && choice.hidden.has(node.key);
    const isHidden = isInHidden || isOwnHidden;
    if (isOwnHidden) {
      hidden.push(node);
    }
    const left = words.length === 0 ? words : words.filter((word) => !textOf(node).includes(word));
    const isLeftOut = !choice.showsEmpty && !isPinned;
    if (node.kind === "track") {
      const fate = isHidden ? "hidden" : node.isEmpty && isLeftOut ? "empty" : left.length > 0 ? "unmatched" : "shown";
      counts.all += 1;
      counts[fate] += 1;
      return fate === "shown" ? [node] : [];
    }
    const children = inOrder(node.children, places).flatMap((child) => visit(child, left, isHidden));
    if (children.length > 0) {
      return [withChildren(node, children)];
    }
    if (node.trackCount > 0 || isHidden || left.length > 0) {
      return isPinned ? [withChildren(node, children)] : [];
    }
    if (node.group.missing !== undefined) {
      return [node]; // a host that is not there stays, with the reason
    }
    emptyGroups += isLeftOut ? 1 : 0;
    return isLeftOut ? [] : [node];
  };

  const words = wordsOf(choice.filter);
  const body = inOrder(roots, places).flatMap((node) => visit(node, words, false));
  return { pinned: choice.pinned.flatMap((key) => pinned.get(key) ?? []), body, counts, emptyGroups, hidden };
}

function withChildren(node: GroupNode, children: readonly TreeNode[]): GroupNode {
  const isSame = children.length === node.children.length && children.every((child, k) => child === node.children[k]);
  return isSame ? node : { ...node, children, shownCount: shownIn(children) };
}

function shownIn(nodes: readonly TreeNode[]): number {
  return nodes.reduce((sum, node) => sum + (node.kind === "track" ? 1 : node.shownCount), 0);
}
