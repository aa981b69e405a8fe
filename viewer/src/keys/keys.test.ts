import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bindingInSearch, bindingOf, takesText } from "./dispatch";
import { GESTURE_TABLE } from "./gesture-table";
import { GESTURES, gestureOf } from "./gestures";
import { keysMarkdown } from "./markdown";
import { KEY_TABLE, keysOf, withKeys } from "./table";

const plain = { code: "", key: "", ctrlKey: false, metaKey: false, altKey: false };

describe("the key table", () => {
  it("binds no key twice", () => {
    const all = KEY_TABLE.flatMap((binding) =>
      binding.keys.map(
        (chord) => `${binding.inSearch ?? ""} ${chord.modifier ?? ""} ${chord.shift ?? ""} ${chord.by}:${chord.value}`,
      ),
    );
    expect(new Set(all).size).toBe(all.length);
  });

  it("has one entry per intent", () => {
    expect(new Set(KEY_TABLE.map((binding) => binding.intent)).size).toBe(KEY_TABLE.length);
  });

  it("finds W by its place, whatever the layout types there", () => {
    expect(bindingOf({ ...plain, code: "KeyW", key: "z" })?.intent).toBe("zoom-in");
  });

  it("finds keys by their place where they type no Latin character", () => {
    const q = { ...plain, code: "KeyQ", key: "й" };
    expect(bindingOf(q)?.intent).toBe("toggle-drawer");
    expect(bindingOf({ ...plain, code: "KeyB", key: "И", shiftKey: true })?.intent).toBe("toggle-table");
    expect(bindingOf({ ...plain, code: "KeyT", key: "е" })?.intent).toBe("toggle-theme");
    expect(bindingOf({ ...plain, code: "KeyP", key: "з", ctrlKey: true })?.intent).toBe("find-track");
    expect(bindingOf({ ...plain, code: "KeyP", key: "З", ctrlKey: true, shiftKey: true })?.intent).toBe("show-palette");
    expect(bindingOf({ ...plain, code: "KeyM", key: "Ь", shiftKey: true })?.intent).toBe("keep-mark");
    expect(bindingOf({ ...plain, code: "KeyW", key: "ц" })?.intent).toBe("zoom-in");
    expect(bindingOf({ ...plain, code: "BracketLeft", key: "х" })?.intent).toBe("flow-back");
    expect(bindingOf({ ...plain, code: "Digit2", key: "ě" })?.intent).toBe("pan-tool");
    // Alt and a letter types signs on a Mac, which are the browser's.
    expect(bindingOf({ ...plain, code: "KeyQ", key: "œ", altKey: true })).toBeUndefined();
  });

  it("has the letter on a key do what is said of it, also where that is another place", () => {
    // A French keyboard: Q is where others have A, and the other way round.
    expect(bindingOf({ ...plain, code: "KeyA", key: "q" })?.intent).toBe("toggle-drawer");
    expect(bindingOf({ ...plain, code: "KeyQ", key: "a" })?.intent).toBe("pan-left");
    expect(bindingOf({ ...plain, code: "KeyW", key: "z" })?.intent).toBe("zoom-in");
    expect(bindingOf({ ...plain, code: "KeyZ", key: "w" })?.intent).toBe("zoom-in");
    expect(bindingOf({ ...plain, code: "Semicolon", key: "m" })?.intent).toBe("mark");
    expect(bindingOf({ ...plain, code: "Digit3", key: '"' })?.intent).toBe("zoom-tool");
    expect(bindingOf({ ...plain, code: "Digit6", key: "-" })?.intent).toBe("step-zoom-out");
    expect(bindingOf({ ...plain, code: "Digit3", key: "#", shiftKey: true })).toBeUndefined();
    // Colemak: S is where others have D, which is where others have G.
    expect(bindingOf({ ...plain, code: "KeyD", key: "s" })?.intent).toBe("zoom-out");
    expect(bindingOf({ ...plain, code: "KeyG", key: "d" })?.intent).toBe("pan-right");
  });

  it("takes signs that need Alt, or the two keys that stand for it", () => {
    expect(bindingOf({ ...plain, code: "Digit5", key: "[", altKey: true })?.intent).toBe("flow-back");
    expect(bindingOf({ ...plain, code: "Digit9", key: "]", altKey: true, ctrlKey: true })?.intent).toBe("flow-forward");
    expect(bindingOf({ ...plain, code: "BracketLeft", key: "[", ctrlKey: true })).toBeUndefined();
  });

  it("finds letters with and without shift", () => {
    expect(bindingOf({ ...plain, code: "KeyF", key: "f" })?.intent).toBe("focus-selection");
    expect(bindingOf({ ...plain, code: "KeyF", key: "F" })?.intent).toBe("focus-selection");
  });

  it("leaves ctrl, alt and meta to the browser", () => {
    expect(bindingOf({ ...plain, code: "KeyW", key: "w", ctrlKey: true })).toBeUndefined();
    expect(bindingOf({ ...plain, key: "k", metaKey: true })).toBeUndefined();
    expect(bindingOf({ ...plain, key: "0", altKey: true })).toBeUndefined();
  });

  it("knows keys that are pressed with another one, and only with that", () => {
    const up = { ...plain, code: "ArrowUp", key: "ArrowUp" };
    expect(bindingOf({ ...up, altKey: true })?.intent).toBe("move-track-up");
    expect(bindingOf(up)?.intent).toBe("parent-slice");
    expect(bindingOf({ ...up, ctrlKey: true })).toBeUndefined();
    expect(bindingOf({ ...up, altKey: true, ctrlKey: true })).toBeUndefined();
  });

  it("knows keys that are another one's with shift", () => {
    const m = { ...plain, code: "KeyM", key: "m" };
    expect(bindingOf(m)?.intent).toBe("mark");
    expect(bindingOf({ ...m, key: "M", shiftKey: true })?.intent).toBe("keep-mark");
    expect(bindingOf({ ...plain, code: "KeyF", key: "F", shiftKey: true })?.intent).toBe("focus-selection");
  });

  it("tells a key with shift from the same key without, and keys of the search from others", () => {
    const p = { ...plain, code: "KeyP", key: "P", ctrlKey: true };
    expect(bindingOf({ ...p, shiftKey: true })?.intent).toBe("show-palette");
    expect(bindingOf(p)?.intent).toBe("find-track");
    const enter = { ...plain, code: "Enter", key: "Enter" };
    expect(bindingInSearch(enter)?.intent).toBe("next-hit");
    expect(bindingInSearch({ ...enter, shiftKey: true })?.intent).toBe("previous-hit");
    expect(bindingOf({ ...plain, key: "Escape" })?.intent).toBe("clear");
    expect(bindingInSearch({ ...plain, key: "Escape" })?.intent).toBe("clear-search");
    expect(bindingInSearch({ ...plain, key: "a" })).toBeUndefined();
  });

  it("names keys in tooltips", () => {
    expect(keysOf("step-zoom-in")).toBe("+ =");
    expect(withKeys("Whole trace", "fit-run")).toBe("Whole trace (0)");
  });
});

