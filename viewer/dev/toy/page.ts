/** A page as docs/recipes.md tells one to add it; `vite.config.ts` beside it puts its line into the registry. */

import { ToolIcon } from "../../src/components/icons";
import { typed } from "../../src/keys/table";
import { AVAILABLE } from "../../src/tools/contract";
import { definePage } from "../../src/tools/define";
import { FIELDS } from "./fields";

export const toyPage = definePage({
  id: "busiest",
  title: "Busiest",
  help: "Which names keep the run busy most.",
  group: "toys",
  icon: ToolIcon,
  keys: [{ keys: [typed("m", "M")], action: "more", label: "Twice as many names" }],
  fields: FIELDS,
  availability: ({ events }) =>
    events.total > 0n ? AVAILABLE : { isAvailable: false, reason: "this run has no events: record some" },
  load: async () => (await import("./view")).ToyView,
});
