import { expect, it } from "vitest";
import { DimmedColors } from "./dimmed";
import { ColorTable } from "./palette";

it("keeps the colours of some names, and brings the others near to the ground", () => {
  const colors = new ColorTable("light");
  colors.set(0, [
    { name: "a", category: "x" },
    { name: "b", category: "y" },
  ]);
  const white = 0xffffff;
  const dimmed = new DimmedColors(colors, (id) => id === 1, white, 0.25, "#777");
  expect(dimmed.table[1]).toBe(colors.table[1]);
  expect(dimmed.text(1)).toBe(colors.text(1));
  expect(dimmed.text(0)).toBe("#777");
  for (const shift of [0, 8, 16]) {
    const before = (colors.table[0]! >> shift) & 255;
    const after = (dimmed.table[0]! >> shift) & 255;
    expect(after).toBe(Math.round(255 + (before - 255) * 0.25));
  }
  expect(dimmed.neutral).not.toBe(colors.neutral);
  expect(dimmed.table.length).toBe(colors.table.length);
});
