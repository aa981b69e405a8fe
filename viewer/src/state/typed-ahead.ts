/** What is typed for a dialog with a field whose code is still on its way: it is in the field when that is there. */

import { isFinderOpen, isPaletteOpen } from "./shell";

/** What a key stroke is, as far as text is concerned. */
export type TextStroke = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

export interface TypedAhead {
  readonly text: string;
  /** Enter was pressed, too: what is found first is chosen. */
  readonly isEntered: boolean;
}

const NOTHING_TYPED: TypedAhead = { text: "", isEntered: false };

let typed = NOTHING_TYPED;

/** Takes a key stroke where a field is on its way; false: it is for somebody else. */
export function typeAhead({ key, ctrlKey, metaKey, altKey }: TextStroke): boolean {
  const isFieldComing = isPaletteOpen.peek() || isFinderOpen.peek();
  // These type nothing: they are the browser's.
  if (!isFieldComing || ctrlKey || metaKey || altKey || /^F\d+$/.test(key)) {
    return false;
  }
  if (key === "Escape") {
    isPaletteOpen.value = false;
    isFinderOpen.value = false;
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
