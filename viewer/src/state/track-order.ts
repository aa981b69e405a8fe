/** The tracks of some nodes from top to bottom, open or not: what "from this track to that one" means. Pure. */

import type { TreeNode } from "./tree";

export class TrackOrder {
  readonly #tracks: readonly number[];
  readonly #places: ReadonlyMap<number, number>;

  constructor(nodes: readonly TreeNode[]) {
    const tracks: number[] = [];
    const visit = (node: TreeNode): void => {
      if (node.kind === "track") {
        tracks.push(node.track.id);
      } else {
        node.children.forEach(visit);
      }
    };
    nodes.forEach(visit);
    this.#tracks = tracks;
    this.#places = new Map(tracks.map((track, place) => [track, place]));
  }

  /** From the upmost to the lowest of some tracks, all that is between included; none where none of them is in the order. */
  between(tracks: Iterable<number>): readonly number[] {
    let first = this.#tracks.length;
    let last = -1;
    for (const track of tracks) {
      const place = this.#places.get(track);
      if (place !== undefined) {
        first = Math.min(first, place);
        last = Math.max(last, place);
      }
    }
    return this.#tracks.slice(first, last + 1);
  }
}
