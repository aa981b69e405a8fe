/** Notes of an answer: how much each matters, one sentence, and a link to where it is seen. */

import { type Severity, type ToolAnswer, type ToolNote, ticks } from "@tilescope/client";
import { GoIcon } from "../components/icons";
import { exactText } from "./figures";
import type { Links } from "./links";
import { goToPlace, parseEvent } from "./timeline-places";
import { toolWords } from "./tool-words";

const ORDER: readonly Severity[] = ["error", "warning", "info"];
const WORDS: Readonly<Record<Severity, string>> = { error: "Error", warning: "Warning", info: "Note" };
const SIGNS: Readonly<Record<Severity, string>> = { error: "✕", warning: "!", info: "i" };

interface Props {
  readonly label: string;
  readonly notes: readonly ToolNote[];
  readonly links: Links;
}

/** The sentence that an answer begins with; nothing where it has none. */
export function Headline({ answer, links }: { readonly answer: ToolAnswer; readonly links: Links }) {
  return answer.headline == null ? null : (
    <ul class="notes-list is-headline" aria-label="The answer">
      <NoteItem note={answer.headline} links={links} />
    </ul>
  );
}

export function NotesList({ label, notes, links }: Props) {
  if (notes.length === 0) {
    return null;
  }
  const sorted = [...notes].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  return (
    <ul class="notes-list" aria-label={label}>
      {sorted.map((note) => (
        <NoteItem key={`${note.severity} ${note.text}`} note={note} links={links} />
      ))}
    </ul>
  );
}

function NoteItem({ note, links }: { note: ToolNote; links: Links }) {
  const { severity, text, startTicks, endTicks, track, event } = note;
  const span =
    startTicks === null
      ? null
      : { startTicks, endTicks: endTicks !== null && endTicks > startTicks ? endTicks : ticks(startTicks + 1n) };
  const where = [
    startTicks === null
      ? ""
      : exactText({ kind: "time", unit: "" }, startTicks.toString(), links.time).split(" · ")[0]!,
    track === null ? "" : links.trackPath(track).join(" › "),
  ].filter(Boolean);
  const go = () => {
    if (typeof event === "string") {
      goToPlace(links, { kind: "event", ...parseEvent(event), span });
    } else {
      links.goTo(span, track);
    }
  };
  return (
    <li class={`note-item is-${severity}`}>
      <span class="note-sign" aria-hidden="true">
        {SIGNS[severity]}
      </span>
      <span class="note-text">
        <span class="visually-hidden">{WORDS[severity]}: </span>
        {toolWords(text, (id) => links.toolPage?.(id) != null).map(({ text, tool }) => (
          <WordOf key={text} text={text} page={tool === null ? null : (links.toolPage?.(tool) ?? null)} />
        ))}
      </span>
      {where.length > 0 && (
        <button type="button" class="note-link" title={where.join("\n")} onClick={go}>
          Show in the timeline
          <GoIcon />
        </button>
      )}
    </li>
  );
}

function WordOf({ text, page }: { text: string; page: ReturnType<NonNullable<Links["toolPage"]>> }) {
  return page === null ? (
    text
  ) : (
    <button type="button" class="link" onClick={() => page.open()}>
      {page.title}
    </button>
  );
}
