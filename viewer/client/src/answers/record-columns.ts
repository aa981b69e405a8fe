/** Columns of a record of an archive. */

import { Container } from "../pages/container";
import { FormatError } from "../pages/error";

/** The container of a record of some kind that belongs to a track or a block. Throws FormatError. */
export function recordColumns(content: Uint8Array, magic: `TS${string}`, owner: number): Container {
  const container = new Container(content);
  if (container.kind !== magic || container.block !== owner) {
    throw new FormatError(`a record is none of kind ${magic} of ${owner}`);
  }
  return container;
}

/** The range of places of a value in a column that ascends. */
export function placesOf(column: BigInt64Array, value: bigint): { readonly first: number; readonly stop: number } {
  return { first: lowerBound(column, value), stop: lowerBound(column, value + 1n) };
}

/** The first place whose value is at least another, of values that ascend. */
export function lowerBound(column: ArrayLike<bigint>, value: bigint): number {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (column[middle]! < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
