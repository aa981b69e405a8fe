/** All that a table knows of one row, beside it: columns that are not shown too, and texts to their end. */

import type { TimeBase } from "@tilescope/client";
import { GoIcon } from "../components/icons";
import type { ShownColumn } from "./columns";
import { CopyButton } from "./copy-button";
import { figureText, isRecorded } from "./figures";
import type { Links } from "./links";
import { isForPages, pageWays } from "./row-pages";
import type { TableModel } from "./table-model";
import { goToPlace, isQuery } from "./timeline-places";

interface Props {
  readonly model: TableModel;
  readonly row: number | null;
  readonly links: Links;
}

/** Longer texts have a paragraph of their own. */
const SHORT_TEXT = 24;

export function RowCard({ model, row, links }: Props) {
  const main = model.main.value;
  if (row === null || main === undefined) {
    return (
      <aside class="row-card" aria-label="The row">
        <p class="dim">No row.</p>
      </aside>
    );
  }
  const title = main.text(main.value(row));
  const columns = model.columns.filter(
    ({ column }) =>
      column.kind !== "id" && column !== main.column && !isQuery(column) && !isForPages(model.table, column),
  );
  const there = columns.filter((column) => isRecorded(column.value(row)) && column.value(row) !== "");
  const missing = columns.filter((column) => !there.includes(column));
  const isLong = (column: ShownColumn) => !column.isNumeric && column.exact(column.value(row)).length > SHORT_TEXT;
  const place = model.places.placeOf(row);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be scrolled by keys
    <aside class="row-card" tabIndex={0} aria-label={`The row ${title}`}>
      <h3>{title}</h3>
      {place !== null && (
        <button type="button" class="button is-outlined" onClick={() => goToPlace(links, place)}>
          Show in the timeline
          <GoIcon />
        </button>
      )}
      {pageWays(model.table, links)
        .filter(({ leads }) => leads?.(row))
        .map(({ label, go }) => (
          <button key={label} type="button" class="button is-outlined" onClick={() => go(row)}>
            {label}
            <GoIcon />
          </button>
        ))}
      <dl class="row-figures">
        {there
          .filter((column) => !isLong(column))
          .map((column) => (
            <Pair key={column.id} column={column} row={row} time={links.time} />
          ))}
      </dl>
      {there.filter(isLong).map((column) => (
        <section key={column.id} class="row-text">
          <h4>{column.title}</h4>
          <CopyButton label="Copy" title={`Copies ${column.title}`} text={() => column.exact(column.value(row))} />
          <p>{column.exact(column.value(row))}</p>
        </section>
      ))}
      {missing.length > 0 && !model.tree?.hasChildren(row) && (
        <p class="row-missing">Not recorded: {missing.map((column) => column.title).join(", ")}.</p>
      )}
    </aside>
  );
}

/** Room of a use's digits and its unit, right of its bar. */
const DIGITS_PX = 116;

interface PairProps {
  readonly column: ShownColumn;
  readonly row: number;
  readonly time: TimeBase;
}

function Pair({ column, row, time }: PairProps) {
  const value = column.value(row);
  const { digits, unit } = column.isNumeric
    ? figureText(column.column, value, time)
    : { digits: column.text(value), unit: "" };
  const use = column.isUse ? Math.min(1, Math.max(0, column.approximate[row]!)) : null;
  return (
    <>
      <dt>{column.title}</dt>
      <dd
        title={column.exact(value)}
        class={use === null ? "" : "has-share is-use"}
        style={
          use === null
            ? {}
            : {
                backgroundSize: `max(4px, calc(${use.toFixed(4)} * (100% - ${DIGITS_PX}px))) 16px`,
                "--use": use.toFixed(3),
              }
        }
      >
        {digits}
        {unit !== "" && <span class="fact-unit"> {unit}</span>}
      </dd>
    </>
  );
}
