/** What is said to those who do not see the screen, and in the title of the window. */

import { effect, untracked } from "@preact/signals";
import { type EventDetails, formatDuration } from "@tilescope/client";
import { detailsView } from "../state/details";
import { runIdOf, runView } from "../state/run";
import { announcement } from "../state/shell";
import { currentPage } from "../tools/registry";

export function connectAnnouncements(): void {
  effect(() => {
    const details = detailsView.value;
    if (details.kind === "ready") {
      untracked(() => {
        announcement.value = spoken(details.details);
      });
    }
  });
  effect(() => {
    const shown = runView.value;
    const name = shown.kind === "open" ? shown.trace.manifest.name : runIdOf(shown);
    const title = shown.kind === "open" ? currentPage.value?.title : undefined;
    document.title = [title, name, "Tilescope"].filter((part) => part != null).join(" – ");
  });
}

/** An event as a screen reader says it. */
function spoken({ name, durationTicks, row, startTicks }: EventDetails): string {
  const shown = runView.peek();
  if (shown.kind !== "open") {
    return name;
  }
  const { time } = shown.trace.manifest;
  return `${name}, ${formatDuration(durationTicks, time.tickPs)}, row ${row}, at ${formatDuration(startTicks, time.tickPs)}`;
}
