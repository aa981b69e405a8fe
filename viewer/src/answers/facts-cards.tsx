/** Facts as cards: the figure with its unit, what it is, and all digits when one points at it. */

import { type Signal, signal } from "@preact/signals";
import type { TimeBase, ToolFact } from "@tilescope/client";
import { type FactFigure, factFigures } from "./fact-figures";
import { exactText, isRecorded } from "./figures";

interface Props {
  readonly facts: readonly ToolFact[];
  readonly time: TimeBase;
}

/** So many facts stand above a chart; the others are folded. */
const FIRST_FACTS = 6;

/** Tools whose facts are all shown: the answer for another range is shown in the same way. */
const openFacts = new Map<string, Signal<boolean>>();

function factsAreOpen(tool: string): Signal<boolean> {
  const isOpen = openFacts.get(tool) ?? signal(false);
  openFacts.set(tool, isOpen);
  return isOpen;
}

/** Facts of an answer that were recorded: the first on a line, all of them at a click. */
export function FactCards({ tool, facts, time }: Props & { readonly tool: string }) {
  const isOpen = factsAreOpen(tool);
  const recorded = facts.filter(({ value }) => isRecorded(value));
  const more = recorded.length - FIRST_FACTS;
  return recorded.length === 0 ? null : (
    <div class="folded-facts">
      <Cards facts={isOpen.value ? recorded : recorded.slice(0, FIRST_FACTS)} time={time} />
      {more > 0 && (
        <button
          type="button"
          class="button is-quiet folded-facts-more"
          aria-expanded={isOpen.value}
          onClick={() => {
            isOpen.value = !isOpen.value;
          }}
        >
          {isOpen.value ? "Fewer" : `${more} more`}
        </button>
      )}
    </div>
  );
}

function Cards({ facts, time }: Props) {
  const figures = factFigures(facts, time);
  return (
    <dl class="fact-cards" style={{ maxWidth: `${facts.length * WIDEST_PX}px` }}>
      {facts.map((fact, k) => (
        <FactCard key={fact.id} fact={fact} figure={figures[k]!} time={time} />
      ))}
    </dl>
  );
}

/** Facts of an answer that were not recorded: their labels on one line, below it why, for facts of one reason in one sentence. */
export function MissingFacts({ facts: all }: Pick<Props, "facts">) {
  const facts = all.filter(({ value }) => !isRecorded(value));
  if (facts.length === 0) {
    return null;
  }
  const reasons = new Map<string, string[]>();
  for (const { label, note } of facts) {
    const reason = note.replace(/^not recorded: /, "");
    reasons.set(reason, [...(reasons.get(reason) ?? []), label]);
  }
  return (
    <details class="missing-facts" open={facts.length === all.length}>
      <summary>Not recorded: {facts.map(({ label }) => label).join(", ")}</summary>
      <ul>
        {[...reasons].map(([reason, labels]) => (
          <li key={reason}>
            {labels.join(", ")}: {reason === "" ? "not recorded" : reason}.
          </li>
        ))}
      </ul>
    </details>
  );
}

/** A few cards share the line, but no card is a banner. */
const WIDEST_PX = 280;

/** Texts of more characters have a card of their own width. */
const LONG_TEXT = 28;
/** Texts of more are written smaller, on two lines. */
const SHORT_TEXT = 12;

/** Figures of more characters are written smaller, and those of still more on a card of twice the width: none is cut. */
const LONG_FIGURE = 9;
const WIDE_FIGURE = 13;

function classOf(isText: boolean, length: number): string {
  if (isText) {
    return length > SHORT_TEXT
      ? `fact-card is-text is-long${length > LONG_TEXT ? " is-wide" : ""}`
      : "fact-card is-text";
  }
  const isWide = length > WIDE_FIGURE ? " is-wide" : "";
  return length > LONG_FIGURE ? `fact-card is-small${isWide}` : "fact-card";
}

interface CardProps {
  readonly fact: ToolFact;
  readonly figure: FactFigure;
  readonly time: TimeBase;
}

function FactCard({ fact, figure, time }: CardProps) {
  const { label, note, kind, value } = fact;
  const { digits, unit } = figure;
  const exact = exactText({ kind, unit: "" }, value, time);
  const isText = kind === "text" || kind === "name";
  return (
    <div
      class={classOf(isText, isText ? digits.length : digits.length + unit.length)}
      title={[`${label}: ${exact}`, note].filter(Boolean).join("\n")}
    >
      <dt class="fact-label">{label}</dt>
      <dd class="fact-value">
        {digits}
        {unit !== "" && <span class="fact-unit">{unit}</span>}
      </dd>
      <dd class="fact-note">{note}</dd>
    </div>
  );
}
