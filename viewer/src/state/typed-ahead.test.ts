import { afterEach, expect, it } from "vitest";
import { isFinderOpen, isPaletteOpen } from "./shell";
import { takeTypedAhead, typeAhead } from "./typed-ahead";

const press = (key: string, more = {}) => typeAhead({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });

afterEach(() => {
  isPaletteOpen.value = false;
  isFinderOpen.value = false;
  takeTypedAhead();
});

it("leaves keys alone while no field is on its way", () => {
  expect(press("p")).toBe(false);
  expect(takeTypedAhead()).toEqual({ text: "", isEntered: false });
});

it("keeps what is typed, as a field would, for the field that comes", () => {
  isPaletteOpen.value = true;
  const strokes = ["p", "i", "y", "Backspace", "x", "Shift", "ArrowDown"];
  expect(strokes.map((key) => press(key))).toEqual(strokes.map(() => true));
  expect([press("r", { ctrlKey: true }), press("F5")]).toEqual([false, false]);
  expect(takeTypedAhead()).toEqual({ text: "pix", isEntered: false });
  press("t");
  press("Enter");
  press("u");
  expect(takeTypedAhead()).toEqual({ text: "t", isEntered: true });
  expect(takeTypedAhead()).toEqual({ text: "", isEntered: false });
});

it("gives up with Escape", () => {
  isFinderOpen.value = true;
  press("p");
  expect(press("Escape")).toBe(true);
  expect(isFinderOpen.value).toBe(false);
  expect(press("p")).toBe(false);
  expect(takeTypedAhead().text).toBe("");
});
