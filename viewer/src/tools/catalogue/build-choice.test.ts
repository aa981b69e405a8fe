import type { Run } from "@tilescope/client";
import { expect, it } from "vitest";
import { buildOptions, chosenBuilds, withBuild } from "./build-choice";

function run(id: string, name: string, build: string | null): Run {
  return { id, name, path: `logs/${id}`, build } as Run;
}

it("offers runs that have a build, by names that differ", () => {
  const runs = [run("a", "monday", "1"), run("b", "tuesday", null), run("c", "friday", "2"), run("d", "friday", "3")];
  expect(buildOptions(runs)).toEqual([
    { value: "a/1", label: "monday" },
    { value: "c/2", label: "friday (logs/c)" },
    { value: "d/3", label: "friday (logs/d)" },
  ]);
});

it("puts a build in its place, once, and takes one away", () => {
  expect(chosenBuilds("")).toEqual([]);
  expect(withBuild("", 0, "a/1")).toBe("a/1");
  expect(withBuild("a/1", 1, "c/2")).toBe("a/1,c/2");
  expect(withBuild("a/1,c/2", 0, "d/3")).toBe("d/3,c/2");
  expect(withBuild("a/1,c/2", 0, "")).toBe("c/2");
  expect(withBuild("a/1,c/2", 2, "a/1")).toBe("a/1,c/2");
});
