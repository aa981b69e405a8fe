/** Queries that are written by the page: of a name, of a track. Pure; docs/search.md is the language. */

import type { Trace } from "./trace";

/** The server refuses longer ones. */
export const LONGEST_QUERY = 512;

/** The query that finds all events of a name, and no others. */
export function exactly(name: string): string {
  return `"${name.replace(/[\\"]/g, "\\$&")}"`;
}

/** The query that finds all events of a name and a category; without a category those of the name, whatever they have. */
export function exactlyOf(name: string, category: string): string {
  return category === "" ? exactly(name) : `${exactly(name)} cat:${exactly(category)}`;
}

/** The terms that leave only the events of a track, or of a process; null for other groups, which have no words. */
export function within(trace: Pick<Trace, "tracks" | "groups">, key: string): string | null {
  const id = Number(key.slice(1));
  const isGroup = key.startsWith("g");
  const track = isGroup ? undefined : trace.tracks.get(id);
  const terms = track === undefined ? [] : [`track:${exactly(track.name)}`];
  for (
    let ancestor = isGroup ? id : track?.group;
    ancestor != null;
    ancestor = trace.groups.get(ancestor)?.parent ?? undefined
  ) {
    const group = trace.groups.get(ancestor);
    if (group?.kind === "process") {
      terms.push(`process:${exactly(group.name)}`);
    } else if (isGroup && ancestor === id) {
      return null;
    }
  }
  return terms.length === 0 ? null : terms.join(" ");
}
