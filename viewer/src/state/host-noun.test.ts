import { expect, it } from "vitest";
import { hostNoun } from "./host-noun";

it.each([
  [["rank 0", "rank 1 · node7 · GPU 3", "rank 10 · GPU 0 (2)"], "ranks"],
  [["rank 0", "host1"], "hosts"],
  [["rank zero", "rank 1"], "hosts"],
  [["rank 0x"], "hosts"],
  [[], "hosts"],
])("names %j %s", (names, many) => {
  expect(hostNoun(names).many).toBe(many);
});
