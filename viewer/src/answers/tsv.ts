/**
 * Tables as tab-separated text. Each column is in one unit, that of the screen, which its head names: `busy [ms]`; with all
 * its digits, as units are powers of ten. On demand times are ticks, and sizes bytes.
 */

import { formatDuration, type TimeBase, type ToolColumn } from "@tilescope/client";
import { approximate, type Figure, isRecorded, type Scale, scaleOf } from "./figures";

/** Head and cells of a column, as text. */
export interface TsvColumn {
  readonly head: string;
  cell(value: Figure): string;
}

type Named = Pick<ToolColumn, "id" | "kind" | "unit">;

/** In the unit of the screen. */
export function inUnit({ id }: Named, scale: Scale): TsvColumn {
  const name = id.replace(/_(ticks|bytes)$/, "");
  return { head: scale.unit === "" ? id : `${name} [${scale.unit}]`, cell: (value) => tsvCell(scale.exact(value)) };
}

/** As the answer has it: `busy [ticks of 1 ns]`. */
export function inTicks({ id, kind, unit }: Named, { tickPs }: TimeBase): TsvColumn {
  const isTime = kind === "ticks" || kind === "time";
  const own = isTime ? `ticks of ${formatDuration(1n, tickPs)}` : kind === "bytes" ? "B" : kind === "ps" ? "ps" : unit;
  const name = isTime || kind === "bytes" ? id.replace(/_(ticks|bytes)$/, "") : id;
  return { head: own === "" ? id : `${name} [${own}]`, cell: tsvCell };
}

/** Columns of an answer in their units, each chosen by the largest value of its column; or as they are. */
export function tsvColumns(columns: readonly ToolColumn[], time: TimeBase, isRaw: boolean): readonly TsvColumn[] {
  return columns.map((column) => {
    const sizes = () => column.values.map((value) => approximate(column.kind, value));
    return isRaw ? inTicks(column, time) : inUnit(column, scaleOf(column, sizes(), time));
  });
}

/** One cell; what was not recorded is empty. */
export function tsvCell(value: Figure): string {
  return isRecorded(value) ? String(value).replace(/[\t\r\n]+/g, " ") : "";
}

/** A share of a whole in percent, under the head `share [%]`. */
export const SHARE: TsvColumn = inUnit(
  { id: "share", kind: "fraction", unit: "" },
  scaleOf({ kind: "fraction", unit: "" }, [], { tickPs: 1, originNs: 0n }),
);

/** The whole path of a track, whose number says nothing elsewhere. */
function inWords({ id }: Named, trackPath: TrackPath): TsvColumn {
  return {
    head: id,
    cell: (value) => (typeof value === "number" ? tsvCell(trackPath(value).join(" › ") || `track ${value}`) : ""),
  };
}

type TrackPath = (track: number) => readonly string[];

interface TsvOptions {
  /** Depths of the rows of a tree: a column of its own, the first. */
  readonly depths?: ArrayLike<number> | null;
  readonly isRaw?: boolean;
  /** Names tracks, unless the text is for programs. */
  readonly trackPath?: TrackPath;
}

/** A header and these rows. */
export function tsv(
  columns: readonly ToolColumn[],
  rows: ArrayLike<number>,
  time: TimeBase,
  { depths = null, isRaw = false, trackPath }: TsvOptions = {},
): string {
  const written = tsvColumns(columns, time, isRaw).map((column, c) =>
    trackPath !== undefined && !isRaw && columns[c]!.kind === "track" ? inWords(columns[c]!, trackPath) : column,
  );
  const head = written.map((column) => column.head);
  const lines = [(depths === null ? head : ["depth", ...head]).join("\t")];
  for (let k = 0; k < rows.length; k++) {
    const cells = written.map((column, c) => column.cell(columns[c]!.values[rows[k]!] ?? null));
    lines.push((depths === null ? cells : [String(depths[k]), ...cells]).join("\t"));
  }
  return `${lines.join("\n")}\n`;
}
