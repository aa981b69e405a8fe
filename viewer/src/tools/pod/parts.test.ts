import { expect, test } from "vitest";
import { column, table } from "../../answers/test-tables";
import { colourOf, DURATION, KEEPS_WAITING } from "./parts";

const cores = (waits: readonly (string | null)[]) =>
  table([
    column("core", "name", ["a", "b"]),
    column(DURATION, "ticks", ["30", "30"]),
    column(KEEPS_WAITING, "ticks", waits),
  ]);

test("the map shows the figure that is chosen, or the first that was recorded", () => {
  expect(colourOf(cores(["0", "4"]), "")).toBe(KEEPS_WAITING);
  expect(colourOf(cores([null, null]), "")).toBe(DURATION);
  expect(colourOf(cores([null, null]), KEEPS_WAITING)).toBe(KEEPS_WAITING);
  expect(colourOf(undefined, "")).toBe(KEEPS_WAITING);
});
