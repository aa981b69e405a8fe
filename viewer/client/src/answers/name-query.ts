/**
 * The part of the language of searches (docs/search.md) that names and the track tree answer: texts in names, categories, tracks and
 * processes, contained or exact. Regular expressions, durations and arguments take a server.
 */

import { ApiError } from "../net/error";

/** Tells whether a text matches. */
export type TextTest = (text: string) => boolean;

export interface NameQuery {
  readonly names: readonly TextTest[];
  readonly categories: readonly TextTest[];
  readonly tracks: readonly TextTest[];
  readonly processes: readonly TextTest[];
}

const FIELDS = [
  ["cat:", "categories"],
  ["track:", "tracks"],
  ["process:", "processes"],
] as const;

/** The query of a text; null where it takes a server. Throws ApiError for one that cannot be read. */
export function parseNameQuery(text: string): NameQuery | null {
  const query: Record<keyof NameQuery, TextTest[]> = { names: [], categories: [], tracks: [], processes: [] };
  let position = skipSpaces(text, 0);
  if (position === text.length) {
    throw unreadable(0, "it is empty: say what the name is to contain");
  }
  while (position < text.length) {
    const rest = text.slice(position);
    if (rest.startsWith("arg:") || /^dur(>|<|=)/.test(rest)) {
      return null;
    }
    const [prefix, member] = FIELDS.find(([field]) => rest.startsWith(field)) ?? (["", "names"] as const);
    position += prefix.length;
    if (text[position] === "/") {
      return null;
    }
    const term = text[position] === '"' ? quoted(text, position) : word(text, position, prefix);
    query[member].push(term.test);
    position = skipSpaces(text, term.end);
  }
  return query;
}

interface Term {
  readonly test: TextTest;
  readonly end: number;
}

function word(text: string, begin: number, field: string): Term {
  const [characters = ""] = /^\S*/.exec(text.slice(begin)) ?? [];
  if (characters === "") {
    throw unreadable(begin, `${field}${field === "" ? "" : " "}a text is missing`);
  }
  const wanted = folded(characters);
  return { test: (other) => folded(other).includes(wanted), end: begin + characters.length };
}

function quoted(text: string, begin: number): Term {
  let wanted = "";
  let position = begin + 1;
  for (; position < text.length && text[position] !== '"'; position++) {
    if (text[position] === "\\") {
      position += 1;
      if (text[position] !== '"' && text[position] !== "\\") {
        throw unreadable(position - 1, 'in quotation marks, a backslash is written \\\\, and a mark \\"');
      }
    }
    wanted += text[position];
  }
  if (position >= text.length) {
    throw unreadable(begin, "this quotation mark is not closed");
  }
  return { test: (other) => other === wanted, end: position + 1 };
}

function skipSpaces(text: string, position: number): number {
  const [spaces = ""] = /^\s*/.exec(text.slice(position)) ?? [];
  return position + spaces.length;
}

function unreadable(position: number, what: string): ApiError {
  return new ApiError(422, "bad_request", `query, character ${position + 1}: ${what}`);
}

/** A text without upper and lower case, as Unicode folds them: `Straße` and `STRASSE` are one. */
export function folded(text: string): string {
  const isAscii = /^[\0-\x7f]*$/.test(text);
  // Character by character: the form of a letter must not depend on its neighbours.
  return isAscii ? text.toLowerCase() : Array.from(text, (letter) => letter.toUpperCase().toLowerCase()).join("");
}
