/** The answer of the tool `model_graph` as a drawing of `tools/graph`. */

import type { ToolAnswer } from "@tilescope/client";
import { percentDigits } from "../../components/percent";
import type { Family, GraphModel } from "../graph/model";

/** By the share of operations that a TPU can run; null: none is judged. */
export function familyOfShare(share: number | null): Family {
  return share === null ? "data" : share === 1 ? "valid" : share === 0 ? "invalid" : "mixed";
}

/** The operations below a part of the scope that the answer is about, of those that a TPU cannot run. */
export function lackingIn(answer: ToolAnswer, scope: string, part: string): readonly { name: string; op: string }[] {
  const table = answer.tables.find(({ id }) => id === "not_on_tpu");
  const values = (id: string) => table?.columns.find((column) => column.id === id)?.values.map(String) ?? [];
  const [names, ops] = [values("name"), values("op")];
  const whole = scope === "" ? part : `${scope}/${part}`;
  return names
    .map((name, row) => ({ name, op: ops[row] ?? "" }))
    .filter(({ name }) => name === whole || name.startsWith(`${whole}/`));
}

/** Attributes of the operation of a row: its answer has a line for each, the name before the first colon. */
export function attributesOf(answer: ToolAnswer, row: number): readonly { title: string; text: string }[] {
  const table = answer.tables.find(({ id }) => id === "nodes");
  const lines = table?.columns.find(({ id }) => id === "attributes")?.values[row];
  if (typeof lines !== "string") {
    return [];
  }
  return lines.split("\n").map((line) => {
    const colon = line.indexOf(": ");
    return colon < 0 ? { title: line, text: "" } : { title: line.slice(0, colon), text: line.slice(colon + 2) };
  });
}

/** Null where the answer has no parts. */
export function partsModel(answer: ToolAnswer): GraphModel | null {
  const nodes = answer.tables.find(({ id }) => id === "nodes");
  const edges = answer.tables.find(({ id }) => id === "edges");
  const values = (table: typeof nodes, id: string) => table?.columns.find((column) => column.id === id)?.values ?? [];
  const names = values(nodes, "name");
  if (names.length === 0) {
    return null;
  }
  const [shares, verdicts] = [values(nodes, "share"), values(nodes, "verdict")];
  const [opcodes, counts, scopes] = [values(nodes, "opcode"), values(nodes, "operations"), values(nodes, "scope")];
  const [sources, targets] = [values(edges, "source"), values(edges, "target")];
  return {
    nodes: names.map((name, row) => {
      const share = shares[row] === null ? null : Number(shares[row]);
      const isScope = (scopes[row] ?? null) !== null;
      return {
        row,
        name: String(name),
        opcode: isScope ? "" : String(opcodes[row]),
        shape: share === null ? String(verdicts[row]) : isScope ? `${percentDigits(share, 0)} % on a TPU` : "",
        family: familyOfShare(share),
        share: share === 0 || share === 1 ? null : share,
        distance: 0,
        inside: isScope ? Number(counts[row]) : 0,
        isOpen: false,
        frame: -1,
      };
    }),
    edges: sources.map((source, row) => ({ source: Number(source), target: Number(targets[row]) })),
    middle: 0,
  };
}
