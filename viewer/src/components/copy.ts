/** Details as text: for the argument table and for the clipboard. */

import { type EventDetails, formatTime, type JsonValue, type TimeBase } from "@tilescope/client";

/** An argument's value as text: strings as they are, everything else as JSON, indented where it is nested. */
export function argText(value: JsonValue): string {
  if (typeof value === "string") {
    return value;
  }
  return JSON.stringify(value, null, typeof value === "object" && value !== null ? 2 : 0);
}

/** One `name<TAB>value` line per fact; tabs and line breaks inside of values become spaces. */
export function detailsTsv(details: EventDetails, path: readonly string[], time: TimeBase): string {
  const rows: (readonly [string, string])[] = [
    ["name", details.name],
    ["category", details.category],
    ["track", path.join(" › ")],
    ["start_ticks", details.startTicks.toString()],
    ["duration_ticks", details.durationTicks.toString()],
    ["tick_ps", time.tickPs.toString()],
    ["utc", formatTime(details.startTicks, time, "utc").replace(/\u202f/g, "")],
    ["row", details.row.toString()],
    ["flags", details.flags.join(" ")],
    ...details.args.map((arg) => [arg.name, argText(arg.value)] as const),
  ];
  return rows.map((row) => row.map((cell) => cell.replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");
}
