/** A list of all tracks and groups in which one is found by name: hidden and empty ones, too. Enter leads to it. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isFinderOpen } from "../state/shell";
import type { Trace } from "../state/trace";
import { type FoundNode, findable, searchNodes } from "../state/track-search";
import { arrangement } from "../state/tracks";
import { useApp } from "./app-context";
import { focusItem } from "./tree-focus";
import "../styles/finder.css";

/** Nobody reads more: the next letter narrows it down. */
const MOST_LISTED = 60;

function noteOf({ node }: FoundNode, hidden: ReadonlySet<string>): string {
  return hidden.has(node.key) ? "hidden" : node.isEmpty ? "empty" : node.kind === "group" ? "group" : "";
}

export function TrackFinder({ trace }: { trace: Trace }) {
  return isFinderOpen.value ? <OpenFinder trace={trace} /> : null;
}

function OpenFinder({ trace }: { trace: Trace }) {
  const app = useApp();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const nodes = useMemo(() => findable(trace.roots), [trace.roots]);
  const found = useMemo(() => searchNodes(nodes, text, MOST_LISTED), [nodes, text]);
  const hiddenNodes = arrangement.value.hidden;
  const hidden = useMemo(() => new Set(findable(hiddenNodes).map(({ node }) => node.key)), [hiddenNodes]);

  useEffect(() => {
    if (dialog.current?.open === false) {
      dialog.current.showModal();
    }
  }, []);
  useEffect(() => {
    dialog.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });

  const close = () => {
    isFinderOpen.value = false;
  };
  const goTo = (one: FoundNode | undefined) => {
    if (one !== undefined) {
      close();
      app.tracks.reveal(one.node.key);
      focusItem(one.node.key);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setIndex(Math.max(0, Math.min(found.length - 1, index + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      goTo(found[index]);
    } else if (event.ctrlKey && event.key === "p") {
      event.preventDefault();
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it for keys
    <dialog
      ref={dialog}
      class="finder"
      aria-label="Find a track"
      onClose={close}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <input
        type="text"
        role="combobox"
        aria-expanded={true}
        aria-controls="finder-list"
        aria-activedescendant={found.length > 0 ? `finder-${index}` : undefined}
        aria-label="Name of a track or group"
        placeholder="Find a track or group …"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="finder-list" role="listbox" aria-label="Tracks and groups" tabIndex={-1}>
        {found.map((one, k) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the same
          <div
            key={one.node.key}
            id={`finder-${k}`}
            class="finder-item"
            role="option"
            aria-selected={k === index}
            data-key={one.node.key}
            onClick={() => goTo(one)}
          >
            <span class="finder-name">{one.name === "" ? "[no name]" : one.name}</span>
            <span class="finder-path">{one.path.join(" › ")}</span>
            <span class="finder-note">{noteOf(one, hidden)}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="finder-nothing">No track or group has such a name.</p>}
    </dialog>
  );
}
