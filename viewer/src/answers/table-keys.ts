/** Keys of a table that has the focus, as the ARIA practices for grids and tree grids have them. */

import type { TableModel } from "./table-model";

export type TableMove =
  | { readonly kind: "focus"; readonly line: number }
  | { readonly kind: "toggle"; readonly row: number }
  /** `way`: of those that the row leads, from 0. */
  | { readonly kind: "open"; readonly row: number; readonly way: number };

/** Effect of a key; null: the key is none of the table's. `page`: lines on the screen. */
export function moveInTable(model: TableModel, key: string, page: number, isShifted = false): TableMove | null {
  const { rows } = model.lines.value;
  const line = Math.min(model.current.value, rows.length - 1);
  const row = rows[line];
  if (row === undefined) {
    return null;
  }
  const focus = (to: number): TableMove => ({ kind: "focus", line: Math.max(0, Math.min(rows.length - 1, to)) });
  switch (key) {
    case "ArrowDown":
      return focus(line + 1);
    case "ArrowUp":
      return focus(line - 1);
    case "PageDown":
      return focus(line + page);
    case "PageUp":
      return focus(line - page);
    case "Home":
      return focus(0);
    case "End":
      return focus(rows.length - 1);
    case "Enter":
      return { kind: "open", row, way: isShifted ? 1 : 0 };
    case "1":
    case "2":
    case "3":
    case "4":
      return { kind: "open", row, way: Number(key) - 1 };
    default:
      return model.tree === null ? null : moveInTree(model, key, line, row, focus);
  }
}

function moveInTree(
  model: TableModel,
  key: string,
  line: number,
  row: number,
  focus: (line: number) => TableMove,
): TableMove | null {
  const tree = model.tree!;
  const isOpen = tree.hasChildren(row) && model.isOpen(row);
  switch (key) {
    case "ArrowRight":
      return isOpen ? focus(line + 1) : tree.hasChildren(row) ? { kind: "toggle", row } : null;
    case "ArrowLeft": {
      const parent = model.lines.value.rows.lastIndexOf(tree.parentOf(row), line);
      return isOpen ? { kind: "toggle", row } : parent < 0 ? null : focus(parent);
    }
    case " ":
      return tree.hasChildren(row) ? { kind: "toggle", row } : null;
    default:
      return null;
  }
}
