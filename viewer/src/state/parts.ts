/**
 * Parts of the address that the first picture does not need, by name: tabs, sorting, lists, nodes that are picked. Their texts are
 * the state of whatever has no other; `part-text.ts` keeps a signal in step with its text, by code that may be loaded late.
 */

import { signal } from "@preact/signals";
import type { Parts } from "./location";
import { unreadParts } from "./shell";

export const parts = signal<Parts>({});

/** Names a part of the address that means nothing for this run. */
export function addUnread(part: string): void {
  unreadParts.value = [...unreadParts.peek(), part];
}
