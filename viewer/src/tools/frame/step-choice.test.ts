import { expect, test } from "vitest";
import { besideStepChoice, candidatesOf, candidateText } from "./step-choice";

const column = (id: string, values: readonly unknown[]) => ({ id, title: id, kind: "text", unit: "", values });

test("candidates are those of the answer, in its order, with counts and mean length", () => {
  const columns = [
    column("name", ["jit_f(12)", "jit_g(5)"]),
    column("count", ["400", "7"]),
    column("devices", ["4", "1"]),
    column("mean", ["784145000", "5"]),
    column("proposed", [true, false]),
  ];
  const tables = [{ id: "step_candidates", columns }] as unknown as Parameters<typeof candidatesOf>[0]["tables"];
  const [first, second] = candidatesOf({ tables });
  expect(first).toEqual({ name: "jit_f(12)", count: 400n, devices: 4n, mean: 784145000n, isProposed: true });
  expect(second!.isProposed).toBe(false);
  expect(candidateText(first!, { tickPs: 1000 })).toMatch(/^400 times on 4 devices, 784\.\d+.ms on average$/);
  expect(candidateText(second!, { tickPs: 1000 })).toMatch(/^7 times on 1 device, /);
});

test("a run that marks steps has no candidates", () => {
  expect(candidatesOf({ tables: [] })).toEqual([]);
});

test("what the choice shows stands in the answer no more, and notes name its field", () => {
  const columns = [column("name", ["jit_f(12)"]), column("count", ["4"]), column("devices", ["4"])];
  columns.push(column("mean", ["5"]), column("proposed", [true]));
  const note = (text: string) => ({ severity: "info", text });
  const notes = [note("The steps may be 'jit_f(12)': say with step_name that they are."), note("Use step_name, too.")];
  const answer = {
    facts: [],
    series: [],
    notes,
    tables: [
      { id: "step_candidates", columns },
      { id: "cores", columns: [] },
    ],
  };
  const shown = besideStepChoice(answer as unknown as Parameters<typeof besideStepChoice>[0]);
  expect(shown.tables.map(({ id }) => id)).toEqual(["cores"]);
  expect(shown.notes.map(({ text }) => text)).toEqual(["Use “Steps are called”, too."]);
});
