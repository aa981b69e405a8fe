import { afterEach, expect, it, vi } from "vitest";
import { expectField, takeTypedAhead, typeAhead } from "./typed-ahead";

const press = (key: string, more = {}) => typeAhead({ key, ctrlKey: false, metaKey: false, altKey: false, ...more });

let stop: () => void = () => undefined;
const close = vi.fn(() => stop());

afterEach(() => {
  stop();
  close.mockClear();
});

it("leaves keys alone while no field is on its way", () => {
  expect(press("p")).toBe(false);
  expect(takeTypedAhead()).toEqual({ text: "", isEntered: false });
});

it("keeps what is typed, as a field would, for the field that comes", () => {
  stop = expectField(close);
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
  stop = expectField(close);
  press("p");
  expect(press("Escape")).toBe(true);
  expect(close).toHaveBeenCalledOnce();
  expect(press("p")).toBe(false);
  expect(takeTypedAhead().text).toBe("");
});

it("forgets what was typed for a field that never came", () => {
  stop = expectField(close);
  press("h");
  press("Enter");
  stop();
  stop = expectField(close);
  expect(takeTypedAhead()).toEqual({ text: "", isEntered: false });
});
