/** Choice between a call tree of all tracks of a selection, and one of each. */

import { GROUPING_TEXTS, GROUPINGS, type TreeGrouping } from "../answers/tree-groupings";
import { chosenTrees } from "./span-tabs";

export function TreeChoice() {
  return (
    <div class="group-choice">
      <select
        aria-label="Trees"
        value={chosenTrees.value}
        onChange={(event) => {
          chosenTrees.value = event.currentTarget.value as TreeGrouping;
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
