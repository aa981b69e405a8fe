import { expect, test } from "vitest";
import { completionsOf, wordAt } from "./completion";

const column = (name: string) => ({ name, type: "int64", doc: "" });
const TABLES = [
  { name: "slices", doc: "", columns: ["track", "start", "duration"].map(column) },
  { name: "steps", doc: "", columns: ["step", "start", "source"].map(column) },
];

function offered(statement: string): readonly string[] {
  const word = wordAt(statement, statement.length);
  return word === null ? [] : completionsOf(word, statement, TABLES).map(({ word }) => word);
}

test("Words that complete the one at the caret", () => {
  expect(offered("select * from sl")).toEqual(["slices"]);
  expect(offered("select * from slices where st")).toEqual(["start", "steps"]);
  expect(offered("select * from steps where st")).toEqual(["step", "start", "steps"]);
  expect(offered("select * from slices s join steps p on p.")).toEqual(["step", "start", "source"]);
  expect(offered("select * from slices as s where s.DU")).toEqual(["duration"]);
  expect(offered("select ti")).toEqual(["ticks('"]);
});

test("No words within a text, after a space, for a whole word, or of an owner that is no table", () => {
  for (const statement of ["select 'sl", "select ", "", "select slices", "select x.st", "select 1 + 2"]) {
    expect(offered(statement)).toEqual([]);
  }
});