describe("takesText", () => {
  it("knows what takes text", () => {
    expect(takesText(null)).toBe(false);
    expect(takesText({ tagName: "BODY" })).toBe(false);
    expect(takesText({ tagName: "INPUT", type: "text" })).toBe(true);
    expect(takesText({ tagName: "INPUT", type: "checkbox" })).toBe(false);
    expect(takesText({ tagName: "TEXTAREA" })).toBe(true);
    expect(takesText({ tagName: "DIV", isContentEditable: true })).toBe(true);
  });
});

describe("the mouse table", () => {
  it("has words for each row", () => {
    expect(GESTURE_TABLE.every(({ shown, label }) => shown !== undefined && label !== undefined)).toBe(true);
    expect(GESTURE_TABLE.find(({ gesture }) => gesture === "zoom-by-height")?.shown).toBe("Drag, tool 3");
    expect(GESTURES[GESTURES.length - 1]!.gesture).toBe("zoom-to-event");
    expect(GESTURE_TABLE[GESTURES.length - 1]!.label).toBe("Zoom to the slice");
  });

  it("binds no input twice", () => {
    const all = GESTURE_TABLE.map((entry) => `${entry.input} ${entry.modifier} ${entry.tool ?? ""}`);
    expect(new Set(all).size).toBe(all.length);
  });

  it("dispatches", () => {
    expect(gestureOf("wheel", "ctrl")).toBe("zoom-at-pointer");
    expect(gestureOf("left-drag", "space")).toBe("pan");
    expect(gestureOf("horizontal-wheel", "ctrl")).toBeUndefined();
  });

  it("dispatches by tool where a row names it", () => {
    expect(gestureOf("left-drag", "none")).toBe("select-area");
    expect(gestureOf("left-drag", "none", "pan")).toBe("pan");
    expect(gestureOf("left-drag", "none", "zoom")).toBe("zoom-by-height");
    expect(gestureOf("left-drag", "none", "timing")).toBe("measure");
    expect(gestureOf("left-drag", "shift", "timing")).toBe("pan");
    expect(gestureOf("middle-drag", "none", "pan")).toBe("zoom-to-range");
    expect(gestureOf("click", "ctrl", "timing")).toBe("add-event");
  });
});

it("docs/keys.md says what the tables say", () => {
  expect(readFileSync(new URL("../../../docs/keys.md", import.meta.url), "utf8")).toBe(keysMarkdown());
});
