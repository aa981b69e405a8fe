/** Switch for the range of a page's figures: the whole run, the timeline's selection, or steps. On all pages, top left. */

import "../../answers/choices.css";
import { formatDuration } from "@tilescope/client";
import { useId } from "preact/hooks";
import { useApp } from "../../components/app-context";
import { type PageRange, page, type RangeKind } from "../../state/page";
import type { Trace } from "../../state/trace";
import type { Page } from "../contract";
import { hasSteps, stepsText, whyNoEffect } from "../range";

interface ChoiceProps {
  readonly group: string;
  readonly kind: RangeKind;
  readonly text: string;
  /** Reason why it cannot be chosen; empty if it can. */
  readonly reason: string;
  /** It changes nothing on this page. */
  readonly isIdle: boolean;
  readonly onChoose: () => void;
}

function Choice({ group, kind, text, reason, isIdle, onChoose }: ChoiceProps) {
  const isChosen = page.value.range.kind === kind;
  const looks = reason === "" ? "" : isChosen ? (isIdle ? " is-idle" : "") : " is-off";
  return (
    <label class={`range-choice${looks}`} title={reason}>
      <input
        type="radio"
        name={group}
        value={kind}
        checked={isChosen}
        disabled={reason !== "" && !isChosen}
        onChange={onChoose}
      />
      <span>{text}</span>
      {reason !== "" && <span class="visually-hidden">: {reason}</span>}
    </label>
  );
}

export function RangeSwitch({ trace, shown }: { trace: Trace; shown: Page | null }) {
  const app = useApp();
  const { pane } = app;
  const group = useId();
  const { range, texts } = page.value;
  const { manifest } = trace;
  const selected = pane.selectedRange.value;
  const { tickPs } = manifest.time;
  const selectionText =
    selected === null ? "Selection" : `Selection: ${formatDuration(selected.endTicks - selected.startTicks, tickPs)}`;
  const reasonFor = (kind: RangeKind) => (shown === null ? "" : whyNoEffect(shown, kind));
  const keptReason = reasonFor(range.kind);
  const all: PageRange = { kind: "steps", first: manifest.steps?.first ?? 0n, last: manifest.steps?.last ?? 0n };
  return (
    <fieldset class="range-switch">
      <legend class="visually-hidden">Figures are of</legend>
      <Choice
        group={group}
        kind="run"
        text="Whole run"
        reason=""
        isIdle={false}
        onChoose={() => app.pages.setRange({ kind: "run" })}
      />
      <Choice
        group={group}
        kind="selection"
        text={selectionText}
        reason={
          reasonFor("selection") ||
          (selected === null ? "nothing is selected in the timeline: drag over it to select a time range" : "")
        }
        isIdle={reasonFor("selection") !== ""}
        onChoose={() => app.pages.setRange({ kind: "selection" })}
      />
      <Choice
        group={group}
        kind="steps"
        text={keptReason !== "" && range.kind === "steps" ? stepsText(range).replace(/^s/, "S") : "Steps"}
        reason={reasonFor("steps") || (hasSteps(manifest, texts) ? "" : "this trace marks no steps")}
        isIdle={reasonFor("steps") !== ""}
        onChoose={() => app.pages.setRange(all)}
      />
      {range.kind === "steps" && keptReason === "" && <StepInputs key={`${range.first} ${range.last}`} range={range} />}
      {keptReason !== "" && (
        <span class="range-note" role="note">
          No effect here: {keptReason}. Kept for other pages.
        </span>
      )}
    </fieldset>
  );
}

/** First and last step; taken when one is done with a number. */
function StepInputs({ range }: { range: Extract<PageRange, { kind: "steps" }> }) {
  const app = useApp();
  const change = (part: "first" | "last", text: string) => {
    if (!/^\d{1,18}$/.test(text)) {
      return;
    }
    const next = { ...range, [part]: BigInt(text) };
    // The other end goes along where they would cross.
    if (next.last < next.first) {
      next[part === "first" ? "last" : "first"] = next[part];
    }
    app.pages.setRange(next);
  };
  const input = (part: "first" | "last", label: string) => (
    <input
      class="step-input"
      type="text"
      inputMode="numeric"
      pattern="\d{1,18}"
      aria-label={label}
      value={String(range[part])}
      onChange={(event) => change(part, event.currentTarget.value.trim())}
    />
  );
  return (
    <span class="range-steps">
      {input("first", "First step")}
      <span aria-hidden="true">–</span>
      {input("last", "Last step")}
    </span>
  );
}
