/** A button that opens a list of choices. Arrow keys walk, Escape and a click elsewhere close. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { DownIcon } from "./icons";

export interface MenuProps {
  /** Subject of the menu, read to screen readers before the choice. */
  readonly label: string;
  readonly choice: string;
  readonly children: (close: () => void) => ComponentChildren;
  readonly onOpen?: () => void;
  /** Entries stand in columns, which need most of the window. */
  readonly isWide?: boolean;
  /** For a small button: text without a frame, behind an icon. */
  readonly icon?: ComponentChildren;
}

/** Arrow keys walk through the entries of a menu, and through the field beside them. */
export function walkMenu(menu: HTMLElement, event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) {
    return;
  }
  event.preventDefault();
  const items = [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"], .menu-shift :is(input, button)')];
  const index = items.indexOf(document.activeElement as HTMLElement);
  items[(index + step + items.length) % items.length]?.focus();
}

export function Menu({ label, choice, children, onOpen, isWide = false, icon }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  const close = () => {
    setOpen(false);
    button.current?.focus();
  };

  useEffect(() => {
    if (!isOpen) {
      return;
    }
    const box = anchor.current!;
    const focusFirst = (): boolean => {
      const first =
        box.querySelector<HTMLElement>('[role^="menuitem"][aria-checked="true"]') ??
        box.querySelector<HTMLElement>('[role^="menuitem"]');
      first?.focus();
      return first !== null;
    };
    // Entries may be on their way, with the code that draws them.
    const entries = new MutationObserver(() => focusFirst() && entries.disconnect());
    if (!focusFirst()) {
      entries.observe(box, { childList: true, subtree: true });
    }
    const onPress = (event: PointerEvent) => {
      if (!anchor.current?.contains(event.target as Node)) {
        setOpen(false);
      }
    };
    // An entry that had the focus may have gone, and the focus with it.
    const onEscape = (event: KeyboardEvent) => {
      if (event.key === "Escape" && document.activeElement === document.body) {
        event.stopPropagation();
        close();
      }
    };
    document.addEventListener("pointerdown", onPress);
    document.addEventListener("keydown", onEscape, true);
    return () => {
      entries.disconnect();
      document.removeEventListener("pointerdown", onPress);
      document.removeEventListener("keydown", onEscape, true);
    };
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) {
      return;
    }
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      close();
      return;
    }
    walkMenu(anchor.current!, event);
  };

  // "Tools: Steps" says it itself; a run of the name "Runway" does not.
  const isNamed = choice === label || choice.startsWith(`${label}: `);
  return (
    <div class={isWide ? "menu-anchor is-wide" : "menu-anchor"} ref={anchor}>
      <button
        ref={button}
        type="button"
        class={icon === undefined ? "button is-outlined menu-button" : "tree-chip menu-button"}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        title={isNamed ? choice : `${label}: ${choice}`}
        onKeyDown={onKeyDown}
        onClick={() => {
          if (!isOpen) {
            onOpen?.();
          }
          setOpen(!isOpen);
        }}
      >
        {icon}
        {!isNamed && <span class="visually-hidden">{label}: </span>}
        <span>{choice}</span>
        <DownIcon />
      </button>
      {isOpen && (
        <div class="menu" role="menu" tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
          {children(close)}
        </div>
      )}
    </div>
  );
}
