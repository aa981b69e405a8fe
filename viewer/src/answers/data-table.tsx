/** A table of an answer: sorted, filtered and scrolled, of which only the rows on the screen are in the page. */

import { useSignal } from "@preact/signals";
import type { ToolTable } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { GoIcon, SearchIcon } from "../components/icons";
import { widthsIn, withWidth } from "./column-widths";
import type { Links, RowActions, RowWay } from "./links";
import { isField, narrowText } from "./narrower";
import { RowCard } from "./row-card";
import { pageWays } from "./row-pages";
import { ROW_PX, scrollTo, slotsFor, windowAt } from "./row-window";
import { useKnownColumns, useShown } from "./table-choices";
import { moveInTable } from "./table-keys";
import { type TableChoices, TableModel } from "./table-model";
import { hoverText, rowId, TableHead, TableRow, TotalRow } from "./table-rows";
import { TableToolbar } from "./table-toolbar";
import { digitsPx, widthOf } from "./table-widths";
import { goToPlace, type Place } from "./timeline-places";
import { tsv } from "./tsv";

interface Props {
  readonly table: ToolTable;
  readonly links: Links;
  readonly choices: TableChoices;
  /** Content before the filter. */
  readonly head: ComponentChildren;
  readonly onMore: ((more: string) => void) | null;
  /** Null: a row does nothing but lead to where its columns say. */
  readonly rowActions?: RowActions | null;
  /** A row to have the focus; another object asks anew. */
  readonly wanted?: { readonly row: number } | null;
  /** The pointer is over a row, or keys have gone to it. */
  readonly onPointed?: (row: number) => void;
  /** Destination of rows whose columns do not say it. */
  readonly placeOf?: (row: number) => Place | null;
  /** True beside a chart: names leave room for figures. */
  readonly isNarrow?: boolean;
}

const INDENT_PX = 16;
/** Padding of the buttons that lead to the timeline, and width of each of them. */
const GO_PX = 12;
const BUTTON_PX = 24;
/** The least of the column of names beside a card. */
const NAMES_PX = 220;
/** The same beside a chart, and the most of other texts there. */
const NARROW_NAMES_PX = 184;
const NARROW_TEXT_PX = 140;
/** Left and right of a cell's text. */
const CELL_PADDING_PX = 24;
/** The least of a text where figures would be out of sight. */
const LEAST_TEXT_PX = 96;

