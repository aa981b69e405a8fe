/** Pages and shape records for tests, from plain objects. */

import { type ColumnInput, encodeContainer, type FloatColumnInput } from "./encode";
import { quantumOf, roundedBusy } from "./residual";
import type { TileInput } from "./tile-input";

/** Encodes the tiles of one page; all on one level, in the order (index, slot). Busy is rounded to the quantum. */
export function encodePage(
  block: number,
  tiles: readonly TileInput[],
  quantum = quantumOf(tiles),
): Uint8Array<ArrayBuffer> {
  const slices = tiles.flatMap((tile) => tile.slices);
  const bins = tiles.flatMap((tile) => tile.bins);
  const counterBins = tiles.flatMap((tile) => tile.counterBins ?? []);
  const samples = tiles.flatMap((tile) => tile.samples ?? []);
  const columns: (ColumnInput | FloatColumnInput)[] = [
    delta(0, tiles, (tile) => tile.index),
    plain(1, tiles, (tile) => tile.slot),
    plain(2, tiles, (tile) => tile.flags),
    plain(3, tiles, (tile) => tile.slices.length),
    plain(4, tiles, (tile) => tile.bins.length),
    plain(5, tiles, (tile) => tile.counterBins?.length ?? 0),
    plain(6, tiles, (tile) => tile.samples?.length ?? 0),
    { id: 7, floats: tiles.map((tile) => tile.carry ?? Number.NaN) },
    delta(16, slices, (slice) => slice.start),
    plain(17, slices, (slice) => slice.duration),
    plain(18, slices, (slice) => slice.row),
    plain(19, slices, (slice) => slice.name),
    delta(20, slices, (slice) => slice.ordinal),
    plain(21, slices, (slice) => slice.flags),
    plain(32, bins, (bin) => bin.bin),
    plain(33, bins, (bin) => bin.row),
    plain(34, bins, (bin) => bin.count),
    { id: 35, values: roundedBusy(tiles, quantum), scale: quantum },
    plain(36, bins, (bin) => bin.name),
    plain(37, bins, (bin) => bin.share),
    plain(48, counterBins, (bin) => bin.bin),
    plain(49, counterBins, (bin) => bin.n),
    { id: 50, floats: counterBins.map((bin) => bin.first) },
    { id: 51, floats: counterBins.map((bin) => bin.last) },
    { id: 52, floats: counterBins.map((bin) => bin.min) },
    { id: 53, floats: counterBins.map((bin) => bin.max) },
    { id: 54, floats: counterBins.map((bin) => bin.mean) },
    delta(64, samples, (sample) => sample.time),
    { id: 65, floats: samples.map((sample) => sample.value) },
    delta(66, samples, (sample) => sample.ordinal),
  ];
  const present = columns.filter((column) => ("floats" in column ? column.floats : column.values).length > 0);
  return encodeContainer({
    magic: "TSPG",
    level: tiles[0]!.level,
    block,
    tileCount: tiles.length,
    columns: present,
  });
}

/** One tile of a shape record: level, tile index, slot, flags (1 leaf, 2 terminal, 4 first of a page), events. */
export type ShapeRow = readonly [level: number, index: number, slot: number, flags: number, events: number];

export function encodeShape(block: number, rows: readonly ShapeRow[]): Uint8Array<ArrayBuffer> {
  return encodeContainer({
    magic: "TSSH",
    level: 0,
    block,
    tileCount: rows.length,
    columns: [80, 81, 82, 83, 84].map((id, k) => plain(id, rows, (row) => row[k]!)),
  });
}

function plain<T>(id: number, items: readonly T[], value: (item: T) => number | bigint): ColumnInput {
  return { id, values: items.map((item) => BigInt(value(item))) };
}

function delta<T>(id: number, items: readonly T[], value: (item: T) => number | bigint): ColumnInput {
  return { ...plain(id, items, value), delta: true, zigzag: true };
}
