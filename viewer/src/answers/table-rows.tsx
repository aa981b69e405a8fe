/** Header, rows and totals of a table. */

import { Component, type ComponentChildren } from "preact";
import { ChevronIcon } from "../components/icons";
import { percentDigits } from "../components/percent";
import { ColumnEdge } from "./column-edge";
import type { ShownColumn } from "./columns";
import { cutName } from "./cut-name";
import type { Figure } from "./figures";
import type { RowWay } from "./links";
import type { TableModel, TotalLine } from "./table-model";

const INDENT_PX = 16;

/** Bars of less would be a line at the side of the cell, which is not told from a border. */
const LEAST_SHARE = 0.015;

interface HeadProps {
  readonly model: TableModel;
  readonly columns: readonly ShownColumn[];
  readonly leads: boolean;
  /** Another width of a column, or its own again. */
  readonly onWidth: (column: ShownColumn, widthPx: number | null) => void;
}

/** Step of a column's width by keys. */
const STEP_PX = 24;

export function TableHead({ model, columns, leads, onWidth }: HeadProps) {
  const { sort } = model;
  return (
    <thead>
      <tr aria-rowindex={1}>
        {leads && (
          <th scope="col" class="is-go">
            <span class="visually-hidden">Timeline</span>
          </th>
        )}
        {columns.map((column) => {
          const isSorted = sort?.column === column.id;
          const { unit } = column.scale;
          return (
            <th
              key={column.id}
              scope="col"
              class={column.isNumeric ? "is-number" : ""}
              aria-sort={isSorted ? (sort.isDescending ? "descending" : "ascending") : "none"}
            >
              <button
                type="button"
                class="sort"
                title={`Sort by ${column.title} (shift+← and shift+→: narrower, wider)`}
                onClick={() => model.sortBy(column)}
                onKeyDown={(event) => {
                  if (event.shiftKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
                    event.preventDefault();
                    const widthPx = event.currentTarget.parentElement?.offsetWidth ?? 0;
                    onWidth(column, widthPx + (event.key === "ArrowLeft" ? -STEP_PX : STEP_PX));
                  }
                }}
              >
                <span class="sort-title">{column.title}</span>
                {unit !== "" && <span class="sort-unit">{unit}</span>}
                <span class="sort-arrow" aria-hidden="true">
                  {isSorted ? (sort.isDescending ? "↓" : "↑") : ""}
                </span>
              </button>
              <ColumnEdge onWidth={(widthPx) => onWidth(column, widthPx)} />
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Keys of the first ways; the digit of each leads it as well. */
const WAY_KEYS = ["Enter", "shift+Enter"];

interface RowProps {
  readonly model: TableModel;
  readonly columns: readonly ShownColumn[];
  readonly main: ShownColumn | undefined;
  /** Room for names. */
  readonly namePx: number;
  readonly row: number;
  readonly line: number;
  readonly depth: number;
  readonly isCurrent: boolean;
  /** null: there is nothing to open. */
  readonly isOpen: boolean | null;
  /** Its events are highlighted in the timeline. */
  readonly isLit: boolean;
  readonly ways: readonly RowWay[];
  /** A bit for each of the ways that the row leads. */
  readonly leading: number;
  readonly onGo: (row: number, way: number) => void;
  /** `isFirst`: by the first click, not the second of a double click. */
  readonly onFocus: (line: number, isFirst: boolean) => void;
}

function rowOf(props: RowProps) {
  const { model, columns, main, namePx, row, line, depth, isCurrent, isOpen, isLit, ways, leading, onGo, onFocus } =
    props;
  const isTree = model.tree !== null;
  const rowWays = ways.filter((_, place) => (leading >> place) & 1);
  return (
    <tr
      id={rowId(model.table.id, line)}
      data-row={row}
      class={`${isCurrent ? "is-current" : ""}${isLit ? " is-lit" : ""}`}
      aria-rowindex={line + 2}
      aria-selected={isCurrent}
      aria-level={isTree ? depth + 1 : undefined}
      aria-expanded={isOpen ?? undefined}
      onClick={(event) => onFocus(line, event.detail <= 1)}
      onDblClick={() => onGo(row, 0)}
    >
      {ways.length > 0 && (
        <td class="is-go">
          {rowWays.map(({ label, icon: WayIcon }, way) => (
            <button
              key={label}
              type="button"
              class="go"
              tabIndex={-1}
              aria-label={label}
              title={`${label} (${WAY_KEYS[way] ?? way + 1})`}
              onClick={(event) => {
                event.stopPropagation();
                onGo(row, way);
              }}
              onDblClick={(event) => event.stopPropagation()}
            >
              <WayIcon />
            </button>
          ))}
        </td>
      )}
      {columns.map((column) => {
        const value = column.value(row);
        return (
          <Cell
            key={column.id}
            column={column}
            value={value}
            share={shareOf(model, column, row)}
            ifEmpty={column === main ? "(none)" : ""}
            roomPx={column === main ? namePx : null}
            indentPx={isTree && column === main ? depth * INDENT_PX + 18 : 0}
          >
            {!isTree || column !== main ? undefined : (
              <span class="tree-indent" style={{ width: `${depth * INDENT_PX + 18}px` }}>
                {isOpen !== null && (
                  <button
                    type="button"
                    class="tree-toggle"
                    tabIndex={-1}
                    aria-label={isOpen ? "Close" : "Open"}
                    onClick={() => model.toggle(row)}
                  >
                    <ChevronIcon isOpen={isOpen} />
                  </button>
                )}
              </span>
            )}
          </Cell>
        );
      })}
    </tr>
  );
}

function shareOf(model: TableModel, column: ShownColumn, row: number): number | null {
  return column.isNumeric ? model.share(column, column.approximate[row]!) : null;
}

export function rowId(table: string, line: number): string {
  return `row-${table}-${line}`;
}

/** Properties that the look of a row depends on. */
const SEEN = [
  ...(["model", "columns", "main", "namePx", "row", "line", "depth"] as const),
  ...(["isCurrent", "isOpen", "isLit", "ways", "leading"] as const),
];

/** A row, which is not drawn anew while it is scrolled. */
export class TableRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return SEEN.some((name) => this.props[name] !== next[name]);
  }

  override render() {
    return rowOf(this.props);
  }
}

interface CellProps {
  readonly column: ShownColumn;
  readonly value: Figure;
  readonly share?: number | null;
  /** In the place of an empty text: a row that nothing names looks as if it were the sum of others. */
  readonly ifEmpty?: string;
  /** Room before its text. */
  readonly indentPx?: number;
  /** Room for its text; null: it is cut at its end. */
  readonly roomPx?: number | null;
  readonly children?: ComponentChildren;
}

function Cell({ column, value, share = null, ifEmpty = "", indentPx = 0, roomPx = null, children }: CellProps) {
  const whole = column.text(value) || ifEmpty;
  const text = roomPx === null || column.column.kind !== "name" ? whole : cutName(whole, roomPx - indentPx);
  const hasShare = share !== null && (share >= LEAST_SHARE || column.isUse);
  return (
    <td
      class={cellClass(column, value, hasShare)}
      style={{ ...(hasShare ? barStyle(column, share) : {}), ...(indentPx > 0 ? { "--indent": `${indentPx}px` } : {}) }}
    >
      {children}
      {children === undefined ? text : <span class="tree-text">{text}</span>}
    </td>
  );
}

/** As long as the share; of a use also from red to green, and never so short that its colour is not seen. */
function barStyle(column: ShownColumn, share: number): Record<string, string> {
  const length = `calc(${share.toFixed(4)} * (100% - var(--digits-${column.id}, 0px)))`;
  return column.isUse
    ? { backgroundSize: `max(4px, ${length}) 20px`, "--use": share.toFixed(3) }
    : { backgroundSize: `${length} 20px` };
}

function cellClass(column: ShownColumn, value: Figure, hasShare: boolean): string {
  const side = column.isNumeric ? "is-number" : "is-text";
  return (
    side + (value === null ? " is-missing" : "") + (hasShare ? (column.isUse ? " has-share is-use" : " has-share") : "")
  );
}

/** All digits of a figure, and its part of the whole. */
export function hoverText(model: TableModel, column: ShownColumn, row: number): string {
  const exact = column.exact(column.value(row));
  const share = shareOf(model, column, row);
  if (share === null || column.column.kind === "fraction") {
    return exact;
  }
  const whole = column.column.total === "sum" ? "total" : "largest";
  return `${exact}\n${percentDigits(share, share >= 0.1 ? 1 : share >= 0.01 ? 2 : 3)} % of the ${whole}`;
}

interface TotalProps {
  readonly total: TotalLine;
  readonly columns: readonly ShownColumn[];
  readonly main: ShownColumn | undefined;
  readonly leads: boolean;
  readonly index: number;
}

export function TotalRow({ total, columns, main, leads, index }: TotalProps) {
  const label =
    main !== undefined && main.id in total.values ? columns.find((other) => !(other.id in total.values)) : main;
  return (
    <tr aria-rowindex={index} class={total.label === "Total" ? "is-total" : ""}>
      {leads && <td class="is-go" />}
      {columns.map((column) => {
        if (column === label) {
          return (
            <th key={column.id} scope="row">
              {total.label}
            </th>
          );
        }
        const value = total.values[column.id];
        return value === undefined ? <td key={column.id} /> : <Cell key={column.id} column={column} value={value} />;
      })}
    </tr>
  );
}
