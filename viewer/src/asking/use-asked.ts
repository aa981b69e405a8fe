/** Asks something when a part of the page is shown, and again when the question has changed or the server is back. */

import { useEffect, useRef } from "preact/hooks";
import { revivals } from "../state/link";
import { Asker, type Asking } from "./asking";

export interface Asked<T> {
  readonly asking: Asking<T>;
  cancel(): void;
  again(): void;
}

/** The answer to what `ask` asks; `key` says when it is another question. */
export function useAsked<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Asked<T> {
  const held = useRef<Asker<T> | null>(null);
  held.current ??= new Asker<T>();
  const asker = held.current;
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    asker.ask((signal) => latest.current(signal));
  }, [asker, key]);
  const times = revivals.value;
  useEffect(() => {
    // What the server could not be asked while it was away.
    if (times > 0 && asker.state.peek().kind === "failed") {
      asker.ask((signal) => latest.current(signal));
    }
  }, [asker, times]);
  useEffect(() => () => asker.close(), [asker]);
  return {
    asking: asker.state.value,
    cancel: () => asker.cancel(),
    again: () => asker.ask((signal) => latest.current(signal)),
  };
}
