/** The tracks of the tree from top to bottom, open or not: what "from this track to that one" means. Pure. */

import type { TreeNode } from "./tree";

/** From one track to another, in the order of the tree. */
export interface TrackSpan {
  readonly firstTrack: number;
  readonly lastTrack: number;
}

export class TrackOrder {
  readonly #tracks: readonly number[];
  readonly #places: ReadonlyMap<number, number>;

  constructor(roots: readonly TreeNode[]) {
    const tracks: number[] = [];
    const visit = (node: TreeNode): void => {
      if (node.kind === "track") {
        tracks.push(node.track.id);
      } else {
        node.children.forEach(visit);
      }
    };
    roots.forEach(visit);
    this.#tracks = tracks;
    this.#places = new Map(tracks.map((track, place) => [track, place]));
  }

  /** The whole tree; null where it is empty. */
  get all(): TrackSpan | null {
    return this.spanOf(this.#tracks);
  }

  /** The shortest span that holds some tracks; null where none of them is in the tree. */
  spanOf(tracks: readonly number[]): TrackSpan | null {
    const places = tracks.flatMap((track) => this.#places.get(track) ?? []);
    if (places.length === 0) {
      return null;
    }
    const first = places.reduce((least, place) => Math.min(least, place));
    const last = places.reduce((most, place) => Math.max(most, place));
    return { firstTrack: this.#tracks[first]!, lastTrack: this.#tracks[last]! };
  }

  /** All tracks of a span; none where one of its ends is not in the tree. */
  tracksOf({ firstTrack, lastTrack }: TrackSpan): ReadonlySet<number> {
    const first = this.#places.get(firstTrack);
    const last = this.#places.get(lastTrack);
    return new Set(first === undefined || last === undefined ? [] : this.#tracks.slice(first, last + 1));
  }
}
