/** Toolbar above a table: number of rows, the filter, the choice of columns, the copy. */

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { formatCount, plural } from "../components/format";
import { CheckIcon, CollapseIcon, DockRightIcon, ExpandIcon } from "../components/icons";
import { Menu } from "../components/menu";
import { CopyButton } from "./copy-button";
import type { TableModel } from "./table-model";

interface Props {
  readonly model: TableModel;
  /** True while all of a row is shown beside the table. */
  readonly hasCard: Signal<boolean>;
  readonly head: ComponentChildren;
  readonly copy: (isRaw: boolean) => string;
  readonly onMore: ((more: string) => void) | null;
}

export function TableToolbar({ model, hasCard, head, copy, onMore }: Props) {
  const { more } = model.table;
  const shown = model.shown.value;
  return (
    <div class="table-toolbar">
      {head}
      <input
        type="search"
        class="table-filter"
        placeholder="Filter rows"
        aria-label={`Filter rows of ${model.table.title}`}
        value={model.filter}
        onInput={(event) => {
          model.filter = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Escape" && model.filter !== "") {
            event.stopPropagation();
            model.filter = "";
          }
        }}
      />
      <span class="table-count" role="status">
        {rowsText(model)}
      </span>
      {more !== null && onMore !== null && (
        <button type="button" class="button is-outlined" onClick={() => onMore(more)}>
          Show the rows that follow
        </button>
      )}
      <span class="topbar-space" />
      {model.tree !== null && (
        <>
          <button type="button" class="button is-icon" title="Open all" onClick={() => model.openAll(true)}>
            <ExpandIcon />
            <span class="visually-hidden">Open all rows</span>
          </button>
          <button type="button" class="button is-icon" title="Close all" onClick={() => model.openAll(false)}>
            <CollapseIcon />
            <span class="visually-hidden">Close all rows</span>
          </button>
        </>
      )}
      <button
        type="button"
        class="button is-outlined"
        aria-pressed={hasCard.value}
        title="The whole row, with its texts in full"
        onClick={() => {
          hasCard.value = !hasCard.value;
        }}
      >
        <DockRightIcon />
        Row
      </button>
      <Menu label="Columns" choice={`${shown.length} of ${model.columns.length} columns`}>
        {() =>
          model.columns.map((column) => {
            const isShown = shown.includes(column);
            return (
              <button
                key={column.id}
                type="button"
                role="menuitemcheckbox"
                aria-checked={isShown}
                class="menu-item"
                onClick={() => model.turn(column)}
              >
                {isShown ? <CheckIcon /> : <span />}
                <span class="menu-name">{column.title}</span>
              </button>
            );
          })
        }
      </Menu>
      <CopyButton
        label="Copy as TSV"
        title="Copies the rows that are shown, in the units of their columns, with all digits"
        text={copy}
      />
    </div>
  );
}

function rowsText(model: TableModel): string {
  const all = plural(model.size, "row");
  const matching = model.matchCount.value;
  const more = model.table.more === null ? "" : ", and there are more";
  return (matching === model.size ? all : `${formatCount(matching)} of ${all}`) + more;
}
