/** Listens to the keyboard of the whole page, and says what begins and ends. */

import { bindingOf, takesText } from "./dispatch";
import type { HeldIntent, PressIntent } from "./table";

export interface KeyActions {
  /** True if the timeline is shown: without it, only the keys that all pages have are in the table. */
  hasTimeline(): boolean;
  /** Takes what is typed for a dialog that is on its way; true if there is one. */
  typeAhead(event: KeyboardEvent): boolean;
  /** Another field has been pressed: what is typed from now on is for that. */
  leaveTypeAhead(): void;
  /** A page's own keys go before those of the table; true if this was one of them. */
  pressOwn(event: KeyboardEvent): boolean;
  /** A key of a held binding went down (again, when it repeats) or came up. */
  hold(intent: HeldIntent, isFast: boolean): void;
  release(intent: HeldIntent): void;
  releaseAll(): void;
  /** True while a step from slice to slice is under way: a key that is held down goes on after it. */
  isStepping(): boolean;
  /** Any other key of the table was pressed. */
  press(intent: PressIntent): void;
}

export function listenToKeys(actions: KeyActions): void {
  // Before all others: what has the focus now is not what it is typed for.
  const typesAhead = (event: KeyboardEvent) => {
    if (!isDialogOpen() && actions.typeAhead(event)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
  addEventListener("keydown", typesAhead, true);
  addEventListener(
    "pointerdown",
    ({ target }) => target instanceof HTMLElement && takesText(target) && actions.leaveTypeAhead(),
    true,
  );
  addEventListener("keydown", (event) => {
    // What is pressed with ctrl types nothing; nor do F1 to F12.
    const isText = !(event.ctrlKey || event.metaKey || /^F\d/.test(event.key));
    if (event.defaultPrevented || (isText && isTyping())) {
      return;
    }
    // A dialog has keys of its own.
    if (isDialogOpen() && event.key !== "?") {
      return;
    }
    if (actions.pressOwn(event)) {
      event.preventDefault();
      return;
    }
    const binding = bindingOf(event);
    if (binding === undefined || !(binding.isShared || actions.hasTimeline())) {
      return;
    }
    if (binding.isOfControls && isControl(event.target)) {
      return;
    }
    event.preventDefault();
    // A switch that is held would flicker, and steps that wait would go on after their key has come up.
    const repeats = ["Move", "Select"].includes(binding.group) || binding.repeats === true;
    if (event.repeat && (!repeats || actions.isStepping())) {
      return;
    }
    if (binding.held) {
      actions.hold(binding.intent, event.shiftKey);
    } else {
      actions.press(binding.intent);
    }
  });
  addEventListener("keyup", ({ code, key }) => {
    // Not with its modifiers: one that went down in between must not keep a key held.
    const binding = bindingOf({ code, key, ctrlKey: false, metaKey: false, altKey: false });
    if (binding?.held) {
      actions.release(binding.intent);
    }
  });
  // What comes up while another window has the focus is never heard of.
  addEventListener("blur", () => actions.releaseAll());
}

function isDialogOpen(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

function isControl(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest("button, a, summary, [role^=menu], [role=separator], table") !== null
  );
}

function isTyping(): boolean {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && takesText(activeElement);
}
