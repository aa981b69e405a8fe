/** Text that is typed for a dialog whose code is still on its way: it is in the field when that is there. */

/** A key stroke, as far as text is concerned. */
export type TextStroke = Pick<
  KeyboardEvent,
  "key" | "ctrlKey" | "metaKey" | "altKey" | "isComposing" | "getModifierState"
>;

/** Strokes out of which the browser, or an input method, makes a character by itself. */
const UNFINISHED: readonly string[] = ["Dead", "Process", "Unidentified"];

export interface TypedAhead {
  readonly text: string;
  /** Enter was pressed, too: what is found first is chosen. */
  readonly isEntered: boolean;
}

const NOTHING_TYPED: TypedAhead = { text: "", isEntered: false };

let typed = NOTHING_TYPED;

/** Closes the dialog whose field is on its way; null: none is. */
let giveUp: (() => void) | null = null;

/** A field is on its way from now on, until what is returned is called: what was typed for it and not taken is forgotten then. */
export function expectField(close: () => void): () => void {
  giveUp = close;
  return () => {
    if (giveUp === close) {
      giveUp = null;
      typed = NOTHING_TYPED;
    }
  };
}

/** Takes a key stroke where a field is on its way; false: it is for somebody else. */
export function typeAhead(stroke: TextStroke): boolean {
  const { key } = stroke;
  // The others type nothing, or not yet: they are the browser's.
  if (giveUp === null || !typesText(stroke)) {
    return false;
  }
  if (key === "Escape") {
    leaveTypeAhead();
  } else if (typed.isEntered) {
    return true;
  } else if (key === "Enter") {
    typed = { ...typed, isEntered: true };
  } else if (key === "Backspace") {
    typed = { ...typed, text: typed.text.slice(0, -1) };
  } else if (key.length === 1) {
    typed = { ...typed, text: typed.text + key };
  }
  return true;
}

function typesText(stroke: TextStroke): boolean {
  const { key, ctrlKey, metaKey, altKey } = stroke;
  // AltGr types characters; on Windows it is Ctrl and Alt as well.
  const isShortcut = metaKey || ((ctrlKey || altKey) && !stroke.getModifierState("AltGraph"));
  return !(isShortcut || stroke.isComposing || UNFINISHED.includes(key) || /^F\d+$/.test(key));
}

/** Closes the dialog whose field is on its way, and forgets what was typed for it: a person wants to type elsewhere. */
export function leaveTypeAhead(): void {
  giveUp?.();
  typed = NOTHING_TYPED;
}

/** Takes the typed text; the next field begins without it. */
export function takeTypedAhead(): TypedAhead {
  const taken = typed;
  typed = NOTHING_TYPED;
  return taken;
}
