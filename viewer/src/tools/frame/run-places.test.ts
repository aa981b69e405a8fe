import type { Group } from "@tilescope/client";
import { expect, test } from "vitest";
import { placesOf, placesTitle } from "./run-places";

const group = (id: number, kind: Group["kind"], parent: number | null, rollup: number | null): [number, Group] => [
  id,
  { id, parent, kind, name: `${kind} ${id}`, detail: "", rollup, missing: undefined },
];

test("hosts stand before their processes, and what has no events is left out", () => {
  const groups = new Map([
    group(0, "run", null, 90),
    group(1, "host", 0, 91),
    group(2, "process", 1, 92),
    group(3, "process", 1, null),
    group(4, "host", 0, 94),
    group(5, "process", 4, 95),
  ]);
  const listed = placesOf({ groups }).map(({ name, tracks, isInHost }) => [name, tracks, isInHost]);
  expect(listed).toEqual([
    ["host 1", "91", false],
    ["process 2", "92", true],
    ["host 4", "94", false],
    ["process 5", "95", true],
  ]);
  groups.delete(4);
  expect(placesOf({ groups }).map(({ tracks }) => tracks)).toEqual(["92", "95"]);
});

test("ranks stand where hosts do, and are called so", () => {
  const named = (name: string, isInHost: boolean) => ({ name, tracks: "", isInHost });
  expect(placesTitle([named("rank 0", false), named("GPU 0", true), named("rank 1 · node7", false)])).toBe(
    "Ranks and devices",
  );
  expect(placesTitle([named("rank 0", false), named("host1", false)])).toBe("Hosts and devices");
});
