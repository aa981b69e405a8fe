/** Rows of the table of channels. Pure. */

import type { ToolTable } from "@tilescope/client";

/** A channel between two cores; figures as the table has them, null where it was not recorded. */
export interface ChannelRow {
  /** In the table. */
  readonly row: number;
  readonly channel: string;
  readonly source: string;
  readonly destination: string;
  readonly data: string | null;
  readonly latency: string | null;
  readonly bandwidth: number | null;
  readonly sendDelay: string | null;
  readonly occurrences: string | null;
  readonly hlo: readonly string[];
  readonly program: string | null;
}

export function channelRows(table: ToolTable): readonly ChannelRow[] {
  const column = (id: string) => table.columns.find((candidate) => candidate.id === id)?.values ?? [];
  const text = (id: string, row: number) => {
    const value = column(id)[row] ?? null;
    return value === null ? null : String(value);
  };
  return column("channel").map((channel, row) => ({
    row,
    channel: String(channel ?? ""),
    source: text("source", row) ?? "",
    destination: text("destination", row) ?? "",
    data: text("data", row),
    latency: text("latency", row),
    bandwidth: text("bandwidth", row) === null ? null : Number(text("bandwidth", row)),
    sendDelay: text("send_delay", row),
    occurrences: text("occurrences", row),
    hlo: (text("hlo", row) ?? "").split(", ").filter((name) => name !== ""),
    program: text("program", row),
  }));
}

/** Short name of each core: its chip, and the number within it where it has several. */
export function shortNames(cores: ToolTable): ReadonlyMap<string, string> {
  const column = (id: string) => cores.columns.find((candidate) => candidate.id === id)?.values ?? [];
  const [chips, numbers] = [column("chip"), column("core_number")];
  const present = chips.filter((chip) => chip !== null && chip !== undefined);
  const isAlone = new Set(present).size === present.length;
  return new Map(
    column("core").map((name, row) => {
      const chip = chips[row] ?? null;
      const short = isAlone ? `chip ${chip}` : `chip ${chip} core ${numbers[row] ?? "?"}`;
      return [String(name), chip === null ? String(name) : short];
    }),
  );
}

/** The channels that there are, by number where they have one. */
export function channelNames(rows: readonly ChannelRow[]): readonly string[] {
  const names = [...new Set(rows.map(({ channel }) => channel))];
  return names.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

/** Size of one transfer, as text. */
export function dataText(bytes: string | null): string {
  return bytes === null ? "–" : `${Number((Number(bytes) / MIB).toPrecision(4))} MiB`;
}

/** Bytes in a second, as people compare links. */
export function bandwidthText(rate: number | null): string {
  return rate === null ? "–" : `${Number((rate / GIB).toPrecision(3))} GiB/s`;
}

/** Share of a channel in the longest of all, from 0 to 1. */
export function partOf(row: ChannelRow, rows: readonly ChannelRow[]): number {
  const longest = Math.max(1, ...rows.map(({ latency }) => Number(latency ?? 0)));
  return Number(row.latency ?? 0) / longest;
}
