/** Answers in the words of a page: notes name its fields, not the parameters of a tool. Pure. */

import type { ToolAnswer } from "@tilescope/client";

/** The same answer, with `words` in place of each note, those of facts as well. */
export function answerInWords(answer: ToolAnswer, words: (message: string) => string): ToolAnswer {
  const facts = answer.facts.map((fact) => ({ ...fact, note: words(fact.note) }));
  return { ...answer, facts, notes: answer.notes.map((note) => ({ ...note, text: words(note.text) })) };
}
