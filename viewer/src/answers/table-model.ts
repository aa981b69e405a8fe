/** State of a table on the screen: its columns, order and filter, the open rows of a tree, the row that has the focus. */

import { computed, signal } from "@preact/signals";
import type { FigureKind, ToolColumn, ToolTable } from "@tilescope/client";
import { type Names, ShownColumn } from "./columns";
import type { Figure } from "./figures";
import { isForPages } from "./row-pages";
import { nextSort, type Sort, sortRows } from "./sorting";
import { isQuery, Places, parseSpan } from "./timeline-places";
import { combine } from "./totals";
import { type Lines, RowTree } from "./tree-rows";

/** Choices of a person; they outlive the answer, since the next one has the same columns. */
export class TableChoices {
  /** Tool and table; empty for choices that nobody keeps. */
  key = "";
  readonly sort;
  readonly filter = signal("");
  /** Columns that are shown although they are not at first, or the other way round. */
  readonly turned = signal<ReadonlySet<string>>(new Set());
  /** Widths in pixels that were dragged, by column. */
  readonly widths = signal<ReadonlyMap<string, number>>(new Map());
  /** True while a table of the figures stands in the place of their chart. */
  readonly hasTable = signal(false);
  /** True while all of the focused row is shown beside the table. */
  readonly hasCard = signal(false);
  /** True while the rows are drawn as a picture too: a tree of boxes, or a ring of shares. */
  readonly hasPicture = signal(false);
  /** True where a tree is closed at first, however small. */
  isClosed = false;
  /** Columns that are not shown at first. */
  readonly hidden: ReadonlySet<string>;

  /** `sort`: the order at first; null: that of the answer. */
  constructor(hidden: Iterable<string> = [], sort: Sort | null = null) {
    this.hidden = new Set(hidden);
    this.sort = signal(sort);
  }
}

/** A line below the rows. */
export interface TotalLine {
  readonly label: string;
  readonly values: Readonly<Record<string, Figure>>;
}

/** Trees of so few rows are open at first; of others only the roots' children are hidden. */
const FEW_ROWS = 60;

/** So many rows tell what a column is for. */
const TOLD_ROWS = 100;

const PROGRAMS: ReadonlySet<FigureKind> = new Set<FigureKind>(["id", "place", "event"]);

export class TableModel {
  readonly table: ToolTable;
  readonly tree: RowTree | null;
  readonly places: Places;
  /** All but the one that makes the tree. */
  readonly columns: readonly ShownColumn[];
  readonly size: number;
  /** The line that has the focus. */
  readonly current = signal(0);
  readonly #choices: TableChoices;
  readonly #open;
  readonly #texts = new Map<string, readonly string[]>();

