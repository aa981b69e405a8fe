/** Names of tools within a sentence, so that they can be links. */

export interface Word {
  readonly text: string;
  /** The id of the tool that it names, else null. */
  readonly tool: string | null;
}

// Many ids are words of plain English, too ("overlap them", "gaps"): these count in brackets alone, as "(see gaps)".
const NAMED = /(?<=\((?:see )?)[a-z]+(?=[,)])|\b[a-z]+(?:_[a-z]+)+\b/g;

/** A sentence in pieces, in their order. */
export function toolWords(sentence: string, isTool: (id: string) => boolean): readonly Word[] {
  const words: Word[] = [];
  let end = 0;
  for (const { 0: id, index } of sentence.matchAll(NAMED)) {
    if (isTool(id)) {
      words.push({ text: sentence.slice(end, index), tool: null }, { text: id, tool: id });
      end = index + id.length;
    }
  }
  return [...words, { text: sentence.slice(end), tool: null }].filter(({ text }) => text !== "");
}
