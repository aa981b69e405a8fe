/** The keys of the page that is shown, and who handles them. */

import { bindingAmong, type KeyStroke } from "../keys/dispatch";
import { currentPage } from "./registry";

const handlers = new Set<(action: string) => void>();

/** Handles the page's keys until the returned function is called. */
export function onPageKey(handle: (action: string) => void): () => void {
  handlers.add(handle);
  return () => handlers.delete(handle);
}

/** Hands a key stroke to the page that is shown; true if it is one of its keys. */
export function pressPageKey(stroke: KeyStroke): boolean {
  const binding = bindingAmong(currentPage.peek()?.keys ?? [], stroke);
  if (binding === undefined || handlers.size === 0) {
    return false;
  }
  for (const handle of handlers) {
    handle(binding.action);
  }
  return true;
}
