import { afterAll, expect, it, vi } from "vitest";

vi.mock("../answers/chart-colors", () => ({
  forcedColors: () => ({ matches: true }),
  systemColor: (_: Element, name: string) => name,
}));

// Test files share modules: another may have loaded these with the real colours, or load them next.
vi.resetModules();
const { laneColor } = await import("./lane-colors");

afterAll(() => vi.resetModules());

it("tells states apart where a person forces colours", () => {
  const element = {} as Element;
  const states = ["Computation", "Exposed communication", "Exposed copies"];
  const colors = states.map((name) => laneColor(name, "light", element));
  expect(new Set(colors).size).toBe(states.length);
});
