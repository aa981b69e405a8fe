/** Numbers of tracks as a question names them. Pure. */

/** Characters that name tracks in a question, at most: as `MAX_TRACKS_TEXT` of the server. */
export const MOST_RANGES_TEXT = 2000;

/** `[1, 5, 6, 7]` → `"1,5-7"`. */
export function rangesText(ids: readonly number[]): string {
  return rangesOf(ids).join(",");
}

/** The same as several texts, each as short as one question takes. */
export function rangesTexts(ids: readonly number[], mostCharacters = MOST_RANGES_TEXT): readonly string[] {
  const texts: string[] = [];
  for (const range of rangesOf(ids)) {
    const longer = `${texts.at(-1)},${range}`;
    if (texts.length > 0 && longer.length <= mostCharacters) {
      texts[texts.length - 1] = longer;
    } else {
      texts.push(range);
    }
  }
  return texts;
}

function rangesOf(ids: readonly number[]): readonly string[] {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const id of [...ids].sort((a, b) => a - b)) {
    const before = ranges[ranges.length - 1];
    if (before !== undefined && before.last + 1 === id) {
      before.last = id;
    } else {
      ranges.push({ first: id, last: id });
    }
  }
  return ranges.map(({ first, last }) => (last > first ? `${first}-${last}` : `${first}`));
}
