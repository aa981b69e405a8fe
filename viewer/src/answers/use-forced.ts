/** Signal that is true while the system forces its colours upon the page. */

import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { forcedColors } from "./chart-colors";

export function useForced(): ReadonlySignal<boolean> {
  const isForced = useSignal(false);
  useEffect(() => {
    const query = forcedColors();
    const change = () => {
      isForced.value = query.matches;
    };
    change();
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, [isForced]);
  return isForced;
}
