import { expect, it } from "vitest";
import { makePane } from "../state/pane";
import { setProblem } from "../state/problems";
import type { Session } from "../state/session";
import { Stage } from "./stage";

const pane = makePane();

it("forgets with the session what could not be loaded", () => {
  new Stage(pane);
  pane.session.value = {} as Session;
  setProblem(pane, "tiles", "Something could not be loaded: no such page");
  pane.session.value = null;
  expect(pane.problems.value.has("tiles")).toBe(false);
});
