import type { ToolAnswer } from "@tilescope/client";
import { expect, test } from "vitest";
import { FIELDS } from "./fields";
import { attributesOf, familyOfShare, lackingIn, partsModel } from "./model";

const column = (id: string, values: readonly (string | number | null)[]) => ({ id, title: id, kind: "text", values });

test("parts are nodes, coloured by what a TPU can run", () => {
  const answer = {
    facts: [],
    tables: [
      {
        id: "nodes",
        columns: [
          column("name", ["model", "input", "save"]),
          column("opcode", ["scope", "Placeholder", "SaveV2"]),
          column("operations", ["5", "1", "1"]),
          column("share", [0.8, 1, null]),
          column("verdict", ["in part", "yes", "not judged"]),
          column("scope", ["model", null, null]),
        ],
      },
      { id: "edges", columns: [column("source", [1]), column("target", [0])] },
      {
        id: "not_on_tpu",
        columns: [column("name", ["model/a", "model/deep/b", "models/c"]), column("op", ["A", "B", "C"])],
      },
    ],
  } as unknown as ToolAnswer;
  const model = partsModel(answer)!;
  expect(model.edges).toEqual([{ source: 1, target: 0 }]);
  expect(model.nodes.map(({ family, inside, shape, share }) => [family, inside, shape, share])).toEqual([
    ["mixed", 5, "80 % on a TPU", 0.8],
    ["valid", 0, "", null],
    ["data", 0, "not judged", null],
  ]);
  expect(lackingIn(answer, "", "model").map(({ name }) => name)).toEqual(["model/a", "model/deep/b"]);
  expect(lackingIn(answer, "model", "deep")).toEqual([{ name: "model/deep/b", op: "B" }]);
  expect(lackingIn(answer, "", "mod")).toEqual([]);
  expect(partsModel({ ...answer, tables: [] })).toBeNull();
  expect([0, 0.5, 1, null].map(familyOfShare)).toEqual(["invalid", "mixed", "valid", "data"]);
});

test("attributes are the lines of an operation", () => {
  const lines = 'T: float32\npadding: "a: b"\n2 more attributes are left out';
  const table = { id: "nodes", columns: [column("name", ["conv", "scope"]), column("attributes", [lines, null])] };
  const answer = { facts: [], tables: [table] } as unknown as ToolAnswer;
  expect(attributesOf(answer, 0)).toEqual([
    { title: "T", text: "float32" },
    { title: "padding", text: '"a: b"' },
    { title: "2 more attributes are left out", text: "" },
  ]);
  expect(attributesOf(answer, 1)).toEqual([]);
  expect(attributesOf({ ...answer, tables: [] }, 0)).toEqual([]);
});

test("no share of a part rounds to nothing or all", () => {
  const table = {
    id: "nodes",
    columns: [
      column("name", ["nearly", "hardly"]),
      column("opcode", ["scope", "scope"]),
      column("operations", ["1000", "1000"]),
      column("share", [0.999, 0.001]),
      column("verdict", ["in part", "in part"]),
      column("scope", ["nearly", "hardly"]),
    ],
  };
  const model = partsModel({ facts: [], tables: [table] } as unknown as ToolAnswer)!;
  expect(model.nodes.map(({ family, shape }) => [family, shape])).toEqual([
    ["mixed", ">99 % on a TPU"],
    ["mixed", "<1 % on a TPU"],
  ]);
});

test("the scope is in the address", () => {
  expect(FIELDS.parse(FIELDS.format({ scope: "a/b" }))).toEqual({ scope: "a/b" });
  expect(FIELDS.format(FIELDS.parse({}))).toEqual({});
});
