/** All of one link, and the ways from it. */

import type { TimeBase, ToolTable } from "@tilescope/client";
import { type Figure, figureText } from "../../answers/figures";
import { GoIcon, TableIcon } from "../../components/icons";
import type { Cell } from "./matrix";

interface Props {
  /** Name of the region, and what leads to the timeline. */
  readonly label?: string;
  readonly way?: string;
  readonly links: ToolTable;
  readonly cell: Cell;
  readonly title: string;
  readonly time: TimeBase;
  readonly onRow: () => void;
  /** Null: there are no events of it. */
  readonly onTimeline: (() => void) | null;
}

/** Columns that the heading, or a way, has. */
const ELSEWHERE: ReadonlySet<string> = new Set(["source", "destination", "event"]);

export function LinkCard({
  label = "Link",
  way = "Longest task in the timeline",
  links,
  cell,
  title,
  time,
  onRow,
  onTimeline,
}: Props) {
  return (
    <section class="link-card" aria-label={label}>
      <h3>{title}</h3>
      {cell.links.map((row) => (
        <dl key={row}>
          {links.columns.map((column) => {
            const value = (column.values[row] ?? null) as Figure;
            if (ELSEWHERE.has(column.id) || value === null) {
              return null;
            }
            const { digits, unit } = figureText(column, value, time);
            return (
              <div key={column.id}>
                <dt>{column.title}</dt>
                <dd>{`${digits} ${unit}`.trim()}</dd>
              </div>
            );
          })}
        </dl>
      ))}
      <div class="link-ways">
        {onTimeline !== null && (
          <button type="button" class="button is-outlined" onClick={onTimeline}>
            <GoIcon /> {way}
          </button>
        )}
        <button type="button" class="button is-outlined" onClick={onRow}>
          <TableIcon /> Its row
        </button>
      </div>
    </section>
  );
}
