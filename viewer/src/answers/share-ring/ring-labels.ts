/** The words of a part of a ring: its name, its size and its share. */

import { plural } from "../../components/format";
import { percentDigits } from "../../components/percent";
import type { ShortForm } from "../../raster/short-name";
import type { ShownColumn } from "../columns";
import type { Figure } from "../figures";
import type { TableModel } from "../table-model";
import type { RowNames } from "../tree-picture/names";
import type { RingPart } from "./ring-parts";

export interface PartLabel {
  readonly name: string;
  /** The short form of a name; words have none. */
  readonly form: ShortForm | undefined;
  readonly size: string;
  readonly share: string;
}

/** `rest`: what the whole has beside the rows. */
export function partLabel(part: RingPart, column: ShownColumn, names: RowNames, rest: string): PartLabel {
  const name =
    part.kind === "row" ? names.text(part.row) : part.kind === "others" ? plural(part.rows, "smaller row") : rest;
  const value = part.kind === "row" ? column.value(part.row) : rounded(column, part.size);
  // A column of shares says it already.
  const size = column.column.kind === "fraction" ? "" : sizeText(column, value);
  const form = part.kind === "row" ? names.form(part.row) : undefined;
  return { name, form, size, share: `${percentDigits(part.share, part.share >= 0.1 ? 1 : 2)} %` };
}

/** The name of what a whole has beside the rows of a ring: all of a table may be there, and make up no whole. */
export function restLabel({ filter, table }: TableModel): string {
  if (filter !== "") {
    return "Not shown";
  }
  return table.rest === null ? "The rest" : "Not listed";
}

/** A value with the unit that the column has in its head. */
export function sizeText(column: ShownColumn, value: Figure): string {
  const { unit } = column.scale;
  return unit === "" ? column.text(value) : `${column.text(value)} ${unit}`;
}

/** Sums of doubles as the column has its values. */
function rounded({ column }: ShownColumn, size: number): number | string {
  return column.kind === "fraction" || column.kind === "number" ? size : String(BigInt(Math.round(size)));
}
