/** Texts for those who do not see the screen, and the title of the window. */

import { effect } from "@preact/signals";
import type { EventDetails } from "@tilescope/client";
import type { Pane } from "../state/pane";
import { runIdOf } from "../state/run";
import { announcement } from "../state/shell";
import { currentPage } from "../tools/registry";

/** While a key is held nothing is said, and for so long: only where one comes to rest. */
const QUIET_MS = 250;

/**
 * Announces an event, with what has been said since it was selected. The text is made by code that is loaded late; where that fails, the
 * details have it all.
 */
async function say(pane: Pane, details: EventDetails, before: string): Promise<void> {
  const { eventAnnouncement } = await import("./event-announcement").catch(() => ({ eventAnnouncement: null }));
  const shown = pane.runView.peek();
  const now = pane.detailsView.peek();
  if (eventAnnouncement !== null && shown.kind === "open" && now.kind === "ready" && now.details === details) {
    const text = eventAnnouncement(details, shown.trace);
    const since = announcement.peek();
    announcement.value = since === before || since === "" ? text : `${text}. ${since}`;
  }
}

/** Follows the pane in use with the title of the window; shows tips once one walks by keys. */
export function connectTitle(active: () => Pane): void {
  const walk = ({ key }: KeyboardEvent) => {
    if (key === "Tab") {
      removeEventListener("keydown", walk);
      import("./focus-tip").then(
        ({ connectFocusTip }) => connectFocusTip(),
        () => addEventListener("keydown", walk),
      );
    }
  };
  addEventListener("keydown", walk);
  effect(() => {
    const shown = active().runView.value;
    const name = shown.kind === "open" ? shown.trace.manifest.name : runIdOf(shown);
    const title = shown.kind === "open" ? currentPage.value?.title : undefined;
    document.title = [title, name, "Tilescope"].filter((part) => part != null).join(" – ");
  });
}

/** Announces what is selected in a pane. */
export function announceEvents(pane: Pane): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isHeld = false;
  addEventListener("keydown", () => {
    isHeld = true;
  });
  for (const name of ["keyup", "blur"]) {
    addEventListener(name, () => {
      isHeld = false;
    });
  }
  const later = (details: EventDetails, before: string) => {
    timer = setTimeout(() => (isHeld ? later(details, before) : void say(pane, details, before)), QUIET_MS);
  };
  effect(() => {
    const details = pane.detailsView.value;
    clearTimeout(timer);
    if (details.kind === "ready") {
      later(details.details, announcement.peek());
    }
  });
}
