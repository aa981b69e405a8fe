/** Open parts of the page's frame. */

import { signal } from "@preact/signals";
import { isEmbedded } from "./location";

/** True if the page is part of another one; it stays so. */
export const embedded = isEmbedded(globalThis.location?.search ?? "");

export const isHelpOpen = signal(false);
/** The command palette. */
export const isPaletteOpen = signal(false);

/** A short sentence for screen readers; each new one is read out politely. */
export const announcement = signal("");

/** The sentence that is seen for a moment; empty for none. */
export const notice = signal("");

/** Answers an action that changes nothing where one looks: seen for a moment, and read out. */
export function showNotice(text: string): void {
  notice.value = text;
  announcement.value = text;
}

/** Parts of the address that could not be read, as it has them. */
export const unreadParts = signal<readonly string[]>([]);

/** Message of the action that failed last, for the status bar; empty after the next key or click. */
export const failure = signal("");
