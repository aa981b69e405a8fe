/** Merge of marks that two people have changed at the same time: nothing that anybody wrote is lost. Pure. */

import { isSame, type Mark, newId } from "./mark";

export interface Merged {
  readonly marks: readonly Mark[];
  /** Marks that both have changed, each in its own way: the other's stays, and one's own follows it as another mark. */
  readonly twice: readonly Mark[];
}

function byId(marks: readonly Mark[]): ReadonlyMap<string, Mark> {
  return new Map(marks.map((mark) => [mark.id, mark]));
}

/**
 * `base` is what both began with. What only one of them changed, added or removed is so; what one has removed and the other
 * changed stays, changed.
 */
export function mergeMarks(base: readonly Mark[], mine: readonly Mark[], theirs: readonly Mark[]): Merged {
  const [before, own] = [byId(base), byId(mine)];
  const marks: Mark[] = [];
  const twice: Mark[] = [];
  for (const their of theirs) {
    const old = before.get(their.id);
    const my = own.get(their.id);
    const isTheirs = !isSame(their, old);
    const isMine = !isSame(my, old);
    if (my === undefined) {
      // Removed here: it stays only where they have changed it.
      if (isTheirs) {
        marks.push(their);
      }
    } else if (isTheirs && isMine && !isSame(my, their)) {
      const copy = { ...my, id: newId() };
      marks.push(their, copy);
      twice.push(copy);
    } else {
      marks.push(isMine ? my : their);
    }
  }
  const theirsById = byId(theirs);
  for (const my of mine) {
    // Removed there: it stays only where it is new or changed here.
    if (!theirsById.has(my.id) && !isSame(my, before.get(my.id))) {
      marks.push(my);
    }
  }
  return { marks, twice };
}
