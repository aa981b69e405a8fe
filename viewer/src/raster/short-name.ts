/**
 * Short forms of names: without what they return, namespaces, template arguments and paths, as far as the names of the run stay
 * apart. A form has a head, and a tail that tells it from its like, which stays when the head is cut.
 */

import { functionOf } from "./function-name";

export interface ShortForm {
  readonly head: string;
  /** `copy` of `vectorized_elementwise_kernel…copy`, `.2711` of `fusion.2711`, all of `#12`; or nothing. */
  readonly tail: string;
}

/** Steps are told apart by their numbers alone: `ProfilerStep#12`, `Step 12`. */
const STEP = /^[\w. ]*step(?: ?#| )(\d+)$/i;
/** A number at the end tells namesakes apart: `fusion.12`. */
const NUMBER = /(?<=\D)[^\p{L}\p{N}\s]?\d{1,6}$/u;
const PROGRAM_HASH = /\(\d{6,}\)$/;
const PYTHON = /^(?:\$[^\s]+ |.*\.py\(\d+\): )(?=\S)/;
/** A whole instruction of HLO. */
const INSTRUCTION = /^(%?[\w.-]+) = /;
const BUILT_IN = /^<built-in (?:method|function) (\w+)/;
const WORD = /[A-Za-z_]\w*|\d+/g;
/** So many of the words of a name are compared. */
const MOST_WORDS = 200;
/** More names with one stem are their own forms. */
const MOST_LIKE = 1000;
/** Words that a form takes at most to tell a name from its like. */
const MOST_TAIL_WORDS = 3;

/** The name without all that it may go without, however many names of the run share that. */
export function stemOf(name: string): string {
  const own = (BUILT_IN.exec(name) ?? INSTRUCTION.exec(name))?.[1];
  if (own !== undefined) {
    return own;
  }
  const plain = name
    .replace(PROGRAM_HASH, "")
    .replace(PYTHON, "")
    .replace(/^.*: (?=[\w:<>~]+$)/, "");
  const step = STEP.exec(plain)?.[1];
  if (step !== undefined) {
    return `#${step}`;
  }
  const path = functionOf(plain.startsWith("(") ? plain : plain.replace(/^void (?=\w)/, ""));
  return path.split(/::|\/(?=[^/]+$)/).findLast((part) => part !== "") ?? name;
}

/** Names that share a stem, and their forms once they are asked for. */
interface Alike {
  readonly stem: string;
  readonly names: Set<string>;
  forms: ReadonlyMap<string, ShortForm> | null;
}

/** The short forms of a run's names, one for each. */
export class ShortNames {
  readonly #byStem = new Map<string, Alike>();
  readonly #byName = new Map<string, Alike>();

  /** More names of the run: those that they have to be told from get other forms. */
  add(names: Iterable<string>): void {
    for (const name of names) {
      if (this.#byName.has(name)) {
        continue;
      }
      const stem = stemOf(name);
      const alike = this.#byStem.get(stem) ?? { stem, names: new Set(), forms: null };
      this.#byStem.set(stem, alike);
      this.#byName.set(name, alike);
      alike.names.add(name);
      alike.forms = null;
    }
  }

  /** The form of a name; all of one that was not added, or has too many like it. */
  form(name: string): ShortForm {
    const alike = this.#byName.get(name);
    if (alike === undefined || alike.names.size > MOST_LIKE) {
      return { head: name, tail: "" };
    }
    alike.forms ??= formsOf(alike.stem, [...alike.names]);
    return alike.forms.get(name)!;
  }

  /** All of a name; of one that is longer than there is room for its form, where that tells it from its like. */
  inRoom(name: string, mostCharacters: number): ShortForm {
    const form = name.length > mostCharacters ? this.form(name) : null;
    return form === null || form.tail === "" ? { head: name, tail: "" } : form;
  }
}

/** Forms of the names that share a stem. */
function formsOf(stem: string, names: readonly string[]): ReadonlyMap<string, ShortForm> {
  if (names.length === 1) {
    return new Map([[names[0]!, formOfStem(stem)]]);
  }
  const words = new Map(names.map((name) => [name, new Set(name.match(WORD)?.slice(0, MOST_WORDS))]));
  const counts = new Map<string, number>();
  for (const word of [...words.values()].flatMap((own) => [...own])) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const forms = new Map<string, ShortForm>();
  const taken = new Set<string>();
  for (const name of names) {
    if (name === stem) {
      forms.set(name, formOfStem(stem));
      taken.add("");
    }
  }
  for (const name of names.filter((each) => each !== stem)) {
    const own = [...words.get(name)!].filter((word) => counts.get(word)! < names.length && !stem.includes(word));
    const rare = own.toSorted((a, b) => counts.get(a)! - counts.get(b)!);
    const tail = tails(rare, (word) => counts.get(word) === 1).find((text) => text !== "" && !taken.has(text));
    taken.add(tail ?? "");
    forms.set(name, tail === undefined ? { head: name, tail: "" } : { head: stem, tail: `…${tail}` });
  }
  return forms;
}

/**
 * Texts that may tell a name from its like, the best first: a word that no other has, the rarest word with such a number, that
 * number, then more and more words. `rare`: the rarest first.
 */
function tails(rare: readonly string[], isOwn: (word: string) => boolean): readonly string[] {
  const [words, numbers] = [false, true].map((isNumber) => rare.filter((word) => /^\d/.test(word) === isNumber));
  const number = numbers!.find(isOwn) ?? "";
  const more = Array.from({ length: MOST_TAIL_WORDS }, (_, k) => rare.slice(0, k + 1).join(" "));
  return [words!.find(isOwn) ?? "", number === "" ? "" : [words![0] ?? "", number].join(" ").trim(), number, ...more];
}

function formOfStem(stem: string): ShortForm {
  // A part of a number is another number: it is all there, or not at all.
  if (/^#\d+$/.test(stem)) {
    return { head: "", tail: stem };
  }
  const number = NUMBER.exec(stem)?.[0] ?? "";
  return { head: stem.slice(0, stem.length - number.length), tail: number };
}
