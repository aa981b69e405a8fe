/** Numbers of tracks as a question names them. Pure. */

/** `[1, 5, 6, 7]` → `"1,5-7"`. */
export function rangesText(ids: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const id of [...ids].sort((a, b) => a - b)) {
    const before = ranges[ranges.length - 1];
    if (before !== undefined && before.last + 1 === id) {
      before.last = id;
    } else {
      ranges.push({ first: id, last: id });
    }
  }
  return ranges.map(({ first, last }) => (last > first ? `${first}-${last}` : `${first}`)).join(",");
}
