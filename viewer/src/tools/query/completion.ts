/** Words that may stand at the caret of a statement: tables, their columns, functions. */

import type { SqlTable } from "@tilescope/client";

export interface Completion {
  readonly word: string;
  /** Its meaning, in a few words. */
  readonly doc: string;
}

/** A part of the statement, from the beginning of the word at the caret to the caret. */
export interface WordAtCaret {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The name before the dot in front of the word; null without one. */
  readonly owner: string | null;
}

const MOST = 8;

const FUNCTIONS: readonly Completion[] = [
  { word: "busy(", doc: "busy(name, start, end): ticks that slices of a name take in a span" },
  { word: "kernels", doc: "a view: slices of devices, with the path of their track" },
  { word: "link(", doc: "link(track, ordinal): the way to a slice" },
  { word: "ticks('", doc: "ticks('1.5ms'): a time in ticks" },
  { word: "within(", doc: "within(step): the slices of a step" },
];

const NAME = /([A-Za-z_][A-Za-z0-9_]*\.)?([A-Za-z_][A-Za-z0-9_]*)?$/;

/** The word that ends at the caret; null within a text of the statement, and where there is none. */
export function wordAt(statement: string, caret: number): WordAtCaret | null {
  const before = statement.slice(0, caret);
  if ((before.match(/'/g)?.length ?? 0) % 2 === 1) {
    return null;
  }
  const [, owner, text = ""] = NAME.exec(before) ?? [];
  if (owner === undefined && text === "") {
    return null;
  }
  return { start: caret - text.length, end: caret, text, owner: owner?.slice(0, -1) ?? null };
}

/** Words that begin as the word at the caret does: columns of its owner, or of the tables that the statement names, come first. */
export function completionsOf(
  word: WordAtCaret,
  statement: string,
  tables: readonly SqlTable[],
): readonly Completion[] {
  const named = tables.filter(({ name }) => new RegExp(`\\b${name}\\b`, "i").test(statement));
  const owners = word.owner === null ? named : ownersOf(word.owner, statement, tables);
  const columns = owners.flatMap((table) =>
    table.columns.map(({ name, doc }) => ({ word: name, doc: `${table.name}: ${doc}` })),
  );
  const others = word.owner === null ? [...tables.map(({ name, doc }) => ({ word: name, doc })), ...FUNCTIONS] : [];
  const begun = word.text.toLowerCase();
  const chosen = new Map<string, Completion>();
  for (const completion of [...columns, ...others]) {
    const isBegun = completion.word.toLowerCase().startsWith(begun) && completion.word !== word.text;
    if (isBegun && !chosen.has(completion.word)) {
      chosen.set(completion.word, completion);
    }
  }
  return [...chosen.values()].slice(0, MOST);
}

/** Tables that a name before a dot stands for: itself, or those of which it is the alias. */
function ownersOf(owner: string, statement: string, tables: readonly SqlTable[]): readonly SqlTable[] {
  const isAlias = ({ name }: SqlTable) => new RegExp(`\\b${name}\\s+(as\\s+)?${owner}\\b`, "i").test(statement);
  return tables.filter((table) => table.name === owner.toLowerCase() || isAlias(table));
}
