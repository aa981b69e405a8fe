/** Facts as cards: the figure with its unit, what it is, and all digits when one points at it. */

import type { TimeBase, ToolFact } from "@tilescope/client";
import { exactText, figureText, isRecorded } from "./figures";

interface Props {
  readonly facts: readonly ToolFact[];
  readonly time: TimeBase;
}

export function FactCards({ facts, time }: Props) {
  return (
    <dl class="fact-cards" style={{ maxWidth: `${facts.length * WIDEST_PX}px` }}>
      {facts.map((fact) => (
        <FactCard key={fact.id} fact={fact} time={time} />
      ))}
    </dl>
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

function FactCard({ fact, time }: { fact: ToolFact; time: TimeBase }) {
  const { label, note, kind, value } = fact;
  const { digits, unit } = figureText({ kind, unit: "" }, value, time);
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
