/** What is typed for a dialog with a field whose code is still on its way: it is in the field when that is there. */

/** What a key stroke is, as far as text is concerned. */
export type TextStroke = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

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
export function typeAhead({ key, ctrlKey, metaKey, altKey }: TextStroke): boolean {
  // These type nothing: they are the browser's.
  if (giveUp === null || ctrlKey || metaKey || altKey || /^F\d+$/.test(key)) {
    return false;
  }
  if (key === "Escape") {
    giveUp();
    typed = NOTHING_TYPED;
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

/** What was typed; the next field begins without it. */
export function takeTypedAhead(): TypedAhead {
  const taken = typed;
  typed = NOTHING_TYPED;
  return taken;
}
