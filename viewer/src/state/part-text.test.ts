import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import { makePane } from "./pane";
import { bindPart, setPart } from "./part-text";
import { unreadParts } from "./shell";

const pane = makePane();

it("keeps a text and what it says in step, whichever of them changes", () => {
  pane.parts.value = { at: "5" };
  unreadParts.value = [];
  const place = signal(0);
  const stop = bindPart(
    pane.parts,
    "at",
    () => (place.value === 0 ? null : `${place.value}`),
    (text) => {
      place.value = Number(text ?? 0) || 0;
      return text === null || place.value > 0;
    },
  );
  expect(place.value).toBe(5);
  place.value = 7;
  expect(pane.parts.value).toEqual({ at: "7" });
  // Another part is none of its business, also while it has something to write itself.
  setPart(pane.parts, "other", "gaps");
  expect([place.value, pane.parts.value.at]).toEqual([7, "7"]);
  pane.parts.value = { other: "gaps" };
  expect(place.value).toBe(0);
  pane.parts.value = { at: "x" };
  expect([pane.parts.value, unreadParts.value]).toEqual([{}, ["at=x"]]);
  stop();
  place.value = 9;
  expect(pane.parts.value.at).not.toBe("9");
});

it("writes what is so before there is a text", () => {
  pane.parts.value = {};
  const place = signal(3);
  const stop = bindPart(
    pane.parts,
    "at",
    () => `${place.value}`,
    (text) => {
      place.value = Number(text);
      return true;
    },
  );
  expect([place.value, pane.parts.value.at]).toEqual([3, "3"]);
  stop();
  pane.parts.value = {};
});
