/** Tracks and groups, and whatever else has a name, the best first: what the finder and the palette list. Pure. */

import { wordsOf } from "./arrangement";
import type { TreeNode } from "./tree";

/** An item that can be found by its name, and by the names of what is around it, from the outside in. */
export interface Findable {
  readonly name: string;
  readonly path: readonly string[];
  /** Sentence about it: searched for words, but not for letters, of which any sentence has all. */
  readonly help?: string;
}

export interface FoundNode extends Findable {
  readonly node: TreeNode;
}

/** Nodes that can be found: all tracks, and all groups that have some, in the order of the tree. */
export function findable(roots: readonly TreeNode[]): readonly FoundNode[] {
  const nodes: FoundNode[] = [];
  const visit = (node: TreeNode, path: readonly string[]): void => {
    const name = node.kind === "group" ? node.group.name : node.track.name;
    if (node.kind === "group" && node.trackCount === 0) {
      return;
    }
    nodes.push({ node, name, path });
    if (node.kind === "group") {
      const inner = [...path, name];
      for (const child of node.children) {
        visit(child, inner);
      }
    }
  };
  for (const node of roots) {
    visit(node, []);
  }
  return nodes;
}

/** Score of a word: at the beginning of the name, of a word in it, within it, or in a name around it. */
function fit(word: string, name: string, path: string): number | null {
  const position = name.indexOf(word);
  if (position === 0) {
    return 4;
  }
  if (position > 0) {
    return name.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word)) ? 3 : 2;
  }
  return path.includes(word) ? 1 : null;
}

/** True if all letters come in a text one after the other, whatever lies between them. */
function hasLetters(letters: string, text: string): boolean {
  let position = -1;
  for (const letter of letters) {
    position = text.indexOf(letter, position + 1);
    if (position < 0) {
      return false;
    }
  }
  return true;
}

/**
 * At most `limit` of them, the best first: those with all words in their names or the names around them, and behind these
 * the ones with all letters in their order. Without words, the first ones.
 */
export function searchNames<One extends Findable>(nodes: readonly One[], text: string, limit: number): readonly One[] {
  const words = wordsOf(text);
  if (words.length === 0) {
    return nodes.slice(0, limit);
  }
  const letters = words.join("");
  const scored: { readonly node: One; readonly score: number }[] = [];
  for (const node of nodes) {
    const name = node.name.toLowerCase();
    const path = node.path.join(" ").toLowerCase();
    const around = node.help === undefined ? path : `${path} ${node.help.toLowerCase()}`;
    const fits = words.map((word) => fit(word, name, around));
    // Where nothing of it is in the name itself, what is in the group is meant by its own name.
    if (!fits.includes(null) && fits.some((value) => value !== 1)) {
      scored.push({
        node,
        score: fits.reduce<number>((sum, value) => sum + (value ?? 0), 0) + 1 / (1 + name.length),
      });
    } else if (hasLetters(letters, `${path} ${name}`)) {
      scored.push({ node, score: 0 });
    }
  }
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ node }) => node);
}
