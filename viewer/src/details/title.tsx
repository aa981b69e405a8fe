/** Title of the details: two lines of it, and the rest when asked for. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../components/app-context";
import { SearchIcon } from "../components/icons";
import { exactly, LONGEST_QUERY } from "../state/query-text";
import { CopyButton } from "./copy-button";

export function Title({ text }: { text: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const [isWhole, setWhole] = useState(false);
  const [isCut, setCut] = useState(false);
  const measure = () => {
    const { scrollHeight = 0, clientHeight = 0 } = heading.current ?? {};
    setCut(isWhole || scrollHeight > clientHeight + 1);
  };
  useLayoutEffect(measure, [text, isWhole]);
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(heading.current!);
    return () => observer.disconnect();
  }, [isWhole]);
  return (
    <div class="drawer-name">
      <h2
        ref={heading}
        tabIndex={isWhole ? 0 : undefined}
        class={isWhole ? "drawer-title is-whole" : "drawer-title"}
        title={isCut && !isWhole ? text : undefined}
      >
        {text}
      </h2>
      {isCut && (
        <button type="button" class="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Two lines" : "Whole name"}
        </button>
      )}
    </div>
  );
}

/** Copies a name, and finds all events that have it. */
export function NameButtons({ name }: { name: string }) {
  const app = useApp();
  const text = exactly(name);
  const isPossible = text.length <= LONGEST_QUERY;
  const label = "Find all with this name";
  return (
    <span class="name-buttons">
      <CopyButton what="Copy the name" text={() => name} />
      <button
        type="button"
        class="button is-icon"
        aria-label={label}
        title={isPossible ? label : "This name is too long to search for"}
        disabled={!isPossible}
        onClick={() => app.search(text)}
      >
        <SearchIcon />
      </button>
    </span>
  );
}
