/** Signal that is true while a media query matches. */

import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export function useMatches(find: () => MediaQueryList): ReadonlySignal<boolean> {
  const matches = useSignal(false);
  useEffect(() => {
    const query = find();
    const change = () => {
      matches.value = query.matches;
    };
    change();
    query.addEventListener("change", change);
    return () => query.removeEventListener("change", change);
  }, [matches, find]);
  return matches;
}
