import { Signal } from "@preact/signals";
import { expect, it } from "vitest";
import { makePane } from "./pane";
import { perPane } from "./per-pane";
import { openAll, setFilter, toggleGroup } from "./tracks";

it("shares no signal with another pane", () => {
  const [first, second] = [makePane(), makePane()];
  const signals = Object.entries(first).filter(([, value]) => value instanceof Signal);
  expect(signals.length).toBeGreaterThan(30);
  for (const [name, value] of signals) {
    expect(second[name as keyof typeof second], name).not.toBe(value);
  }
});

it("is changed alone", () => {
  const [first, second] = [makePane(), makePane()];
  openAll(first, ["g1", "g2"]);
  toggleGroup(first, "g2");
  setFilter(first, "stream");
  first.selection.value = { kind: "event", track: 1, ordinal: 2 };
  expect([...first.openGroups.value]).toEqual(["g1"]);
  expect(first.isFiltered.value).toBe(true);
  expect([...second.openGroups.value]).toEqual([]);
  expect(second.isFiltered.value).toBe(false);
  expect(second.selection.value.kind).toBe("none");
});

it("has one late state of each kind", () => {
  const [first, second] = [makePane(), makePane()];
  const stateOf = perPane(({ view }) => ({ view }));
  expect(stateOf(first)).toBe(stateOf(first));
  expect(stateOf(first).view).toBe(first.view);
  expect(stateOf(second).view).toBe(second.view);
});