export function DataTable({
  table,
  links,
  choices,
  head,
  onMore,
  rowActions = null,
  wanted = null,
  onPointed,
  placeOf,
  isNarrow = false,
}: Props) {
  const model = useMemo(() => new TableModel(table, links, choices), [table, links, choices]);
  useShown(choices);
  useKnownColumns(choices, table.columns);
  const scroller = useRef<HTMLDivElement>(null);
  const grid = useRef<HTMLTableElement>(null);
  const scrollPx = useSignal(0);
  /** Row under the pointer: its card is shown until the pointer leaves; that of a click stays. */
  const pointed = useSignal<number | null>(null);
  const viewportPx = useSignal(20 * ROW_PX);
  const roomPx = useSignal(Number.POSITIVE_INFINITY);
  const dragged = choices.widths;
  const lines = model.lines.value;
  const count = lines.rows.length;
  const isPrinted = usePrinting();
  const seen = isPrinted.value
    ? { first: 0, end: Math.min(count, PRINTED_ROWS), topPx: 0, heightPx: 0 }
    : windowAt(count, scrollPx.value, viewportPx.value);
  const shown = model.shown.value;
  const main = model.main.value;
  const depth = lines.depths?.reduce((most, level) => Math.max(most, level), 0) ?? 0;
  const natural = useMemo(
    () =>
      shown.map((column) =>
        widthOf(
          column,
          model.totals.peek(),
          column === main,
          model.tree === null ? 0 : (depth + 1) * INDENT_PX,
          model.hasBars(column),
          isNarrow ? NARROW_TEXT_PX : undefined,
        ),
      ),
    [shown, main, model, depth],
  );
  // Bars end where digits begin, in every cell of a column alike.
  const bars = useMemo(
    () =>
      Object.fromEntries(
        shown
          .filter((column) => model.hasBars(column))
          .map((column) => [`--digits-${column.id}`, `${digitsPx(column, model.totals.peek())}px`]),
      ),
    [shown, model],
  );
  const place = (row: number) => model.places.placeOf(row) ?? placeOf?.(row) ?? null;
  const byColumns = useMemo(
    (): readonly RowWay[] => [
      ...(model.places.areThere || placeOf !== undefined
        ? [
            {
              label: "Show in the timeline",
              icon: GoIcon,
              leads: (row: number) => place(row) !== null,
              go: (row: number) => goToPlace(links, place(row)),
            },
          ]
        : []),
      ...(links.beside?.(table) ?? []),
      ...narrowerWay(table, links),
      ...pageWays(table, links),
    ],
    [model],
  );
  const ways = rowActions === null || rowActions.ways.length === 0 ? byColumns : rowActions.ways;
  const leads = ways.length > 0;
  const goPx = leads ? GO_PX + BUTTON_PX * ways.length : 0;
  // Beside the whole of a row, names need less room; in a tree, they begin further to the right.
  const namesPx = (isNarrow ? NARROW_NAMES_PX : NAMES_PX) + depth * INDENT_PX;
  const spare = choices.hasCard.value || isNarrow ? Math.max(0, (natural[shown.indexOf(main!)] ?? 0) - namesPx) : 0;
  const columns = shown.map((column, k) => {
    const widthPx = natural[k]! - (column === main ? spare : 0);
    const leastPx = column.isNumeric ? widthPx : column === main ? Math.min(widthPx, namesPx) : LEAST_TEXT_PX;
    return { id: column.id, widthPx, leastPx };
  });
  const widths = widthsIn(columns, roomPx.value - goPx, dragged.value);
  const widthPx = widths.reduce((sum, width) => sum + width, goPx);
  // The column of names has what the others leave; figures would stand far from the edge at which one reads them.
  const isStretched = dragged.value.size === 0 && main?.isNumeric !== true;
  const mainPx = (widths[shown.indexOf(main!)] ?? 0) + (isStretched ? Math.max(0, roomPx.value - widthPx) : 0);
  const namePx = Math.floor(mainPx - CELL_PADDING_PX);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) {
      return;
    }
    const measure = () => {
      const rest = (grid.current?.tHead?.offsetHeight ?? 0) + (grid.current?.tFoot?.offsetHeight ?? 0);
      viewportPx.value = Math.max(ROW_PX, element.clientHeight - rest);
      roomPx.value = element.clientWidth;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [viewportPx]);

  const leadsBy = ({ leads }: RowWay, row: number) => leads === undefined || leads(row);
  const go = (row: number, way = 0) => {
    ways.filter((each) => leadsBy(each, row))[way]?.go(row);
  };
  const lit = rowActions === null ? -1 : lines.rows.findIndex((row) => rowActions.isLit(row));
  const focus = (line: number) => {
    model.current.value = line;
    if (lines.rows[line] !== undefined) {
      onPointed?.(lines.rows[line]!);
    }
    if (lit >= 0) {
      rowActions?.light(lines.rows[line] ?? null);
    }
    if (scroller.current !== null) {
      scroller.current.scrollTop = scrollTo(line, count, scroller.current.scrollTop, viewportPx.value);
    }
  };
  const current = Math.min(model.current.value, count - 1);
  const currentRow = lines.rows[current] ?? null;
  useEffect(() => {
    const line = wanted === null ? -1 : model.show(wanted.row);
    if (line >= 0) {
      focus(line);
    }
  }, [wanted]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== grid.current || event.altKey || event.metaKey || event.ctrlKey) {
      return;
    }
    if (rowActions !== null && pressAction(rowActions, event.key)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (rowActions !== null && /^\d$/.test(event.key)) {
      return; // beside the timeline digits choose its tools
    }
    const move = moveInTable(model, event.key, Math.max(1, Math.floor(viewportPx.value / ROW_PX) - 1), event.shiftKey);
    if (move === null) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    pointed.value = null; // keys go on where the pointer rests, too
    if (move.kind === "focus") {
      focus(move.line);
    } else if (move.kind === "toggle") {
      model.toggle(move.row);
    } else {
      go(move.row, move.way);
    }
  };
  /** Space has the events of a row stand out, or not any more; Escape has none stand out. */
  const pressAction = ({ light }: RowActions, key: string): boolean => {
    const row = lines.rows[current];
    if (key === " " && row !== undefined && model.tree === null) {
      light(lit === current ? null : row);
    } else if (key === "Escape" && lit >= 0) {
      light(null);
    } else {
      return false;
    }
    return true;
  };
  /** Exact figures are written when somebody points at a cell, not for all of them. */
  const onPointerOver = (event: PointerEvent) => {
    const cell = (event.target as Element).closest<HTMLTableCellElement>("td");
    const row = cell?.parentElement?.dataset.row;
    if (row !== undefined) {
      onPointed?.(Number(row));
    }
    const column = shown[(cell?.cellIndex ?? 0) - (leads ? 1 : 0)];
    pointed.value = row === undefined ? null : Number(row);
    if (cell !== null && row !== undefined && column !== undefined) {
      cell.title = hoverText(model, column, Number(row));
    }
  };
  const copy = (isRaw: boolean) =>
    tsv(
      shown.map(({ column }) => column),
      lines.rows,
      links.time,
      { depths: lines.depths, isRaw, trackPath: links.trackPath },
    );
  // Rows that leave the page at one end come in again at the other, as the same elements.
  const slots = Math.max(slotsFor(viewportPx.value), seen.end - seen.first);
  const rows = [];
  for (let line = seen.first; line < seen.end; line++) {
    const row = lines.rows[line]!;
    rows.push(
      <TableRow
        key={line % slots}
        model={model}
        columns={shown}
        main={main}
        namePx={namePx}
        row={row}
        line={line}
        depth={lines.depths?.[line] ?? 0}
        isCurrent={line === current}
        isOpen={model.tree?.hasChildren(row) ? model.isOpen(row) : null}
        isLit={line === lit}
        ways={ways}
        leading={ways.reduce((bits, way, place) => bits | (leadsBy(way, row) ? 1 << place : 0), 0)}
        onGo={go}
        onFocus={(line, isFirst) => {
          model.current.value = line;
          if (isFirst) {
            rowActions?.light(line === lit ? null : lines.rows[line]!);
          }
        }}
      />,
    );
  }
  const belowPx = Math.max(0, seen.heightPx - seen.topPx - (seen.end - seen.first) * ROW_PX);
  return (
    <section class="table-card" aria-label={table.title}>
      <TableToolbar model={model} hasCard={choices.hasCard} head={head} copy={copy} onMore={onMore} />
      <div class="table-body">
        <div
          class="table-scroll"
          ref={scroller}
          onScroll={(event) => {
            scrollPx.value = event.currentTarget.scrollTop;
          }}
        >
          {/* biome-ignore lint/a11y/useAriaPropsSupportedByRole: grids and tree grids support it. */}
          <table
            ref={grid}
            class="data-table"
            style={{ [isStretched ? "minWidth" : "width"]: `${widthPx}px`, ...bars }}
            role={model.tree === null ? "grid" : "treegrid"}
            tabIndex={0}
            aria-label={table.title}
            aria-rowcount={count + 1 + model.totals.value.length}
            aria-activedescendant={current >= seen.first && current < seen.end ? rowId(table.id, current) : undefined}
            onKeyDown={onKeyDown}
            onPointerOver={onPointerOver}
            onPointerLeave={() => {
              pointed.value = null;
            }}
          >
            <colgroup>
              {leads && <col style={{ width: `${goPx}px` }} />}
              {shown.map((column, k) => (
                <col key={column.id} style={column === main && isStretched ? {} : { width: `${widths[k]}px` }} />
              ))}
            </colgroup>
            <TableHead
              model={model}
              columns={shown}
              leads={leads}
              onWidth={(column, widthPx) => {
                // All keep the width that they have, the column of names too.
                const heads = [...(grid.current?.tHead?.rows[0]?.cells ?? [])].slice(leads ? 1 : 0);
                const now = new Map(shown.map(({ id }, k) => [id, heads[k]?.offsetWidth ?? widths[k]!]));
                dragged.value = withWidth(dragged.peek().size === 0 ? now : dragged.peek(), column.id, widthPx);
              }}
            />
            <tbody>
              <Spacer heightPx={seen.topPx} />
              {rows}
              <Spacer heightPx={belowPx} />
            </tbody>
            {model.totals.value.length > 0 && (
              <tfoot>
                {model.totals.value.map((total, k) => (
                  <TotalRow
                    key={total.label}
                    total={total}
                    columns={shown}
                    main={main}
                    leads={leads}
                    index={count + 2 + k}
                  />
                ))}
              </tfoot>
            )}
          </table>
          {count === 0 && <p class="table-empty">{model.size === 0 ? "No rows." : "No row matches the filter."}</p>}
        </div>
        {choices.hasCard.value && (
          <RowCard
            model={model}
            row={pointed.value !== null && pointed.value < model.size ? pointed.value : currentRow}
            links={links}
          />
        )}
      </div>
      {isPrinted.value && count > PRINTED_ROWS && <p class="dim">The first {PRINTED_ROWS} rows are printed.</p>}
    </section>
  );
}

/** The way to the question about a row's value alone, where its first column is a field of it. */
function narrowerWay({ columns }: ToolTable, { narrower = null }: Links): readonly RowWay[] {
  const [first] = columns;
  if (first === undefined || !isField(narrower, first)) {
    return [];
  }
  return [
    {
      label: `Only this ${first.title.toLowerCase()}`,
      icon: SearchIcon,
      leads: (row) => narrowText(narrower, first, row) !== null,
      go: (row) => narrower!.ask(first.id, narrowText(narrower, first, row)!),
    },
  ];
}

/** On paper there is nothing to scroll: so many rows are printed. */
const PRINTED_ROWS = 500;

function usePrinting() {
  const isPrinted = useSignal(false);
  useLayoutEffect(() => {
    const query = matchMedia("print");
    const change = () => {
      isPrinted.value = query.matches;
    };
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, [isPrinted]);
  return isPrinted;
}

function Spacer({ heightPx }: { heightPx: number }) {
  return heightPx > 0 ? (
    <tr class="table-spacer" aria-hidden="true">
      <td style={{ height: `${heightPx}px` }} />
    </tr>
  ) : null;
}
