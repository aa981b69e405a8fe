/** The runs of a server as a list: grouped by where they lie, filtered, sorted. Pure. */

import type { Run } from "@tilescope/client";

export type RunColumn = "name" | "state" | "duration" | "events" | "hosts" | "size" | "when";

export interface RunSorting {
  readonly column: RunColumn;
  readonly isDescending: boolean;
}

/** The newest first, as the server has them. */
export const NEWEST_FIRST: RunSorting = { column: "when", isDescending: true };

export interface RunGroup {
  /** The log directory, beginning with the name of what is served; "" for what is served by itself. */
  readonly folder: string;
  readonly runs: readonly Run[];
}

export type RunLine =
  | { readonly kind: "folder"; readonly folder: string; readonly count: number }
  | { readonly kind: "run"; readonly run: Run };

/** Path below the log directory in which profilers of TensorBoard put runs. */
const PROFILES = /(^|\/)plugins\/profile$/;

/** `"logs/train/plugins/profile/2026_01_31"` → `"logs/train"`; what is part of the name is none of the folder. */
export function folderOf({ name, path }: Run): string {
  const own = `/${path}`.endsWith(`/${name}`) ? name : path.slice(path.lastIndexOf("/") + 1);
  return path.slice(0, Math.max(0, path.length - own.length - 1)).replace(PROFILES, "");
}

/** File or folder of a run, as a note beside its name; "" where both are the same. */
export function fileOf({ name, path }: Run): string {
  const last = path.slice(path.lastIndexOf("/") + 1);
  return last === name || name.endsWith(`/${last}`) ? "" : last;
}

/** The hosts of its files, each once: a rank has many files. */
export function hostsOf({ hosts }: Run): readonly string[] {
  return [...new Set(hosts)];
}

/** The groups that have runs with all words of a filter, sorted, those first whose first run comes first. */
export function groupedRuns(list: readonly Run[], filter: string, sorting: RunSorting): readonly RunGroup[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = list.filter((run) => {
    const text = `${run.name} ${run.path} ${run.hosts.join(" ")} ${run.state} ${run.contents.join(" ")}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const groups = new Map<string, Run[]>();
  for (const run of sorted(matches, sorting)) {
    const folder = folderOf(run);
    const runs = groups.get(folder);
    if (runs === undefined) {
      groups.set(folder, [run]);
    } else {
      runs.push(run);
    }
  }
  return [...groups].map(([folder, runs]) => ({ folder, runs }));
}

/** One line after the other, each group below the line of its folder. */
export function linesOf(groups: readonly RunGroup[]): readonly RunLine[] {
  return groups.flatMap(({ folder, runs }) => [
    { kind: "folder" as const, folder, count: runs.length },
    ...runs.map((run) => ({ kind: "run" as const, run })),
  ]);
}

/** The other direction of the same column; names begin with A, all else with the most. */
export function sortedBy(column: RunColumn, before: RunSorting): RunSorting {
  const isDescending = before.column === column ? !before.isDescending : column !== "name";
  return { column, isDescending };
}

/** Order of states: those that wait for somebody come first. */
const STATES: Readonly<Record<Run["state"], number>> = { failed: 4, indexing: 3, queued: 2, new: 1, ready: 0 };

type Key = string | number | bigint | null;

function keyOf(run: Run, column: RunColumn): Key {
  switch (column) {
    case "name":
      return run.name;
    case "state":
      return STATES[run.state];
    case "duration":
      return run.durationPs;
    case "events":
      return run.events;
    case "hosts":
      return hostsOf(run).length;
    case "size":
      return run.sizeBytes;
    case "when":
      return run.modifiedNs;
  }
}

const NAMES = new Intl.Collator("en", { numeric: true });

function compared(a: Key, b: Key): number {
  if (typeof a === "string" && typeof b === "string") {
    return NAMES.compare(a, b);
  }
  return a! < b! ? -1 : a! > b! ? 1 : 0;
}

/** Runs in order. Unknown values stand last, whatever the direction; equal ones stay in the order of the server. */
function sorted(list: readonly Run[], { column, isDescending }: RunSorting): readonly Run[] {
  // Files that were copied lose their time, and the server's order knows more.
  if (column === "when") {
    return isDescending ? list : list.toReversed();
  }
  return list.toSorted((run, other) => {
    const [a, b] = [keyOf(run, column), keyOf(other, column)];
    if (a === null || b === null) {
      return Number(a === null) - Number(b === null);
    }
    return isDescending ? compared(b, a) : compared(a, b);
  });
}
