import { type ToolEntry, ticks } from "@tilescope/client";
import { expect, it } from "vitest";
import { AVAILABLE, NO_FIELDS } from "./contract";
import { definePage } from "./define";
import { grouped } from "./groups";
import { pageAmong, withCatalogue } from "./registry";
import { timelinePage } from "./timeline/page";

const entry = (id: string, more: Partial<ToolEntry> = {}): ToolEntry => ({
  ...{ id, title: id, help: "what it answers", group: "events", available: true, reason: "", fields: [] },
  ...more,
});
const own = definePage({
  ...{ id: "stats", title: "Own", help: "", group: "mine", keys: [], fields: NO_FIELDS },
  icon: () => null,
  availability: () => AVAILABLE,
  load: () => () => null,
});

it("each tool has a page, and one with the id of a tool stands in its place", () => {
  const pages = withCatalogue([timelinePage, own], [entry("stats"), entry("find")]);
  expect(pages.map(({ id, title }) => [id, title])).toEqual([
    ["timeline", "Timeline"],
    ["stats", "Own"],
    ["find", "find"],
  ]);
});

it("pages are grouped by what they answer, once each, and unknown groups are others", () => {
  const pages = withCatalogue(
    [timelinePage, own],
    [entry("find", { group: "raw" }), entry("overview", { group: "overview" }), entry("steps", { group: "time" })],
  );
  expect(grouped(pages).map(({ heading, pages: members }) => [heading, members.map(({ id }) => id)])).toEqual([
    ["", ["timeline", "overview"]],
    ["Where does the time go?", ["steps"]],
    ["Raw data", ["find"]],
    ["Other", ["stats"]],
  ]);
});

it("no name is the timeline, and a name of nothing is no page", () => {
  expect(pageAmong([timelinePage, own], null)).toBe(timelinePage);
  expect(pageAmong([timelinePage, own], "stats")).toBe(own);
  expect(pageAmong([timelinePage, own], "gone")).toBeNull();
});

it("a tool without an answer says why, and the same entry is the same page", () => {
  const absent = entry("absent", { available: false, reason: "record it" });
  const [page] = withCatalogue([], [absent]);
  // The answer to "is it available" comes with the list of tools, and not from the manifest.
  const manifest = { range: { startTicks: ticks(0), endTicks: ticks(1) } } as never;
  expect(page!.availability(manifest)).toEqual({ isAvailable: false, reason: "record it" });
  expect(withCatalogue([], [{ ...absent }])[0]).toBe(page);
  expect(page!.help).toBe("What it answers.");
});
