/** What a person is still changing: taken when it has stood still for a moment. */

import { useEffect, useState } from "preact/hooks";

/** Long enough that an edge that is dragged asks nothing on its way, too short to be waited for. */
const SETTLED_MS = 120;

/** The last value that stood still, or that is not being changed at all; `key` says when it is another one. */
export function useSettled<T>(value: T, key: string, isMoving: boolean): { readonly key: string; readonly value: T } {
  const [settled, setSettled] = useState({ key, value });
  const isBehind = settled.key !== key;
  useEffect(() => {
    if (!isBehind) {
      return;
    }
    const timer = setTimeout(() => setSettled({ key, value }), isMoving ? SETTLED_MS : 0);
    return () => clearTimeout(timer);
  }, [key, isBehind, isMoving]);
  return isMoving && isBehind ? settled : { key, value };
}
