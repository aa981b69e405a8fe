/** Buffers that are there at the peak as bars beside each other, in two orders: as wide as they are large. Pure. */

import type { ToolTable } from "@tilescope/client";
import type { ShortForm } from "../../raster/short-name";
import { elideName, type GlyphWidths, textWidthPx } from "../../raster/text";

export interface BufferBar {
  /** The row of the table. */
  readonly row: number;
  readonly name: string;
  readonly sizeBytes: number;
  /** Share of the buffer that its layout adds. */
  readonly padding: number;
  /** Points of the program: the first and the last at which it is there. */
  readonly first: number;
  readonly last: number;
  /** Number of its colour: that of its rank by size. */
  readonly hue: number;
  /** Shares of the peak. */
  readonly left: number;
  readonly width: number;
}

export interface BufferBars {
  /** By size, the largest at the left. */
  readonly bySize: readonly BufferBar[];
  /** In the order in which they are made; of buffers made at once the one that stays longest. */
  readonly byProgram: readonly BufferBar[];
  /** Bytes of the peak that no row of the table has: those of smaller buffers. */
  readonly otherBytes: number;
  /** Share of the peak at which these begin, at the right. */
  readonly end: number;
}

export const HUES = 8;

/** Rows that are not there at the peak, unless all rows are of another point, or have no size, have no bar. */
export function bufferBars(table: ToolTable, peakBytes: number, isOfPoint = false): BufferBars {
  const values = (id: string) => table.columns.find((column) => column.id === id)?.values ?? [];
  const [names, sizes, unpadded, firsts, lasts, atPeak] = ["name", "size", "unpadded", "first", "last", "at_peak"].map(
    values,
  );
  const bars = sizes!
    .map((size, row) => ({
      row,
      name: String(names![row]),
      sizeBytes: Number(size),
      padding: 1 - Math.min(1, Number(unpadded![row] ?? size) / Number(size)),
      first: Number(firsts![row]),
      last: Math.max(Number(firsts![row]), Number(lasts![row])),
    }))
    .filter(({ row, sizeBytes }) => sizeBytes > 0 && (isOfPoint || atPeak![row] === true))
    .sort((a, b) => b.sizeBytes - a.sizeBytes || a.first - b.first || a.row - b.row)
    .map((bar, rank) => ({ ...bar, hue: rank % HUES }));
  const listedBytes = bars.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const wholeBytes = Math.max(1, peakBytes, listedBytes);
  const beside = (ordered: readonly (typeof bars)[number][]): BufferBar[] => {
    let before = 0;
    return ordered.map((bar) => {
      const left = before / wholeBytes;
      before += bar.sizeBytes;
      return { ...bar, left, width: bar.sizeBytes / wholeBytes };
    });
  };
  return {
    bySize: beside(bars),
    byProgram: beside(bars.toSorted((a, b) => a.first - b.first || b.last - a.last || a.row - b.row)),
    otherBytes: Math.max(0, peakBytes - listedBytes),
    end: listedBytes / wholeBytes,
  };
}

/** The place of the bar at a share of the peak; of bars narrower than `reach` the widest near it. Null: none is there. */
export function barAt(bars: readonly BufferBar[], share: number, reach: number): number | null {
  let low = 0;
  let high = bars.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bars[middle]!.left + bars[middle]!.width <= share - reach) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  let widest: number | null = null;
  for (let place = low; place < bars.length && bars[place]!.left <= share + reach; place++) {
    const { left, width } = bars[place]!;
    if (width >= 2 * reach && left <= share && share < left + width) {
      return place;
    }
    widest = widest === null || width > bars[widest]!.width ? place : widest;
  }
  return widest;
}

/** As much of a buffer's name as a bar has room for, what tells it from its like before all else: `tensor_28`, `…_28`. Empty: none. */
export function barLabel(name: string, form: ShortForm, roomPx: number, glyphs: GlyphWidths): string {
  const label = elideName(name, form, roomPx, glyphs);
  if (form.tail === "" || label.endsWith(form.tail.replace("…", ""))) {
    return label;
  }
  const end = `…${form.tail.replace("…", "")}`;
  return textWidthPx(end, glyphs) <= roomPx ? end : "";
}
