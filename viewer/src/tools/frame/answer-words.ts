/** Answers in the words of a page: notes name its fields, not the parameters of a tool. Pure. */

import type { ToolAnswer, ToolNote } from "@tilescope/client";

/** The same answer, with `words` in place of each sentence: the headline, notes, and those of facts. */
export function answerInWords(answer: ToolAnswer, words: (message: string) => string): ToolAnswer {
  const facts = answer.facts.map((fact) => ({ ...fact, note: words(fact.note) }));
  const inWords = (note: ToolNote): ToolNote => ({ ...note, text: words(note.text) });
  const headline = answer.headline == null ? null : inWords(answer.headline);
  return { ...answer, headline, facts, notes: answer.notes.map(inWords) };
}
