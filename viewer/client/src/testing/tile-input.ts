/** Tiles of tests, as plain objects. */

export interface SliceInput {
  readonly start: bigint;
  readonly duration: bigint;
  readonly row: number;
  readonly name: number;
  readonly ordinal: number;
  readonly flags: number;
}

export interface BinInput {
  readonly bin: number;
  readonly row: number;
  readonly count: number;
  readonly busy: bigint;
  readonly name: number;
  readonly share: number;
  readonly longest: bigint;
}

export interface CounterBinInput {
  readonly bin: number;
  readonly n: number;
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
}

export interface SampleInput {
  readonly time: bigint;
  readonly value: number;
  readonly ordinal: number;
}

export const LEAF = 1;
export const TERMINAL = 2;

export interface TileInput {
  readonly level: number;
  readonly index: number;
  readonly slot: number;
  /** LEAF, TERMINAL or 0. */
  readonly flags: number;
  /** Events that start in the tile. */
  readonly events: number;
  readonly slices: readonly SliceInput[];
  readonly bins: readonly BinInput[];
  readonly counterBins?: readonly CounterBinInput[];
  readonly samples?: readonly SampleInput[];
  readonly carry?: number;
}
