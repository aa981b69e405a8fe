/** The field of a statement: words that complete the one at the caret are listed below it. Mod+Enter runs it. */

import type { SqlTable } from "@tilescope/client";
import { useId, useRef, useState } from "preact/hooks";
import { type Completion, completionsOf, type WordAtCaret, wordAt } from "./completion";

interface Props {
  readonly sql: string;
  readonly tables: readonly SqlTable[];
  readonly onChange: (sql: string) => void;
  readonly onRun: () => void;
}

interface Offer {
  readonly word: WordAtCaret;
  readonly completions: readonly Completion[];
  readonly chosen: number;
}

export function Editor({ sql, tables, onChange, onRun }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const list = useId();
  const [offer, setOffer] = useState<Offer | null>(null);
  const look = (statement: string, caret: number) => {
    const word = wordAt(statement, caret);
    const completions = word === null ? [] : completionsOf(word, statement, tables);
    setOffer(word === null || completions.length === 0 ? null : { word, completions, chosen: 0 });
  };

  const take = ({ word, completions, chosen }: Offer) => {
    const { current } = field;
    setOffer(null);
    if (current !== null) {
      current.setRangeText(completions[chosen]!.word, word.start, word.end, "end"); // at once: the next key follows it
      current.focus();
      onChange(current.value);
    }
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      setOffer(null);
      onRun();
    } else if (offer === null) {
      return;
    } else if (event.key === "Escape") {
      setOffer(null);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const count = offer.completions.length;
      setOffer({ ...offer, chosen: (offer.chosen + (event.key === "ArrowDown" ? 1 : count - 1)) % count });
    } else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) {
      take(offer);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div class="query-editor">
      <textarea
        ref={field}
        class="query-sql"
        aria-label="SQL"
        aria-autocomplete="list"
        aria-controls={offer === null ? undefined : list}
        aria-activedescendant={offer === null ? undefined : `${list}-${offer.chosen}`}
        rows={Math.min(12, Math.max(4, sql.split("\n").length + 1))}
        spellcheck={false}
        autocapitalize="off"
        maxLength={4000}
        placeholder="select name, count(*), sum(duration) as duration from slices group by name order by duration desc limit 20"
        value={sql}
        onInput={({ currentTarget }) => {
          look(currentTarget.value, currentTarget.selectionStart);
          onChange(currentTarget.value);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOffer(null)}
      />
      {offer !== null && (
        <div class="query-offers" role="listbox" id={list} aria-label="Completions" tabIndex={-1}>
          {offer.completions.map(({ word, doc }, index) => (
            <div
              key={word}
              id={`${list}-${index}`}
              class="query-offer"
              role="option"
              tabIndex={-1}
              aria-selected={index === offer.chosen}
              onPointerDown={(event) => {
                event.preventDefault();
                take({ ...offer, chosen: index });
              }}
            >
              <code>{word}</code>
              <span>{doc}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
