import type { Run } from "@tilescope/client";
import { expect, test } from "vitest";
import { sameNamed } from "./same-named";

const run = (id: string) => ({ id }) as Run;

test("a run of the same name elsewhere may be the one of a link, as a store or as an archive", () => {
  const list = [run("made.store-00aa11bb"), run("made.tsarc-00aa11bc"), run("made2.store-00aa11bd"), run("other")];
  expect(sameNamed(list, "made.store-6f8af540").map(({ id }) => id)).toEqual([
    "made.store-00aa11bb",
    "made.tsarc-00aa11bc",
  ]);
  expect(sameNamed(list, "other-6f8af540")).toEqual([list[3]]);
  expect(sameNamed(list, "nothing")).toEqual([]);
});
