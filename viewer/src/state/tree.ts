/**
 * The track tree as a person sees it: hosts, processes, tracks. Pure: made from the server's answer, never changed.
 */

import type { Group, Track, TrackTree } from "@tilescope/client";

export interface TrackNode {
  readonly kind: "track";
  readonly key: string;
  readonly depth: number;
  readonly track: Track;
  readonly isEmpty: boolean;
}

export interface GroupNode {
  readonly kind: "group";
  readonly key: string;
  readonly depth: number;
  readonly group: Group;
  /** The track that stands for the group: all its children's busy time. */
  readonly rollup: Track | null;
  readonly children: readonly TreeNode[];
  /** Events of all tracks below, rollups not counted. */
  readonly events: bigint;
  /** Rows of all tracks below when everything is expanded. */
  readonly rows: number;
  readonly trackCount: number;
  /** Number of tracks that are on the screen, or would be if the group were open. */
  readonly shownCount: number;
  readonly isEmpty: boolean;
}

export type TreeNode = GroupNode | TrackNode;

/** The part of a trace that says which groups there are. */
export interface GroupsById {
  readonly groups: ReadonlyMap<number, Group>;
}

/** The same with the tracks. */
export interface NodesById extends GroupsById {
  readonly tracks: ReadonlyMap<number, Track>;
}

/** The tree in screen order. A single host is not a level of its own: it says nothing. */
export function buildTree(answer: TrackTree): readonly TreeNode[] {
  const childGroups = new Map<number | null, Group[]>();
  for (const group of answer.groups) {
    append(childGroups, group.parent, group);
  }
  const tracks = new Map<number, Track[]>();
  for (const track of answer.tracks) {
    append(tracks, track.group, track);
  }
  const byId = new Map(answer.tracks.map((track) => [track.id, track]));

  const buildGroup = (group: Group, depth: number): GroupNode => {
    const children: TreeNode[] = [];
    for (const track of tracks.get(group.id) ?? []) {
      if (track.kind !== "rollup") {
        children.push(trackNode(track, depth + 1));
      }
    }
    for (const child of childGroups.get(group.id) ?? []) {
      children.push(buildGroup(child, depth + 1));
    }
    const events = children.reduce((sum, node) => sum + eventsOf(node), 0n);
    const trackCount = children.reduce((sum, node) => sum + (node.kind === "track" ? 1 : node.trackCount), 0);
    return {
      kind: "group",
      key: `g${group.id}`,
      depth,
      group,
      rollup: group.rollup === null ? null : (byId.get(group.rollup) ?? null),
      children,
      events,
      rows: children.reduce((sum, node) => sum + (node.kind === "track" ? node.track.rows : node.rows), 0),
      trackCount,
      shownCount: trackCount,
      // A host that is not there stays on the screen, as there may be events of it.
      isEmpty: events === 0n && group.missing === undefined,
    };
  };

  const roots = childGroups.get(null) ?? [];
  const only = roots.length === 1 ? roots[0] : undefined;
  if (only !== undefined && only.kind === "host") {
    return buildGroup(only, -1).children;
  }
  return roots.map((group) => buildGroup(group, 0));
}

function trackNode(track: Track, depth: number): TrackNode {
  return { kind: "track", key: `t${track.id}`, depth, track, isEmpty: track.events === 0n };
}

function eventsOf(node: TreeNode): bigint {
  return node.kind === "track" ? node.track.events : node.events;
}

function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) {
    lists.set(key, [value]);
  } else {
    list.push(value);
  }
}

/**
 * The open groups of a tree that has grown: what was open stays open, what was closed closed, under the names that
 * groups have; new groups are as in `fallback`.
 */
export function carryOpen(
  before: GroupsById,
  after: GroupsById,
  open: ReadonlySet<string>,
  fallback: ReadonlySet<string>,
): ReadonlySet<string> {
  const namesById = new Map(
    [...before.groups.values()].map((group) => [groupPath(before, group), open.has(`g${group.id}`)]),
  );
  const keys = [...after.groups.values()].filter(
    (group) => namesById.get(groupPath(after, group)) ?? fallback.has(`g${group.id}`),
  );
  return new Set(keys.map(({ id }) => `g${id}`));
}

