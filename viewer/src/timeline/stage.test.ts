import { expect, it } from "vitest";
import { problems, setProblem } from "../state/problems";
import { type Session, session } from "../state/session";
import { Stage } from "./stage";

it("forgets with the session what could not be loaded", () => {
  new Stage();
  session.value = {} as Session;
  setProblem("tiles", "Something could not be loaded: no such page");
  session.value = null;
  expect(problems.value.has("tiles")).toBe(false);
});
