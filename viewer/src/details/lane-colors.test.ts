import { afterAll, expect, it, vi } from "vitest";

let isForced = true;

vi.mock("../answers/chart-colors", () => ({
  forcedColors: () => ({ matches: isForced }),
  systemColor: (_: Element, name: string) => name,
}));

// Test files share modules: another may have loaded these with the real colours, or load them next.
vi.resetModules();
const { laneColor } = await import("./lane-colors");
const { meaningColor, ColorTable } = await import("../raster/palette");

const LANE = { id: "overlap.2" };

afterAll(() => vi.resetModules());

it("tells states apart where a person forces colours", () => {
  const element = {} as Element;
  const states = ["Computation", "Exposed communication", "Exposed copies"];
  const colors = states.map((name) => laneColor(LANE, name, "light", element));
  expect(new Set(colors).size).toBe(states.length);
});

it("gives a state a colour of its kind of work", () => {
  isForced = false;
  for (const [state, meaning] of [
    ["Computation", "compute"],
    ["Exposed communication", "collective"],
    ["Exposed copies", "copy"],
    ["Operators and calls", "operator"],
    ["Launch delay", "launch"],
  ] as const) {
    const table = new ColorTable({ theme: "dark", by: "meaning", only: null });
    const names = Array.from({ length: 100 }, (_, k) => ({ name: `${k}`, category: "" }));
    table.set(0, names, () => meaning);
    const colors = names.map((_, id) => table.css(id));
    expect(colors).toContain(meaningColor(meaning, "dark"));
    expect(colors).toContain(laneColor(LANE, state, "dark", {} as Element));
  }
});

it("gives all scopes the hue of one kind, whatever their names look like", () => {
  isForced = false;
  const lane = { id: "overlap.scopes-2:3" };
  const table = new ColorTable({ theme: "light", by: "meaning", only: null });
  const names = Array.from({ length: 200 }, (_, k) => ({ name: `${k}`, category: "" }));
  table.set(0, names, () => "operator");
  const hues = new Set(names.map((_, id) => table.css(id)));
  for (const name of ["Default", "network-TrainOneStepCell", "fc3-Dense", "Computation", "all_reduce", "memcpy"]) {
    expect(hues, name).toContain(laneColor(lane, name, "light", {} as Element));
  }
});
