import { afterEach, expect, it, vi } from "vitest";
import { expectField, leaveTypeAhead, takeTypedAhead, typeAhead } from "./typed-ahead";

const NO_MODIFIERS = { ctrlKey: false, metaKey: false, altKey: false, isComposing: false };

const press = (key: string, more = {}, modifier = "") =>
  typeAhead({ key, ...NO_MODIFIERS, getModifierState: (name) => name === modifier, ...more });

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

it("takes what AltGr types, and leaves characters that are not finished to the browser", () => {
  stop = expectField(close);
  expect(press("@", { ctrlKey: true, altKey: true }, "AltGraph")).toBe(true);
  expect(press("€", {}, "AltGraph")).toBe(true);
  expect(press("a", { ctrlKey: true, altKey: true })).toBe(false);
  expect([press("Dead"), press("Process"), press("k", { isComposing: true })]).toEqual([false, false, false]);
  expect(takeTypedAhead().text).toBe("@€");
});

it("ends when another field is pressed, and does nothing where none is on its way", () => {
  leaveTypeAhead();
  expect(close).not.toHaveBeenCalled();
  stop = expectField(close);
  press("p");
  leaveTypeAhead();
  expect(close).toHaveBeenCalledOnce();
  expect([press("p"), takeTypedAhead().text]).toEqual([false, ""]);
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
