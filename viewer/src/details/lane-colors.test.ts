import { afterEach, expect, it, vi } from "vitest";

vi.mock("../answers/chart-colors", () => ({
  forcedColors: () => ({ matches: true }),
  systemColor: (_: Element, name: string) => name,
}));

import { laneColor } from "./lane-colors";

afterEach(() => vi.restoreAllMocks());

it("tells states apart where a person forces colours", () => {
  const element = {} as Element;
  const states = ["Computation", "Exposed communication", "Exposed copies"];
  const colors = states.map((name) => laneColor(name, "light", element));
  expect(new Set(colors).size).toBe(states.length);
});
