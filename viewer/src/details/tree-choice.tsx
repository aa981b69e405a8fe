/** Choice between a call tree of all tracks of a selection, and one of each. */

import { GROUPING_TEXTS, GROUPINGS, type TreeGrouping } from "../answers/tree-groupings";
import { useApp } from "../components/app-context";
import { spanTabs } from "./span-tabs";

export function TreeChoice() {
  const { pane } = useApp();
  return (
    <div class="group-choice">
      <select
        aria-label="Trees"
        value={spanTabs(pane).chosenTrees.value}
        onChange={(event) => {
          spanTabs(pane).chosenTrees.value = event.currentTarget.value as TreeGrouping;
        }}
      >
        {GROUPINGS.map((choice) => (
          <option key={choice} value={choice}>
            {GROUPING_TEXTS[choice]}
          </option>
        ))}
      </select>
    </div>
  );
}
