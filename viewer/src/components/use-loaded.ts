/** Code that is loaded when it is first needed, as components see it. */

import type { Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { retries } from "../state/link";
import { failure } from "../state/shell";
import { expectField } from "../state/typed-ahead";

/** A value that is here at once, or on its way. */
export type Loaded<T> = T | Promise<T>;

export type LoadState<T> =
  | { readonly kind: "loading" }
  | { readonly kind: "failed" }
  | { readonly kind: "ready"; readonly value: T };

/** So long after the first picture that is loaded which is needed when the server is away. */
export const SOON_MS = 1000;

const LOADING = { kind: "loading" } as const;

/** Value that `load` gives for a name; one that is here at once is ready at once. */
export function useLoaded<T>(name: string, load: () => Loaded<T>): LoadState<T> {
  const [loaded, setLoaded] = useState<{ readonly name: string; readonly state: LoadState<T> }>(() =>
    begin(name, load),
  );
  // Code that was not to be had while the server was away.
  const times = loaded.state.kind === "failed" ? retries.value : retries.peek();
  useEffect(() => {
    let isWanted = true;
    const now = load();
    const set = (state: LoadState<T>) => isWanted && setLoaded({ name, state });
    if (now instanceof Promise) {
      now.then(
        (value) => set({ kind: "ready", value }),
        () => set({ kind: "failed" }),
      );
    } else if (loaded.name !== name || loaded.state.kind !== "ready") {
      set({ kind: "ready", value: now });
    }
    return () => {
      isWanted = false;
    };
  }, [name, times]);
  return loaded.name === name ? loaded.state : LOADING;
}

/**
 * For a dialog with a field: what is typed while it is loaded is kept for it. What cannot be loaded is closed, and that is said. With
 * the page that it belongs to it closes as well.
 */
export function useLateField({ kind }: LoadState<unknown>, isOpen: Signal<boolean>, what: string): void {
  useLayoutEffect(() => {
    const close = () => {
      isOpen.value = false;
    };
    return kind === "loading" ? expectField(close) : undefined;
  }, [kind, isOpen]);
  useEffect(
    () => () => {
      isOpen.value = false;
    },
    [isOpen],
  );
  useEffect(() => {
    if (kind === "failed") {
      isOpen.value = false;
      failure.value = `${what} could not be loaded: the server does not answer.`;
    }
  }, [kind, isOpen, what]);
}

function begin<T>(name: string, load: () => Loaded<T>): { readonly name: string; readonly state: LoadState<T> } {
  const now = load();
  if (now instanceof Promise) {
    // It is awaited by the effect; here it must not count as a rejection that nobody heard of.
    now.catch(() => undefined);
    return { name, state: LOADING };
  }
  return { name, state: { kind: "ready", value: now } };
}
