/** Below the curve of a plan: the operator that is pointed at, and between which operators the curve is drawn. */

import { useSignal } from "@preact/signals";
import type { TimeBase, ToolAnswer } from "@tilescope/client";
import { useLayoutEffect, useRef } from "preact/hooks";
import { exactText, figureText } from "../../answers/figures";
import type { MemoryViewerFields } from "./fields";

/** Time without a key or a move after which the curve is asked for. */
const SETTLED_MS = 300;

/** The end of the bar that is to have the focus when the next answer is there; -1: none. */
let refocused = -1;

interface Props {
  readonly answer: ToolAnswer;
  readonly plan: {
    readonly fields: MemoryViewerFields;
    readonly setFields: (fields: MemoryViewerFields) => void;
  };
  /** Row of the curve, which is a row of the table of operators; null: none was pointed at. */
  readonly lit: number | null;
  readonly time: TimeBase;
}

export function PlanBar({ answer, plan, lit, time }: Props) {
  const { fields, setFields } = plan;
  const fact = (id: string) => Number(answer.facts.find((candidate) => candidate.id === id)?.value ?? 1);
  const [first, last] = [fact("first_point"), fact("last_point")];
  const from = Math.max(first, fields.firstPoint ?? first);
  const to = Math.min(last, fields.lastPoint ?? last);
  const chosen = useSignal<readonly [number, number]>([from, to]);
  const timer = useRef(0);
  const inputs = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (refocused >= 0 && document.activeElement === document.body) {
      inputs.current?.querySelectorAll("input")[refocused]?.focus();
    }
    refocused = -1;
    return () => clearTimeout(timer.current);
  }, []);
  const show = (nextFrom: number, nextTo: number, end: number) => {
    chosen.value = [nextFrom, nextTo];
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      refocused = end;
      setFields({
        ...fields,
        firstPoint: nextFrom <= first ? null : nextFrom,
        lastPoint: nextTo >= last ? null : nextTo,
      });
    }, SETTLED_MS);
  };
  const [shownFrom, shownTo] = chosen.value;
  return (
    <div class="plan-bar" ref={inputs}>
      <p class="plan-operator" aria-live="polite">
        {operatorText(answer, lit, time)}
      </p>
      <label>
        From point
        <input
          type="range"
          min={first}
          max={last}
          value={shownFrom}
          aria-valuetext={`point ${shownFrom}`}
          onInput={(event) => show(Math.min(Number(event.currentTarget.value), shownTo), shownTo, 0)}
        />
        <output>{shownFrom}</output>
      </label>
      <label>
        to point
        <input
          type="range"
          min={first}
          max={last}
          value={shownTo}
          aria-valuetext={`point ${shownTo}`}
          onInput={(event) => show(shownFrom, Math.max(Number(event.currentTarget.value), shownFrom), 1)}
        />
        <output>{shownTo}</output>
      </label>
    </div>
  );
}

/** Number, name, bytes of its outputs, in use, and how much more than before. */
function operatorText(answer: ToolAnswer, row: number | null, time: TimeBase): string {
  const table = answer.tables.find(({ id }) => id === "operators");
  const column = (id: string) => table?.columns.find((candidate) => candidate.id === id);
  if (row === null || column("point")?.values[row] === undefined) {
    return "Point at the curve to see the operator; a click lists the tensors that live then.";
  }
  const text = (id: string) => {
    const { digits, unit } = figureText({ kind: "bytes", unit: "" }, column(id)?.values[row] ?? null, time);
    return `${digits} ${unit}`.trim();
  };
  const name = exactText(column("operator")!, column("operator")!.values[row] ?? null, time);
  const sign = String(column("change")?.values[row] ?? "").startsWith("-") ? "" : "+";
  return `${column("point")!.values[row]}: ${name} · its outputs ${text("size")} · in use ${text("used")} (${sign}${text("change")})`;
}
