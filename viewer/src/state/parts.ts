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

/** The parts of the page as a whole: how answers are shown, the second pane, and which of the two a page of a tool is of. */
const PAGE_PARTS = ["tabs", "tables", "at", "second", "split", "align", "pane"];

export const pageParts = signal<Parts>({});

/** Parts of an address that are about the second pane. */
export function panesOf({ second, split, align }: Parts): Parts {
  return Object.fromEntries(
    Object.entries({ second, split, align }).flatMap(([name, text]) => (text ? [[name, text]] : [])),
  );
}

/** Parts of an address that belong to the page, or else to its pane. */
export function partsOf(parts: Parts, isOfPage: boolean): Parts {
  return Object.fromEntries(Object.entries(parts).filter(([name]) => PAGE_PARTS.includes(name) === isOfPage));
}

/** Names a part of the address that means nothing for this run. */
export function addUnread(part: string): void {
  unreadParts.value = [...unreadParts.peek(), part];
}
