/** A dialog with a field and a list in which one thing is found by its name: a track, or something that can be done. */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { bindingOf } from "../keys/dispatch";
import type { PressIntent } from "../keys/table";
import { type Findable, searchNames } from "../state/track-search";
import { takeTypedAhead } from "../state/typed-ahead";
import "../styles/finder.css";

export interface PickerItem extends Findable {
  readonly key: string;
  /** Note beside it, on the right. */
  readonly note: string;
  /** Keys that do the same. */
  readonly keys?: readonly string[];
  /** Reason why it cannot be chosen now; null where it can. */
  readonly reason?: string | null;
}

interface PickerProps<Item extends PickerItem> {
  readonly label: string;
  readonly fieldLabel: string;
  readonly placeholder: string;
  readonly listLabel: string;
  /** Text for an empty result. */
  readonly nothing: string;
  /** Text below the list where it is not whole. */
  readonly lacking?: string | null;
  /** The key that has opened it closes it. */
  readonly intent: PressIntent;
  readonly items: readonly Item[];
  /** An item that the text itself names, which comes first; null: none. */
  readonly typed?: (text: string) => Item | null;
  readonly onChoose: (item: Item) => void;
  readonly onClose: () => void;
}

/** Nobody reads more: the next letter narrows it down. */
const MOST_LISTED = 100;

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

export function Picker<Item extends PickerItem>(props: PickerProps<Item>) {
  const { label, fieldLabel, placeholder, listLabel, nothing, lacking, intent, items, typed, onChoose, onClose } =
    props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const matchesOf = (typedText: string) => {
    const named = typed?.(typedText) ?? null;
    return [...(named === null ? [] : [named]), ...searchNames(items, typedText, MOST_LISTED)];
  };
  const matches = useMemo(() => matchesOf(text), [items, text]);

  const choose = (item: Item | undefined) => {
    if (item !== undefined && item.reason == null) {
      onClose();
      onChoose(item);
    }
  };
  // Before a key can come in between.
  useLayoutEffect(() => {
    dialog.current?.showModal();
    const { text: ahead, isEntered } = takeTypedAhead();
    setText(ahead);
    if (isEntered) {
      choose(matchesOf(ahead)[0]);
    }
  }, []);
  useEffect(() => {
    dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });

  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setIndex(Math.max(0, Math.min(matches.length - 1, index + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(matches[index]);
    } else if (bindingOf(event)?.intent === intent) {
      event.preventDefault();
      onClose();
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it for keys
    <dialog
      ref={dialog}
      class="finder"
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded={true}
        aria-controls="finder-list"
        aria-activedescendant={matches.length > 0 ? `finder-${index}` : undefined}
        aria-label={fieldLabel}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="finder-list" role="listbox" aria-label={listLabel} tabIndex={-1}>
        {matches.map((item, k) => (
          <PickerLine key={item.key} item={item} k={k} isChosen={k === index} choose={() => choose(item)} />
        ))}
      </div>
      {matches.length === 0 && <p class="finder-nothing">{nothing}</p>}
      {lacking && (
        <p class="finder-nothing" role="status">
          {lacking}
        </p>
      )}
    </dialog>
  );
}

function PickerLine(props: { item: PickerItem; k: number; isChosen: boolean; choose: () => void }) {
  const { item, k, isChosen, choose } = props;
  const { name, path, help, note, keys = [], reason = null } = item;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the same
    <div
      id={`finder-${k}`}
      class="finder-item"
      role="option"
      aria-selected={isChosen}
      aria-disabled={reason !== null}
      data-key={item.key}
      onClick={choose}
    >
      <span class="finder-name">{name === "" ? "[no name]" : name}</span>
      <span class="finder-path">{help ?? path.join(" › ")}</span>
      <span class="finder-note" title={reason ?? undefined}>
        {reason ?? note}
      </span>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </div>
  );
}
