import { expect, test, vi } from "vitest";
import { isForPages, pageWays } from "./row-pages";
import { column, table } from "./test-tables";

const names = column("name", "name", ["aten::mm", "idle"]);
const events = column("event_name", "text", ["aten::mm", null]);
const opens = [
  { tool: "kernels", label: "Kernels", columns: { operation: "event_name" }, values: { tracks: "3" } },
  { tool: "gone", label: "Gone", columns: { name: "event_name" }, values: {} },
];

test("a row opens the page of a tool with the fields that it fills; a row without them, and a tool without a page, lead nowhere", () => {
  const open = vi.fn();
  const toolPage = vi.fn((id: string) => (id === "kernels" ? { title: "Kernels", open } : null));
  const [way, ...others] = pageWays(table([names, events], { opens }), { toolPage });
  expect(others).toEqual([]);
  expect([0, 1].map((row) => way?.leads?.(row))).toEqual([true, false]);
  way?.go(0);
  expect(toolPage).toHaveBeenLastCalledWith("kernels", { operation: "aten::mm", tracks: "3" });
  expect(open).toHaveBeenCalledOnce();
  expect(pageWays(table([names, events], { opens }), {})).toEqual([]);
});

test("texts that fill questions are for programs, names are not", () => {
  const shown = table([names, events], { opens: [{ ...opens[0]!, columns: { operation: "event_name", a: "name" } }] });
  expect(shown.columns.map((each) => isForPages(shown, each))).toEqual([false, true]);
});
