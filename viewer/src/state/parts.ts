/**
 * Parts of the address that the first picture does not need, by name: tabs, sorting, lists, nodes that are picked. Their texts are
 * the state of whatever has no other; `part-text.ts` keeps a signal in step with its text, by code that may be loaded late.
 */

import { signal } from "@preact/signals";
import type { Parts } from "./location";
import { unreadParts } from "./shell";

export function partState() {
  return { parts: signal<Parts>({}) };
}

/** The parts that say how pages and tables are shown: those of the page as a whole. */
export const PAGE_PARTS = ["tabs", "tables", "at"];

export const pageParts = signal<Parts>({});

/** Names a part of the address that means nothing for this run. */
export function addUnread(part: string): void {
  unreadParts.value = [...unreadParts.peek(), part];
}