  constructor(table: ToolTable, names: Names, choices: TableChoices) {
    this.table = table;
    this.#choices = choices;
    this.columns = table.columns
      .filter((column) => column.id !== table.parent)
      .map((column) => new ShownColumn(column, names));
    this.size = table.columns[0]?.values.length ?? 0;
    const parent = table.columns.find((column) => column.id === table.parent);
    this.tree = parent === undefined ? null : new RowTree(parent.values.map((value) => Number(value ?? -1)));
    this.places = new Places(table.columns);
    this.#open = signal<ReadonlySet<number>>(
      choices.isClosed ? new Set() : (this.tree?.openTo(this.size <= FEW_ROWS ? 0xffff : 0) ?? new Set()),
    );
  }

  get sort(): Sort | null {
    return this.#choices.sort.value;
  }

  get filter(): string {
    return this.#choices.filter.value;
  }

  set filter(text: string) {
    this.#choices.filter.value = text;
    this.current.value = 0;
  }

  /** The columns that are shown, in the answer's order; the first that names a row carries the tree. */
  readonly shown = computed<readonly ShownColumn[]>(() => {
    const turned = this.#choices.turned.value;
    return this.columns.filter((column) => this.#isShownAtFirst(column) !== turned.has(column.id));
  });

  readonly main = computed<ShownColumn | undefined>(() => {
    const shown = this.shown.value;
    return (
      shown.find(({ column }) => column.kind === "name") ??
      shown.find(({ column }) => column.kind === "text") ??
      shown.find((column) => !column.isNumeric) ??
      shown[0]
    );
  });

  /** The rows that match the filter, in the order of the answer; null: all. */
  readonly #matching = computed<Uint32Array | null>(() => {
    const words = this.#choices.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) {
      return null;
    }
    const texts = this.shown.value.filter((column) => !column.isNumeric).map((column) => this.#textsOf(column));
    const ancestors: number[] = [];
    for (let row = 0; row < this.size; row++) {
      if (words.every((word) => texts.some((text) => text[row]!.includes(word)))) {
        ancestors.push(row);
      }
    }
    return Uint32Array.from(ancestors);
  });

  readonly lines = computed<Lines>(() => {
    const matching = this.#matching.value;
    const sort = this.#choices.sort.value;
    const ranks = this.columns.find((column) => column.id === sort?.column)?.ranks;
    if (this.tree !== null) {
      const open = this.#open.value;
      const kept = matching === null ? null : this.tree.withAncestors(matching);
      return this.tree.lines(
        (row) => kept !== null || open.has(row),
        kept,
        (rows) => (ranks === undefined ? rows : sortRows(rows, ranks, sort!.isDescending)),
      );
    }
    const rows = matching ?? Uint32Array.from({ length: this.size }, (_, row) => row);
    return { rows: ranks === undefined ? rows : sortRows(rows, ranks, sort!.isDescending), depths: null };
  });

  /** Number of rows that match, those in closed branches included. */
  readonly matchCount = computed(() => this.#matching.value?.length ?? this.size);

  readonly totals = computed<readonly TotalLine[]>(() => {
    const { totals, rest } = this.table;
    const lines: TotalLine[] = [];
    const matching = this.#matching.value;
    if (matching !== null && totals !== null && this.tree === null) {
      const summed = this.table.columns.filter((column) => column.id in totals);
      lines.push({
        label: "Shown",
        values: Object.fromEntries(summed.map((column) => [column.id, combine(column, matching)])),
      });
    }
    if (rest !== null) {
      lines.push({ label: "Not listed", values: rest });
    }
    if (totals !== null) {
      lines.push({ label: "Total", values: totals });
    }
    return lines;
  });

  /** Share of a value in the whole, 0 to 1, where there is one: of a total, or a fraction as such. */
  share(column: ShownColumn, value: number): number | null {
    const { id, kind, total } = column.column;
    if (column.isUse) {
      return value >= 0 ? Math.min(1, value) : null;
    }
    if (kind === "time" || total === "min" || total === "none") {
      return null;
    }
    const whole = kind === "fraction" ? 1 : Number(this.table.totals?.[id] ?? Number.NaN);
    return value >= 0 && whole > 0 ? Math.min(1, value / whole) : null;
  }

  /** True if values of a column are shares of a whole: they are drawn as bars. */
  hasBars(column: ShownColumn): boolean {
    return column.isNumeric && this.share(column, 0) !== null;
  }

  isOpen(row: number): boolean {
    return this.#matching.value !== null || this.#open.value.has(row);
  }

  toggle(row: number): void {
    const open = new Set(this.#open.value);
    if (!open.delete(row)) {
      open.add(row);
    }
    this.#open.value = open;
  }

  /** The line of a row, after the filter and what is closed above it have been opened for it; -1: there is none. */
  show(row: number): number {
    if (!this.lines.peek().rows.includes(row)) {
      this.filter = "";
      const open = new Set(this.#open.peek());
      for (let ancestor = this.tree?.parentOf(row) ?? -1; ancestor >= 0; ancestor = this.tree!.parentOf(ancestor)) {
        open.add(ancestor);
      }
      this.#open.value = open;
    }
    return this.lines.peek().rows.indexOf(row);
  }

  openAll(isOpen: boolean): void {
    this.#open.value = isOpen ? (this.tree?.openTo(0xffff) ?? new Set()) : new Set();
    this.current.value = 0;
  }

  sortBy(column: ShownColumn): void {
    this.#choices.sort.value = nextSort(this.#choices.sort.value, column.id, column.isNumeric);
  }

  /** Shows a column or hides it; the last one stays. */
  turn(column: ShownColumn): void {
    const turned = new Set(this.#choices.turned.value);
    if (!turned.delete(column.id)) {
      turned.add(column.id);
    }
    const before = this.#choices.turned.value;
    this.#choices.turned.value = turned;
    if (this.shown.value.length === 0) {
      this.#choices.turned.value = before;
    }
  }

  /** A span says no more than the columns beside it of when it begins and how long it is. */
  #isSaidTwice(column: ToolColumn): boolean {
    const valuesOf = (id: string, kind: FigureKind) =>
      this.table.columns.find((other) => other.id === id && other.kind === kind)?.values;
    const [starts, lengths] = [valuesOf("start", "time"), valuesOf("duration", "ticks")];
    return (
      column.kind === "span" &&
      column.values.slice(0, TOLD_ROWS).every((value, row) => {
        if (typeof value !== "string") {
          return true;
        }
        const { startTicks, endTicks } = parseSpan(value);
        return String(starts?.[row]) === String(startTicks) && String(lengths?.[row]) === String(endTicks - startTicks);
      })
    );
  }

  /** True for what rows lead by: ids, events, searches, and what fills the questions that they open. */
  isForPrograms(column: ToolColumn): boolean {
    return PROGRAMS.has(column.kind) || isQuery(column) || isForPages(this.table, column);
  }

  /** Ids and events are for programs (a row leads to its event), and a column in which nothing stands says nothing. */
  #isShownAtFirst({ column }: ShownColumn): boolean {
    const others = this.columns.filter((other) => !this.isForPrograms(other.column));
    if (this.isForPrograms(column)) {
      return others.length === 0;
    }
    if (this.#choices.hidden.has(column.id) || this.#isSaidTwice(column)) {
      return false;
    }
    return (
      this.size === 0 || !isEmpty(column) || (others.every(namesNothing) && column === others.find(isNaming)?.column)
    );
  }

  #textsOf(column: ShownColumn): readonly string[] {
    let texts = this.#texts.get(column.id);
    if (texts === undefined) {
      texts = column.column.values.map((value) => column.text(value).toLowerCase());
      this.#texts.set(column.id, texts);
    }
    return texts;
  }
}

const isNaming = ({ column }: ShownColumn) => column.kind === "text" || column.kind === "name";

const isEmpty = (column: ToolColumn) =>
  (column.kind === "text" || column.kind === "name") && column.values.every((value) => value === "" || value === null);

/** True for a column that names no row. Where all are such, the first one that could is shown: its rows say that they have no name. */
const namesNothing = (shown: ShownColumn) => shown.isNumeric || isEmpty(shown.column);
