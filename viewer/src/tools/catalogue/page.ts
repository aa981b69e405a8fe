/** The page of a tool of the server that has none of its own: a form of what it takes, and what it answers. */

import type { ToolEntry } from "@tilescope/client";
import { ToolIcon } from "../../components/icons";
import { AVAILABLE, type Page, type PageFields, type PageTexts } from "../contract";
import { definePage } from "../define";
import { rangesOf } from "../range-kinds";

/** Fields as the address has them: the parameters of a tool are known when its page is shown. */
const TEXTS: PageFields<PageTexts> = { parse: (texts) => texts, format: (texts) => texts };

const pages = new Map<string, { readonly entry: string; readonly page: Page }>();

/** The same page for the same entry, so that a page that is shown is not begun anew. */
export function cataloguePage(tool: ToolEntry): Page {
  const entry = JSON.stringify(tool);
  const before = pages.get(tool.id);
  if (before?.entry === entry) {
    return before.page;
  }
  const page = makePage(tool);
  pages.set(tool.id, { entry, page });
  return page;
}

function makePage(tool: ToolEntry): Page {
  const { id, title, help, group, available, reason, fields } = tool;
  return definePage({
    ...{ id, title, group },
    help: `${help.charAt(0).toUpperCase()}${help.slice(1)}${help.endsWith(".") ? "" : "."}`,
    icon: ToolIcon,
    keys: [],
    fields: TEXTS,
    ranges: rangesOf(fields),
    availability: () => (available ? AVAILABLE : { isAvailable: false, reason }),
    load: async () => (await import("../views")).viewOf(tool),
  });
}
