/** Way from a row that compares two runs into both of them: the row's track at the top of two timelines. Pure. */

import type { ToolTable } from "@tilescope/client";
import { chosenBuilds } from "./build-choice";

/** Columns with the track of a row in the other run, and with a search for its events there. */
const TRACK = "base_track";
const QUERY = "base_query";

/** The run of a build, where one is chosen; null: none, or several. */
export function otherRun(text: string): string | null {
  const builds = chosenBuilds(text);
  return builds.length === 1 ? builds[0]!.slice(0, builds[0]!.lastIndexOf("/")) : null;
}

/** True where rows of a table may have a place in another run. */
export function hasOtherPlaces({ columns }: ToolTable): boolean {
  return columns.some(({ id }) => id === TRACK);
}

/**
 * The address of both timelines from `#` on, made of the page's. Those of steps begin with them. Null where neither run has a track
 * for the row.
 */
export function bothTimelines(hash: string, { columns }: ToolTable, row: number, run: string): string | null {
  const value = (id: string) => columns.find((column) => column.id === id)?.values[row] ?? null;
  const [track, other] = [value("track"), value(TRACK)];
  if (track === null && other === null) {
    return null;
  }
  const before = new URLSearchParams(hash.replace(/^#/, ""));
  const parts = new URLSearchParams();
  for (const [name, text] of before) {
    if (!/^(tool|in|f\..*|q|top|second|align|pane|hit|sel|area|tracks|bin)$/.test(name)) {
      parts.append(name, text);
    }
  }
  const query = value("query") ?? value(QUERY);
  if (typeof query === "string") {
    parts.set("q", query);
  }
  if (track !== null) {
    parts.set("top", String(track));
  }
  const second = new URLSearchParams({ run });
  if (other !== null) {
    second.set("top", String(other));
  }
  parts.set("second", second.toString());
  const steps = /^steps\.(\d+)/.exec(before.get("in") ?? "")?.[1];
  const against = /^\d+/.exec(before.get("f.against_steps") ?? "")?.[0] ?? steps;
  if (steps !== undefined) {
    parts.set("align", `step.${steps}-${against}`);
  }
  return `#${parts}`;
}
