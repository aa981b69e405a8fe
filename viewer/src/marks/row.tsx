/** A mark in the list. */

import { formatDuration } from "@tilescope/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { useApp } from "../components/app-context";
import { withKeys } from "../keys/table";
import { theme } from "../state/settings";
import { timeText } from "../state/time-format";
import { type Trace, trackPath } from "../state/trace";
import { colourOf, markColours } from "./colours";
import { TrashIcon } from "./icons";
import { durationOf, LONGEST_NAME, rangeOf, renamed, titleOf } from "./mark";
import type { MarkCollection, ShownMark } from "./mark-collection";
import { point } from "./shown";

interface RowProps {
  readonly mark: ShownMark;
  readonly shown: MarkCollection;
  readonly trace: Trace;
  readonly isCurrent: boolean;
}

const HOMES: Readonly<Record<ShownMark["home"], string>> = {
  server: "",
  address: "in the address",
  page: "in this page alone",
  moment: "until the next one",
};

/** The text, changed in place: Enter and leaving it keep it, Esc does not; shift+Enter is a line. */
function NameField({ mark, shown }: Pick<RowProps, "mark" | "shown">) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(mark.name);
  const [isEdited, setEdited] = useState(false);
  const value = isEdited ? text : mark.name;
  useEffect(() => {
    const element = field.current!;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [value]);
  const keep = () => {
    if (isEdited) {
      setEdited(false);
      shown.change(mark, { ...renamed(mark, text) });
    }
  };
  return (
    <textarea
      ref={field}
      class="mark-name"
      rows={1}
      maxLength={LONGEST_NAME}
      aria-label={`Name or note of the mark at ${titleOf(mark)}`}
      placeholder={mark.endTicks === null ? "Name this moment …" : "Name this span …"}
      spellcheck={false}
      value={value}
      onInput={(event) => {
        setText(event.currentTarget.value);
        setEdited(true);
      }}
      onBlur={keep}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape") {
          setEdited(false);
          event.currentTarget.blur();
        } else if (event.key === "Enter" && !event.shiftKey) {
          event.preventDefault();
          keep();
          event.currentTarget.blur();
        }
      }}
    />
  );
}

function ColourChoice({ mark, shown }: Pick<RowProps, "mark" | "shown">) {
  const box = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const colours = markColours(theme.value);
  useEffect(() => {
    if (!isOpen) {
      return;
    }
    box.current?.querySelector<HTMLElement>("[aria-checked=true]")?.focus();
    const onPress = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) {
        setOpen(false);
      }
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    box.current?.querySelector<HTMLElement>(".mark-swatch")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8 };
    const step = steps[event.key];
    if (isOpen && (step !== undefined || event.key === "Escape")) {
      event.preventDefault();
      event.stopPropagation();
      if (step === undefined) {
        close();
        return;
      }
      const items = [...box.current!.querySelectorAll<HTMLElement>("[role=menuitemradio]")];
      const index = items.indexOf(document.activeElement as HTMLElement);
      items[(index + step + items.length) % items.length]?.focus();
    }
  };
  return (
    <div class="mark-colour" ref={box}>
      <button
        type="button"
        class="mark-swatch"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={`Colour: ${colourOf(theme.value, mark.colour).name}`}
        title="Colour"
        onClick={() => setOpen(!isOpen)}
      >
        <i style={{ background: colourOf(theme.value, mark.colour).fill }} />
      </button>
      {isOpen && (
        <div class="mark-palette" role="menu" tabIndex={-1} aria-label="Colour" onKeyDown={onKeyDown}>
          {colours.map(({ fill, name }, colour) => (
            <button
              key={name}
              type="button"
              role="menuitemradio"
              aria-checked={colour === mark.colour}
              aria-label={name}
              title={name}
              tabIndex={-1}
              onClick={() => {
                shown.change(mark, { ...mark, colour });
                close();
              }}
            >
              <i style={{ background: fill }} />
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** The tracks that a mark is about; a press makes it about all of them. */
function Tracks({ mark, shown, trace }: Omit<RowProps, "isCurrent">) {
  const [first] = mark.tracks;
  if (first === undefined) {
    return <span class="mark-tracks">all tracks</span>;
  }
  const path = trackPath(trace, first);
  const others = mark.tracks.length - 1;
  const text = `${path.at(-1) ?? "a track that is gone"}${others > 0 ? ` and ${others} more` : ""}`;
  return (
    <span class="mark-tracks" title={path.join(" › ")}>
      on {text}
      <button
        type="button"
        class="link"
        title="Apply it to all tracks"
        onClick={() => shown.change(mark, { ...mark, tracks: [] })}
      >
        all tracks
      </button>
    </span>
  );
}

export function MarkRow({ mark, shown, trace, isCurrent }: RowProps) {
  const app = useApp();
  const { pane } = app;
  const { time } = trace.manifest;
  const duration = durationOf(mark);
  const home = HOMES[mark.home];
  return (
    <li
      class={isCurrent ? "mark is-current" : "mark"}
      aria-current={isCurrent}
      data-mark={mark.id}
      data-home={mark.home}
    >
      <ColourChoice mark={mark} shown={shown} />
      <NameField mark={mark} shown={shown} />
      <button
        type="button"
        class="link mark-time"
        title="Go there"
        onClick={() => point(app, trace, mark)}
        onDblClick={() => app.viewNavigator.zoomTo(rangeOf(mark))}
      >
        {timeText(pane, mark.startTicks, time)}
      </button>
      <span class="mark-span">{duration === 0n ? "" : formatDuration(duration, time.tickPs)}</span>
      <Tracks mark={mark} shown={shown} trace={trace} />
      <span class="mark-home">{home}</span>
      <button
        type="button"
        class="button is-icon is-quiet"
        aria-label={`Remove ${titleOf(mark)}`}
        title={isCurrent ? withKeys("Remove", "remove-mark") : "Remove"}
        onClick={() => shown.remove(mark)}
      >
        <TrashIcon />
      </button>
    </li>
  );
}
