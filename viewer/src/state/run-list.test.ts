import type { Run } from "@tilescope/client";
import { expect, it } from "vitest";
import { fileOf, folderOf, groupedRuns, hostsOf, linesOf, NEWEST_FIRST, sortedBy } from "./run-list";

function run(path: string, facts: Partial<Run> = {}): Run {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const none = {
    error: null,
    build: null,
    progress: null,
    notes: [],
    events: null,
    durationPs: null,
    growing: false,
    contents: [],
    steps: null,
  };
  return {
    id: path,
    name,
    path,
    state: "ready",
    hosts: ["host0"],
    files: 1,
    sizeBytes: 1n,
    modifiedNs: 0n,
    ...none,
    ...facts,
  };
}

const NEWEST = run("logs/b/plugins/profile/run10", { events: 10n, durationPs: 5n });
const OLDER = run("logs/a/plugins/profile/run9", { state: "failed", hosts: ["h1", "h2"] });
const OLDEST = run("logs/b/plugins/profile/run2", { events: 900n, durationPs: 4n });
const LIST = [NEWEST, OLDER, OLDEST, run("alone.json", { name: "a trace" })];

const names = (filter: string, column: Parameters<typeof sortedBy>[0], isDescending: boolean) =>
  groupedRuns(LIST, filter, { column, isDescending }).map(({ folder, runs }) => [
    folder,
    ...runs.map(({ name }) => name),
  ]);

it("says where runs lie once, without the folders of profilers", () => {
  expect(folderOf(NEWEST)).toBe("logs/b");
  expect(folderOf(run("plugins/profile/run1"))).toBe("");
  expect(folderOf(run("alone.json"))).toBe("");
  expect(folderOf(run("base/lenet/profiler", { name: "lenet/profiler" }))).toBe("base");
  expect(folderOf(run("lenet/profiler", { name: "lenet/profiler" }))).toBe("");
  expect(fileOf(NEWEST)).toBe("");
  expect(fileOf(LIST[3]!)).toBe("alone.json");
  expect(fileOf(run("base/lenet/profiler", { name: "lenet/profiler" }))).toBe("");
  expect(
    linesOf(groupedRuns(LIST, "", NEWEST_FIRST)).map((line) => (line.kind === "run" ? line.run.name : line)),
  ).toEqual([
    { kind: "folder", folder: "logs/b", count: 2 },
    "run10",
    "run2",
    { kind: "folder", folder: "logs/a", count: 1 },
    "run9",
    { kind: "folder", folder: "", count: 1 },
    "a trace",
  ]);
});

it("has the trainings of a base folder in one group", () => {
  const trainings = ["lenet", "resnet"].map((name) => run(`base/${name}/profiler`, { name: `${name}/profiler` }));
  const captures = ["a", "b"].map((name) => run(`base/two/PROF_${name}`, { name: `two/PROF_${name}` }));
  const groups = groupedRuns([...trainings, ...captures], "", NEWEST_FIRST);
  expect(groups.map(({ folder, runs }) => [folder, runs.length])).toEqual([["base", 4]]);
});

it("sorts by what one chooses, and keeps what is not known at the end", () => {
  expect(names("", "name", false)).toEqual([
    ["", "a trace"],
    ["logs/b", "run2", "run10"],
    ["logs/a", "run9"],
  ]);
  expect(names("", "events", true)).toEqual([
    ["logs/b", "run2", "run10"],
    ["logs/a", "run9"],
    ["", "a trace"],
  ]);
  expect(names("", "events", false)[0]).toEqual(["logs/b", "run10", "run2"]);
  expect(names("", "state", true)[0]).toEqual(["logs/a", "run9"]);
  expect(names("", "when", false)[0]).toEqual(["", "a trace"]);
  expect(sortedBy("size", NEWEST_FIRST)).toEqual({ column: "size", isDescending: true });
  expect(sortedBy("size", sortedBy("size", NEWEST_FIRST))).toEqual({ column: "size", isDescending: false });
  expect(sortedBy("name", NEWEST_FIRST).isDescending).toBe(false);
});

it("finds runs by words of their names, folders, hosts and states", () => {
  expect(names("FAILED h2", "when", true)).toEqual([["logs/a", "run9"]]);
  expect(names("logs/b 10", "when", true)).toEqual([["logs/b", "run10"]]);
  expect(names("nothing", "when", true)).toEqual([]);
});

it("counts each host once, however many files it has", () => {
  expect(hostsOf(run("a", { hosts: ["rank 0", "rank 0", "rank 1"] }))).toEqual(["rank 0", "rank 1"]);
});
