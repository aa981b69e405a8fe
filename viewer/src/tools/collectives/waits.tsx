/** Waits by rank and step: a heat map, the cell that one looks at, and the rank for which the others wait. */

import type { ToolTable } from "@tilescope/client";
import { useMemo, useState } from "preact/hooks";
import { scaleOf } from "../../answers/figures";
import type { RowOfTable } from "../../answers/links";
import { BarSelect } from "../../components/bar-select";
import type { PageProps } from "../contract";
import type { CollectivesFields } from "./fields";
import { HeatMap } from "./heat-map";
import { LinkCard } from "./link-card";
import type { Cell } from "./matrix";
import { timelineWay } from "./timeline-way";
import { stragglerOf, waitsMatrix } from "./waits-matrix";

interface Props extends Pick<PageProps<CollectivesFields>, "context" | "fields" | "setFields"> {
  readonly waits: ToolTable;
  /** Waits of ranks, in no step too: steps beyond the limit are not among `waits`. */
  readonly ranks: ToolTable | undefined;
  readonly onRow: (row: RowOfTable) => void;
}

const CLOCKS = [
  { value: "recorded", text: "clocks as recorded" },
  { value: "measured", text: "clocks less what they differ" },
] as const;

export function Waits({ waits, ranks, context, fields, setFields, onRow }: Props) {
  const matrix = useMemo(() => waitsMatrix(waits), [waits]);
  const straggler = useMemo(() => (ranks === undefined ? null : stragglerOf(ranks)), [ranks]);
  const [place, setPlace] = useState(() => mostOf(matrix.cells));
  const current = matrix.cells[place] === undefined ? 0 : place;
  const text = useMemo(() => {
    const ticks = matrix.cells.map(({ time }) => Number(time));
    const scale = scaleOf({ kind: "ticks", unit: "" }, ticks, context.time);
    return ({ time }: Cell) => `${scale.text(String(time))} ${scale.unit}`.trim();
  }, [matrix, context]);
  const title = ({ row, column }: Cell) => `${matrix.rows[row]}, step ${matrix.columns[column]}`;
  const cell = matrix.cells[current]!;
  const showRow = (chosen: number) => {
    setPlace(chosen);
    onRow({ table: "waits", row: matrix.cells[chosen]!.links[0]! });
  };
  return (
    <section class="link-matrix" aria-label="Waits by rank and step">
      <div class="link-matrix-head">
        <h2>Waits by rank and step</h2>
        <BarSelect
          label="Clocks of ranks"
          choices={CLOCKS}
          chosen={fields.clocks}
          onChoose={(clocks) => setFields({ ...fields, clocks })}
        />
        {straggler !== null && (
          <p class="link-legend">{straggler} waits far less than any other rank: the others wait for it</p>
        )}
      </div>
      <div class="link-matrix-body">
        <HeatMap
          title="Waits by rank and step"
          noun="waits"
          matrix={matrix}
          current={current}
          onCurrent={setPlace}
          onChoose={showRow}
          figureText={text}
          spokenText={(spoken) => `${title(spoken)}: ${text(spoken)}`}
        />
        <LinkCard
          label="Wait"
          way="Longest wait in the timeline"
          links={waits}
          cell={cell}
          title={title(cell)}
          time={context.time}
          onRow={() => showRow(current)}
          onTimeline={timelineWay(waits, cell, context)}
        />
      </div>
    </section>
  );
}

function mostOf(cells: readonly Cell[]): number {
  return cells.reduce((most, { time }, place) => (time > cells[most]!.time ? place : most), 0);
}
