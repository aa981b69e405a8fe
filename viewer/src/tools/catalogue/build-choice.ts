/** Builds that a field of a form may name, as the server writes them: `RUN/BUILD`, several separated by commas. Pure. */

import type { Run } from "@tilescope/client";

export interface BuildOption {
  readonly value: string;
  readonly label: string;
}

/** Builds of the runs that can be asked; runs of one name are told apart by their paths. */
export function buildOptions(runs: readonly Run[]): readonly BuildOption[] {
  const names = runs.map(({ name }) => name);
  return runs.flatMap(({ id, name, path, build }) => {
    const isAlone = names.indexOf(name) === names.lastIndexOf(name);
    return build === null ? [] : [{ value: `${id}/${build}`, label: isAlone ? name : `${name} (${path})` }];
  });
}

/** The builds of a text. */
export function chosenBuilds(text: string): readonly string[] {
  return text.split(",").filter((build) => build !== "");
}

/** A text with another build at a place; "" takes away the one that is there. Each build stands once. */
export function withBuild(text: string, place: number, build: string): string {
  const builds = [...chosenBuilds(text)];
  builds.splice(place, 1, build);
  return [...new Set(builds)].filter((each) => each !== "").join(",");
}
