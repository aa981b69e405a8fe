/** Signal that is true while the system forces its colours upon the page. */

import type { ReadonlySignal } from "@preact/signals";
import { forcedColors } from "./chart-colors";
import { useMatches } from "./use-matches";

export function useForced(): ReadonlySignal<boolean> {
  return useMatches(forcedColors);
}
