/** Listens to the keyboard of the whole page, and says which intents begin and end. */

import { bindingOf, takesText } from "./dispatch";
import type { Intent } from "./table";

export interface KeyActions {
  /** A key of a held binding went down (again, when it repeats) or came up. */
  hold(intent: Intent, isFast: boolean): void;
  release(intent: Intent): void;
  releaseAll(): void;
  /** Any other key of the table was pressed. */
  press(intent: Intent): void;
}

export function listenToKeys(actions: KeyActions): void {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || takesText(document.activeElement as HTMLInputElement | null)) {
      return;
    }
    // A dialog has keys of its own.
    if (document.querySelector("dialog[open]") !== null && event.key !== "?") {
      return;
    }
    const binding = bindingOf(event);
    if (binding === undefined) {
      return;
    }
    event.preventDefault();
    // A switch that is held would flicker.
    if (event.repeat && binding.group === "Show") {
      return;
    }
    if (binding.held) {
      actions.hold(binding.intent, event.shiftKey);
    } else {
      actions.press(binding.intent);
    }
  });
  addEventListener("keyup", (event) => {
    // Not by `bindingOf`: a modifier that went down in between must not keep a key held.
    const binding = bindingOf({ ...plainStroke(event), ctrlKey: false, metaKey: false, altKey: false });
    if (binding?.held) {
      actions.release(binding.intent);
    }
  });
  // What comes up while another window has the focus is never heard of.
  addEventListener("blur", () => actions.releaseAll());
}

function plainStroke(event: KeyboardEvent): { readonly code: string; readonly key: string } {
  return { code: event.code, key: event.key };
}