function groupPath({ groups }: GroupsById, group: Group): string {
  const path = `${group.kind}\n${group.name}\n${group.detail}`;
  const parent = group.parent === null ? undefined : groups.get(group.parent);
  return parent === undefined ? path : `${groupPath({ groups }, parent)}\n${path}`;
}

/** The part of a tree that belongs to one host; the whole tree where `host` is null or unknown. */
export function filterHost(roots: readonly TreeNode[], host: string | null): readonly TreeNode[] {
  if (host === null) {
    return roots;
  }
  const hosts = roots.flatMap((node) => (node.kind === "group" && node.group.kind === "run" ? node.children : [node]));
  const chosen = hosts.filter(
    (node) => node.kind === "group" && node.group.kind === "host" && node.group.name === host,
  );
  return chosen.length === 0 ? roots : chosen.map((node) => moved(node, -node.depth));
}

/** The same node at another depth, with all that is below it. */
export function moved<T extends TreeNode>(node: T, levels: number): T {
  if (levels === 0) {
    return node;
  }
  const children = node.kind === "group" ? { children: node.children.map((child) => moved(child, levels)) } : {};
  return { ...node, depth: node.depth + levels, ...children };
}

/** The node of a key; null where there is none. */
export function findNode(nodes: readonly TreeNode[], key: string): TreeNode | null {
  for (const node of nodes) {
    const match = node.key === key ? node : node.kind === "group" ? findNode(node.children, key) : null;
    if (match !== null) {
      return match;
    }
  }
  return null;
}

/** A track, or all of a group. */
export function tracksOf(node: TreeNode): readonly Track[] {
  return node.kind === "track" ? [node.track] : node.children.flatMap(tracksOf);
}

/** Rows that one screen and a bit of scrolling hold: what is expanded when a run opens. */
const EXPANDED_ROWS = 160;

/**
 * Groups that are open when a run is opened: run and hosts always; processes with events, in screen order, until the rows of the open ones
 * fill a few screens. The first process with events is open whatever its size.
 */
export function defaultExpansion(roots: readonly TreeNode[]): ReadonlySet<string> {
  const open = new Set<string>();
  let rows = 0;
  const visit = (node: TreeNode): void => {
    if (node.kind !== "group" || node.isEmpty) {
      return;
    }
    if (node.group.kind === "host" || node.group.kind === "run") {
      open.add(node.key);
      node.children.forEach(visit);
    } else if (rows === 0 || rows + node.rows <= EXPANDED_ROWS) {
      open.add(node.key);
      rows += node.rows;
    }
  };
  roots.forEach(visit);
  return open;
}

/** The keys of the run and of hosts: groups whose children are processes and devices. */
export function groupsOfHosts(roots: readonly TreeNode[]): ReadonlySet<string> {
  const keys = new Set<string>();
  const visit = (node: TreeNode): void => {
    if (node.kind === "group" && (node.group.kind === "host" || node.group.kind === "run")) {
      keys.add(node.key);
      node.children.forEach(visit);
    }
  };
  roots.forEach(visit);
  return keys;
}

/** The keys of all groups of a tree. */
export function allGroups(roots: readonly TreeNode[]): ReadonlySet<string> {
  const keys = new Set<string>();
  const visit = (node: TreeNode): void => {
    if (node.kind !== "group") {
      return;
    }
    keys.add(node.key);
    node.children.forEach(visit);
  };
  roots.forEach(visit);
  return keys;
}

/** Keys of the groups that a track or group is in, from the inside out. */
export function groupsAround({ tracks, groups }: NodesById, key: string): readonly string[] {
  const own = Number(key.slice(1));
  const around: string[] = [];
  let id = (key.startsWith("t") ? tracks.get(own)?.group : groups.get(own)?.parent) ?? null;
  while (id !== null) {
    around.push(`g${id}`);
    id = groups.get(id)?.parent ?? null;
  }
  return around;
}
