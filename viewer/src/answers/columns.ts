/** Columns of an answer, ready to be sorted, shown and filtered: what takes long is done once, when it is needed. */

import { formatDuration, formatExactDuration, type TimeBase, type ToolColumn } from "@tilescope/client";
import { approximate, exactText, type Figure, isInteger, isNumeric, isRecorded, type Scale, scaleOf } from "./figures";
import { parseSpan } from "./timeline-places";

/** Names what numbers stand for. */
export interface Names {
  readonly time: TimeBase;
  trackPath(track: number): readonly string[];
}

/** As a tool writes the unit of a fraction. */
const OF_PEAK = "of peak";

export class ShownColumn {
  readonly column: ToolColumn;
  readonly isNumeric: boolean;
  readonly #names: Names;
  #approximate: Float64Array | null = null;
  #ranks: Float64Array | null = null;
  #scale: Scale | null = null;

  constructor(column: ToolColumn, names: Names) {
    this.column = column;
    this.isNumeric = isNumeric(column.kind);
    this.#names = names;
  }

  /** True if values are shares of a device's capacity: 0 is bad, 1 is good. */
  get isUse(): boolean {
    return this.column.kind === "fraction" && this.column.unit === OF_PEAK;
  }

  get id(): string {
    return this.column.id;
  }

  get title(): string {
    return this.column.title === "" ? this.column.id : this.column.title;
  }

  get scale(): Scale {
    this.#scale ??= scaleOf(this.column, this.isNumeric ? this.approximate : [], this.#names.time);
    return this.#scale;
  }

  /** Values as doubles, for sizes of bars; NaN where there is none. */
  get approximate(): Float64Array {
    this.#approximate ??= Float64Array.from(this.column.values, (value) => approximate(this.column.kind, value));
    return this.#approximate;
  }

  /** By these rows are sorted, exactly; NaN: not recorded. */
  get ranks(): Float64Array {
    this.#ranks ??= this.#computeRanks();
    return this.#ranks;
  }

  value(row: number): Figure {
    return this.column.values[row] ?? null;
  }

  /** Text of a cell. */
  text(value: Figure): string {
    if (this.column.kind === "track" && typeof value === "number") {
      return this.#names.trackPath(value).slice(-2).join(" › ") || `track ${value}`;
    }
    if (this.column.kind === "span" && typeof value === "string") {
      return spanText(value, this.#names.time);
    }
    return this.scale.text(value);
  }

  /** Tooltip of a cell: all digits, or the whole path. */
  exact(value: Figure): string {
    if (this.column.kind === "track" && typeof value === "number") {
      return this.#names.trackPath(value).join(" › ") || `track ${value}`;
    }
    return exactText(this.column, value, this.#names.time);
  }

  #computeRanks(): Float64Array {
    const { kind, values } = this.column;
    if (kind === "flag") {
      return Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value)));
    }
    if (isInteger(kind) && this.approximate.some((value) => Math.abs(value) > Number.MAX_SAFE_INTEGER)) {
      return ranksOf(values, (value) => BigInt(String(value)));
    }
    if (this.isNumeric) {
      return this.approximate;
    }
    if (kind === "span") {
      return ranksOf(values, (value) => parseSpan(String(value)).startTicks);
    }
    return ranksOf(values, (value) => naturalKey(this.text(value)));
  }
}

/** `1000-3500` → `1 ns + 2.5 ns`: where it begins, and how long it is. */
function spanText(span: string, { tickPs }: TimeBase): string {
  const { startTicks, endTicks } = parseSpan(span);
  return `${formatExactDuration(startTicks, tickPs)} + ${formatDuration(endTicks - startTicks, tickPs)}`;
}

/** Places of values in their order; equal ones share a place. */
function ranksOf(values: readonly Figure[], keyOf: (value: Figure) => string | bigint): Float64Array {
  const distinct = new Map<Figure, string | bigint>();
  for (const value of values) {
    if (isRecorded(value) && !distinct.has(value)) {
      distinct.set(value, keyOf(value));
    }
  }
  const order = [...distinct].sort(([, a], [, b]) => (a < b ? -1 : a > b ? 1 : 0));
  const ranks = new Map<Figure, number>();
  let rank = -1;
  order.forEach(([value, key], k) => {
    rank += k > 0 && order[k - 1]![1] === key ? 0 : 1;
    ranks.set(value, rank);
  });
  return Float64Array.from(values, (value) => ranks.get(value) ?? Number.NaN);
}

/** Text such that `fusion.9` stands before `fusion.10`: numbers are preceded by how many digits they have. */
export function naturalKey(text: string): string {
  return text.toLowerCase().replace(/\d+/g, (digits) => {
    const number = digits.replace(/^0+(?=\d)/, "");
    return String.fromCharCode(0x30 + Math.min(number.length, 0x1000)) + number;
  });
}
