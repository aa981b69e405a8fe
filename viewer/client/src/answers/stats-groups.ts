/** Groups of events whose statistics are asked for: names, categories, tracks, processes or hosts. */

import type { ToolColumn } from "../base/schema";
import type { ArchivedRun } from "./archived-run";
import { around, partsOf } from "./track-parts";

/** Groups have numbers. What is of one track is in one group, or what is of one name. */
export interface EventGroups {
  readonly title: string;
  readonly ofTrack?: (track: number) => number;
  /** The group of each of these names. */
  readonly ofNames?: (names: readonly number[]) => Promise<ReadonlyMap<number, number>>;
  /** Columns that tell which groups these are. */
  readonly columns: (groups: readonly number[]) => Promise<ToolColumn[]>;
}

/** The groups of this sort in a run; null where they take a server. */
export async function groupingOf(run: ArchivedRun, by: string): Promise<EventGroups | null> {
  switch (by) {
    case "name":
      return byName(run);
    case "category":
      return byCategory(run);
    case "track":
      return await byTrack(run);
    case "process":
    case "host":
      return await byGroup(run, by);
    default:
      return null;
  }
}

function column(id: string, title: string, kind: ToolColumn["kind"], values: ToolColumn["values"]): ToolColumn {
  return { id, title, kind, unit: "", total: "sum", values };
}

function byName(run: ArchivedRun): EventGroups {
  return {
    title: "Names",
    columns: async (names) => {
      const entries = await Promise.all(names.map((name) => run.name(name)));
      return [
        column("name_id", "Name id", "id", names),
        column(
          "name",
          "Name",
          "name",
          entries.map(([text]) => text),
        ),
        column(
          "category",
          "Category",
          "text",
          entries.map(([, category]) => category),
        ),
      ];
    },
  };
}

function byCategory(run: ArchivedRun): EventGroups {
  const numbers = new Map<string, number>();
  return {
    title: "Categories",
    ofNames: async (names) => {
      const entries = await Promise.all(
        [...names].sort((a, b) => a - b).map(async (name) => ({ name, entry: await run.name(name) })),
      );
      const groups = new Map<number, number>();
      for (const { name, entry } of entries) {
        const number = numbers.get(entry[1]) ?? numbers.size;
        numbers.set(entry[1], number);
        groups.set(name, number);
      }
      return groups;
    },
    columns: async (groups) => {
      const texts = [...numbers.keys()];
      return [
        column(
          "category",
          "Category",
          "text",
          groups.map((group) => texts[group]!),
        ),
      ];
    },
  };
}

async function byTrack(run: ArchivedRun): Promise<EventGroups> {
  const { parts, tracks, hostTitle } = await partsOf(run);
  const place = (kind: string) => (track: number) => around(parts, tracks.get(track)!.group, kind)?.name ?? "";
  return {
    title: "Tracks",
    ofTrack: (track) => track,
    columns: async (groups) => [
      column("track", "Track", "track", groups),
      column(
        "name",
        "Name",
        "name",
        groups.map((track) => tracks.get(track)!.name),
      ),
      column("process", "Process", "text", groups.map(place("process"))),
      column("host", hostTitle, "text", groups.map(place("host"))),
    ],
  };
}

async function byGroup(run: ArchivedRun, kind: "host" | "process"): Promise<EventGroups> {
  const { parts, tracks, hostTitle } = await partsOf(run);
  const title = kind === "process" ? "Process" : hostTitle;
  const name = (group: number): string => parts.get(group)?.name ?? "[no name]";
  return {
    title: kind === "process" ? "Processes" : `${hostTitle}s`,
    ofTrack: (track) => around(parts, tracks.get(track)!.group, kind)?.id ?? -1,
    columns: async (groups) => {
      const columns = [
        column(
          "track",
          "Track",
          "track",
          groups.map((group) => parts.get(group)?.rollup ?? null),
        ),
        column(kind, title, "name", groups.map(name)),
      ];
      const host = (group: number): string => around(parts, group, "host")?.name ?? "";
      return kind === "process" ? [...columns, column("host", hostTitle, "text", groups.map(host))] : columns;
    },
  };
}
