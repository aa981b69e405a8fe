/** Buffers as lines over the program's points, and a card about the one that somebody points at or has walked to. */

import { useSignal } from "@preact/signals";
import type { TimeBase, ToolColumn, ToolTable } from "@tilescope/client";
import { useMemo, useRef } from "preact/hooks";
import { seriesStyle } from "../../answers/chart-style";
import { exactText, type Figure, figureText } from "../../answers/figures";
import { theme } from "../../state/settings";
import { type Lifeline, lifelines } from "./lifelines";
import "./memory-viewer.css";

interface Props {
  readonly table: ToolTable;
  /** Number of points of the program, and the point of its peak; null: not known. */
  readonly points: number;
  readonly peak: number | null;
  readonly time: TimeBase;
}

/** Columns of the card, in this order. */
const CARD = ["size", "unpadded", "extra", "expansion", "purpose", "shape", "framework", "source"];

const HUES = 8;

export function LifelineChart({ table, points, peak, time }: Props) {
  const lines = useMemo(() => lifelines(table, points), [table, points]);
  const focused = useSignal(0);
  const holder = useRef<HTMLDivElement>(null);
  if (lines.length === 0) {
    return null;
  }
  const current = Math.min(focused.value, lines.length - 1);
  const go = (to: number) => {
    focused.value = Math.max(0, Math.min(lines.length - 1, to));
    holder.current?.querySelectorAll<HTMLElement>(".lifeline")[focused.value]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const to: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: lines.length - 1,
    };
    if (to[event.key] !== undefined) {
      go(to[event.key]!);
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return (
    <section class="lifelines" aria-label="When buffers are there">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys walk between the buttons in it. */}
      <div class="lifeline-plot" ref={holder} onKeyDown={onKeyDown}>
        {peak !== null && points > 0 && (
          <span class="lifeline-peak" style={{ left: `${(100 * peak) / points}%` }} aria-hidden="true" />
        )}
        {lines.map((line, k) => {
          const { fill, line: rim } = seriesStyle(k % HUES, HUES, theme.value, null);
          return (
            <span key={line.row} class="lifeline-row" style={{ height: `${line.thicknessPx + 2}px` }}>
              <button
                type="button"
                class="lifeline"
                tabIndex={k === current ? 0 : -1}
                aria-label={spokenText(table, line, time)}
                aria-current={k === current}
                style={{
                  left: `${100 * line.left}%`,
                  width: `max(4px, ${100 * line.width}%)`,
                  background: fill,
                  borderColor: rim,
                }}
                onMouseEnter={() => {
                  focused.value = k;
                }}
                onFocus={() => {
                  focused.value = k;
                }}
              />
            </span>
          );
        })}
      </div>
      <Card table={table} line={lines[current]!} hue={current % HUES} time={time} />
      <div class="lifeline-points" aria-hidden="true">
        <span>Point 0</span>
        {peak !== null && points > 0 && peak > points / 8 && peak < (7 * points) / 8 && (
          <span style={{ left: `${(100 * peak) / points}%` }}>Peak, {peak}</span>
        )}
        <span>{points}</span>
      </div>
    </section>
  );
}

function rounded(column: ToolColumn, value: Figure, time: TimeBase): string {
  const { digits, unit } = figureText(column, value, time);
  return `${digits} ${unit}`.trim();
}

function Card({ table, line, hue, time }: { table: ToolTable; line: Lifeline; hue: number; time: TimeBase }) {
  const facts = CARD.flatMap((id) => {
    const column = table.columns.find((candidate) => candidate.id === id);
    const value = column?.values[line.row] ?? null;
    return column === undefined || value === null
      ? []
      : [
          {
            title: column.title,
            text: column.kind === "number" ? rounded(column, value, time) : exactText(column, value, time),
          },
        ];
  });
  const { fill, line: rim } = seriesStyle(hue, HUES, theme.value, null);
  return (
    <div class="lifeline-card">
      <h3>
        <span class="lifeline-swatch" style={{ background: fill, borderColor: rim }} />
        {line.name}
      </h3>
      <dl>
        {facts.map(({ title, text }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd title={text}>{text}</dd>
          </div>
        ))}
        <div>
          <dt>There from</dt>
          <dd>
            point {line.first} to {line.last}
          </dd>
        </div>
      </dl>
    </div>
  );
}

function spokenText(table: ToolTable, line: Lifeline, time: TimeBase): string {
  const size = table.columns.find(({ id }) => id === "size")!;
  return `${line.name}, ${exactText(size, size.values[line.row]!, time)}, ${line.purpose}, point ${line.first} to ${line.last}`;
}
