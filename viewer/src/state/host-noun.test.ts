import { expect, it } from "vitest";
import { hostCount, hostNoun } from "./host-noun";

it.each([
  [["rank 0", "rank 1 · node7 · GPU 3", "rank 10 · GPU 0 (2)"], "ranks"],
  [["rank 0", "host1"], "hosts"],
  [["rank zero", "rank 1"], "hosts"],
  [["rank 0x"], "hosts"],
  [[], "hosts"],
])("names %j %s", (names, many) => {
  expect(hostNoun(names).many).toBe(many);
});

it("counts hosts as the track tree does: missing ones, too", () => {
  expect(hostCount(["a", "b"], 0)).toBe("All 2 hosts");
  expect(hostCount(["a", "b"], 2)).toBe("2 of 4 hosts");
  expect(hostCount(["rank 0", "rank 1"], 1)).toBe("2 of 3 ranks");
});
