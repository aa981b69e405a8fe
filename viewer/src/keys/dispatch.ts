/** From a keyboard event to what is bound to it. Pure: takes what it needs of the event, so that tests need no browser. */

import { type Binding, type Chord, KEY_TABLE, type KeyModifier } from "./table";

export interface KeyStroke {
  readonly code: string;
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey?: boolean;
}

/** Characters for which some layouts have Alt held: it is no modifier then. */
const BY_ALT = /^[[\]<>/]$/;

/** The character that a Latin keyboard has at the place of a key. */
function latinAt(code: string): string | undefined {
  const [, character] = /^(?:Key|Digit)(.)$/.exec(code) ?? [];
  const signs: Readonly<Record<string, string>> = {
    BracketLeft: "[",
    BracketRight: "]",
    Comma: ",",
    Period: ".",
    Slash: "/",
  };
  return character?.toLowerCase() ?? signs[code];
}

/**
 * The first of some bindings that a key stroke stands for: with shift, before all others one that asks for shift. What a key types goes
 * before its place, so that the letter on a key does what the help says of it; a key that types no Latin character counts by its place.
 * Other strokes with ctrl, alt or meta belong to the browser.
 */
export function bindingAmong<B extends { readonly keys: readonly Chord[] }>(
  bindings: readonly B[],
  stroke: KeyStroke,
): B | undefined {
  const modifier = BY_ALT.test(stroke.key) && stroke.altKey ? undefined : modifierOf(stroke);
  const key = stroke.key.length === 1 ? stroke.key.toLowerCase() : stroke.key;
  // Digits of a French keyboard need shift: without it they count by their place.
  const isForeign =
    key.length === 1 && (key > "~" || (/^Digit/.test(stroke.code) && !stroke.shiftKey)) && modifier !== "alt";
  const ways: readonly ((chord: Chord) => boolean)[] = [
    ({ by, value }) => by === "key" && value === key,
    ({ by, shown }) => by === "code" && shown.toLowerCase() === key,
    ({ by, value }) => by === "code" && value === stroke.code,
    ({ by, value }) => isForeign && by === "key" && value === latinAt(stroke.code),
  ];
  const find = (shift?: true): B | undefined => {
    for (const isMeant of ways) {
      const binding = bindings.find(({ keys }) =>
        keys.some((chord) => chord.modifier === modifier && chord.shift === shift && isMeant(chord)),
      );
      if (binding !== undefined) {
        return binding;
      }
    }
    return undefined;
  };
  return (stroke.shiftKey === true ? find(true) : undefined) ?? find();
}

/** On a Mac the command key is what ctrl is elsewhere. */
function modifierOf({ ctrlKey, metaKey, altKey }: KeyStroke): KeyModifier | "several" | undefined {
  const ctrl = ctrlKey || metaKey;
  return ctrl && altKey ? "several" : ctrl ? "ctrl" : altKey ? "alt" : undefined;
}

const EVERYWHERE = KEY_TABLE.filter((binding) => !binding.inSearch);
const IN_SEARCH = KEY_TABLE.filter((binding) => binding.inSearch);

/** The row of the table that a key stroke stands for. */
export function bindingOf(stroke: KeyStroke): Binding | undefined {
  return bindingAmong(EVERYWHERE, stroke);
}

/** The same while text is typed into the box of the search. */
export function bindingInSearch(stroke: KeyStroke): Binding | undefined {
  return bindingAmong(IN_SEARCH, stroke);
}

/** True if an element takes typed text, so that keys are not ours while it has the focus. */
export function takesText(
  element: { readonly tagName: string; readonly type?: string; readonly isContentEditable?: boolean } | null,
): boolean {
  if (element === null) {
    return false;
  }
  if (element.isContentEditable === true) {
    return true;
  }
  if (element.tagName === "TEXTAREA" || element.tagName === "SELECT") {
    return true;
  }
  return element.tagName === "INPUT" && !["checkbox", "radio", "button", "range"].includes(element.type ?? "text");
}
