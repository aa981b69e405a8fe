/** Registry of pages: those with code of their own, and one for each other tool of the server. */

import { computed } from "@preact/signals";
import type { ToolEntry } from "@tilescope/client";
import { catalogue } from "../state/catalogue";
import { page } from "../state/page";
import { cataloguePage } from "./catalogue/page";
import type { Page } from "./contract";
import { timelinePage } from "./timeline/page";

/** SQL over the run's tables: a page of the server that is no tool. */
const QUERY: ToolEntry = {
  id: "query",
  title: "Query",
  help: "SQL over the tables of the run",
  group: "raw",
  available: true,
  reason: "",
  fields: [],
};

/** In the order of the menu; the timeline is the first. */
const OWN_PAGES: readonly Page[] = [timelinePage];

/** All pages, as far as they are known: those of the server's tools follow when somebody has asked for them. */
export const pages = computed<readonly Page[]>(() => {
  const { value } = catalogue;
  return value.kind === "ready" ? withCatalogue(OWN_PAGES, [...value.tools, QUERY]) : OWN_PAGES;
});

/** The page that is shown; null while it is not known yet, or where there is none of that name. */
export const currentPage = computed<Page | null>(() => pageAmong(pages.value, page.value.tool));

/** The page of that name; null is the first. */
export function pageAmong(pages: readonly Page[], id: string | null): Page | null {
  return (id === null ? pages[0] : pages.find((page) => page.id === id)) ?? null;
}

/** Pages, and generic ones for those tools that none of them stands for. */
export function withCatalogue(own: readonly Page[], tools: readonly ToolEntry[]): readonly Page[] {
  return [...own, ...tools.filter(({ id }) => own.every((page) => page.id !== id)).map(cataloguePage)];
}
