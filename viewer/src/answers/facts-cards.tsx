/** Facts as cards: the figure with its unit, what it is, and all digits when one points at it. */

import type { Signal } from "@preact/signals";
import type { TimeBase, ToolFact } from "@tilescope/client";
import { type FactFigure, factFigures } from "./fact-figures";
import { exactText, isRecorded } from "./figures";

interface Props {
  readonly facts: readonly ToolFact[];
  readonly time: TimeBase;
}

export function FactCards({ facts, time }: Props) {
  const figures = factFigures(facts, time);
  return (
    <dl class="fact-cards" style={{ maxWidth: `${facts.length * WIDEST_PX}px` }}>
      {facts.map((fact, k) => (
        <FactCard key={fact.id} fact={fact} figure={figures[k]!} time={time} />
      ))}
    </dl>
  );
}

/** So many facts stand above a chart; the others are folded. */
const FIRST_FACTS = 6;

/** Facts above a chart: the first that were recorded on a line, and all of them at a click; where there is none, why. */
export function FoldedFacts({ facts, time, isOpen }: Props & { readonly isOpen: Signal<boolean> }) {
  const first = facts.filter(({ value }) => isRecorded(value)).slice(0, FIRST_FACTS);
  const others = facts.filter((fact) => !first.includes(fact));
  const missing = others.filter(({ value }) => !isRecorded(value)).length;
  if (others.length === 0) {
    return <FactCards facts={facts} time={time} />;
  }
  if (first.length === 0) {
    return <MissingFacts facts={facts} />;
  }
  return (
    <div class="folded-facts">
      <FactCards facts={isOpen.value ? facts : first} time={time} />
      <button
        type="button"
        class="button is-quiet folded-facts-more"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        {isOpen.value ? "Fewer" : `${others.length} more`}
        {missing > 0 && !isOpen.value && <span class="dim">{missing} not recorded</span>}
      </button>
    </div>
  );
}

/** Facts none of which was recorded: those of one reason in one sentence. */
function MissingFacts({ facts }: Pick<Props, "facts">) {
  const reasons = new Map<string, string[]>();
  for (const { label, note } of facts) {
    const reason = note.replace(/^not recorded: /, "");
    reasons.set(reason, [...(reasons.get(reason) ?? []), label]);
  }
  return (
    <ul class="missing-facts dim">
      {[...reasons].map(([reason, labels]) => (
        <li key={reason}>
          {labels.join(", ")}: not recorded{reason === "" ? "" : `: ${reason}`}.
        </li>
      ))}
    </ul>
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
  const isThere = isRecorded(value);
  const exact = isThere ? exactText({ kind, unit: "" }, value, time) : "not recorded";
  const isText = kind === "text" || kind === "name";
  return (
    <div
      class={classOf(isText, isText ? digits.length : digits.length + unit.length)}
      title={[`${label}: ${exact}`, note].filter(Boolean).join("\n")}
    >
      <dt class="fact-label">{label}</dt>
      <dd class={isThere ? "fact-value" : "fact-value is-missing"}>
        {digits}
        {unit !== "" && <span class="fact-unit">{unit}</span>}
        {!isThere && <span class="visually-hidden">not recorded</span>}
      </dd>
      <dd class="fact-note">
        {isThere ? note : `Not recorded${note === "" ? "" : `: ${note.replace(/^not recorded: /, "")}`}`}
      </dd>
    </div>
  );
}
