/** Details as text: for the argument table and for the clipboard. */

import { type EventDetails, formatExactDuration, formatTime, type JsonValue, type TimeBase } from "@tilescope/client";

/** An argument's value as text: strings as they are, everything else as JSON, indented where it is nested. */
export function argText(value: JsonValue): string {
  if (typeof value === "string") {
    return value;
  }
  return JSON.stringify(value, null, typeof value === "object" && value !== null ? 2 : 0);
}

/** One `name<TAB>value` line per fact; tabs and line breaks inside of values become spaces. Times are those that were recorded. */
export function detailsTsv(
  details: EventDetails,
  path: readonly string[],
  time: TimeBase,
  shiftTicks: bigint = 0n,
): string {
  const rows: (readonly [string, string])[] = [
    ["name", details.name],
    ["category", details.category],
    ["track", path.join(" › ")],
    ["start", ungrouped(formatExactDuration(details.startTicks, time.tickPs))],
    ["duration", ungrouped(formatExactDuration(details.durationTicks, time.tickPs))],
    ...(shiftTicks === 0n
      ? []
      : [["shift of clock", ungrouped(formatExactDuration(shiftTicks, time.tickPs))] as const]),
    ["utc", ungrouped(formatTime(details.startTicks, time, "utc"))],
    ["row", details.row.toString()],
    ["flags", details.flags.join(" ")],
    ...details.args.map((arg) => [arg.name, argText(arg.value)] as const),
  ];
  return rows.map((row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");
}

/** Digits without what parts their groups. */
function ungrouped(text: string): string {
  return text.replace(/[,\u202f]/g, "");
}
