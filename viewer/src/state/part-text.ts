/** Writing and reading of one part of the address, by code that is loaded late. */

import { computed, effect, type Signal, untracked } from "@preact/signals";
import type { Parts } from "./location";
import { addUnread, pageParts } from "./parts";

/** A null or empty text leaves the part out. */
export function setPart(parts: Signal<Parts>, name: string, text: string | null): void {
  const before = parts.peek();
  if ((before[name] ?? "") !== (text ?? "")) {
    const { [name]: _gone, ...others } = before;
    parts.value = text ? { ...others, [name]: text } : others;
  }
}

/** The thing that is picked on a page: a node, a buffer, a core. Empty: none. */
export const picked = computed(() => pageParts.value.at ?? "");

export function pick(text: string): void {
  setPart(pageParts, "at", text);
}

/**
 * Keeps a part in step with what it says. `format` reads signals; `take` takes up a text that has come with an address, null where there
 * is none, and returns false where it means nothing: the address does not keep it. What is so before there is a text is written.
 * Returns what ends it.
 */
export function bindPart(
  parts: Signal<Parts>,
  name: string,
  format: () => string | null,
  take: (text: string | null) => boolean,
): () => void {
  // What has been written here is not taken again.
  let last: string | null = null;
  const stops = [
    effect(() => {
      const text = parts.value[name] ?? null;
      untracked(() => {
        if (text !== last) {
          last = text;
          if (!take(text)) {
            addUnread(`${name}=${text}`);
            last = format() || null;
            setPart(parts, name, last);
          }
        }
      });
    }),
    effect(() => {
      last = format() || null;
      untracked(() => setPart(parts, name, last));
    }),
  ];
  return () => {
    for (const stop of stops) {
      stop();
    }
  };
}
