import type { ToolAnswer } from "@tilescope/client";
import { expect, test } from "vitest";
import { FIELDS } from "./fields";
import { familyOfShare, partsModel } from "./model";

const column = (id: string, values: readonly (string | number | null)[]) => ({ id, title: id, kind: "text", values });

test("parts are nodes, coloured by what a TPU can run", () => {
  const answer = {
    facts: [],
    tables: [
      {
        id: "nodes",
        columns: [
          column("name", ["model", "input"]),
          column("opcode", ["scope", "Placeholder"]),
          column("operations", ["5", "1"]),
          column("share", [0.8, 1]),
          column("scope", ["model", null]),
        ],
      },
      { id: "edges", columns: [column("source", [1]), column("target", [0])] },
    ],
  } as unknown as ToolAnswer;
  const model = partsModel(answer)!;
  expect(model.edges).toEqual([{ source: 1, target: 0 }]);
  expect(model.nodes.map(({ family, inside, shape }) => [family, inside, shape])).toEqual([
    ["mixed", 5, "80 % on a TPU"],
    ["valid", 0, ""],
  ]);
  expect(partsModel({ ...answer, tables: [] })).toBeNull();
  expect([0, 0.5, 1, null].map(familyOfShare)).toEqual(["invalid", "mixed", "valid", "data"]);
});

test("the scope is in the address", () => {
  expect(FIELDS.parse(FIELDS.format({ scope: "a/b" }))).toEqual({ scope: "a/b" });
  expect(FIELDS.format(FIELDS.parse({}))).toEqual({});
});
