/** Facts as cards: the figure with its unit, what it is, and all digits when one points at it. */

import type { TimeBase, ToolFact } from "@tilescope/client";
import { exactText, figureText, isRecorded } from "./figures";

interface Props {
  readonly facts: readonly ToolFact[];
  readonly time: TimeBase;
}

export function FactCards({ facts, time }: Props) {
  return (
    <dl class="fact-cards">
      {facts.map((fact) => (
        <FactCard key={fact.id} fact={fact} time={time} />
      ))}
    </dl>
  );
}

/** Texts of more characters have a card of their own width. */
const LONG_TEXT = 28;

function FactCard({ fact, time }: { fact: ToolFact; time: TimeBase }) {
  const { label, note, kind, value } = fact;
  const { digits, unit } = figureText({ kind, unit: "" }, value, time);
  const isThere = isRecorded(value);
  const exact = isThere ? exactText({ kind, unit: "" }, value, time) : "not recorded";
  const isText = kind === "text" || kind === "name";
  const isLong = isText && digits.length > LONG_TEXT;
  return (
    <div
      class={isText ? (isLong ? "fact-card is-text is-long" : "fact-card is-text") : "fact-card"}
      title={[`${label}: ${exact}`, note].filter(Boolean).join("\n")}
    >
      <dt class="fact-label">{label}</dt>
      <dd class={isThere ? "fact-value" : "fact-value is-missing"}>
        {digits}
        {unit !== "" && <span class="fact-unit">{unit}</span>}
        {!isThere && <span class="visually-hidden">not recorded</span>}
      </dd>
      <dd class="fact-note">{isThere ? note : `Not recorded${note === "" ? "" : `: ${note}`}`}</dd>
    </div>
  );
}
