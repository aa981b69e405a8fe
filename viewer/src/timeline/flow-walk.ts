/** From the selected event along the first of its flows. Loaded late. */

import type { Pane } from "../state/pane";
import { announcement } from "../state/shell";
import type { ViewNavigator } from "./view-navigator";

export function followFlow(pane: Pane, navigator: ViewNavigator, direction: "in" | "out"): void {
  const details = pane.detailsView.peek();
  if (details.kind !== "ready") {
    return;
  }
  const [partner] = details.details.flows?.[direction] ?? [];
  if (partner === undefined) {
    announcement.value = direction === "in" ? "No flow arrives here." : "No flow leaves from here.";
    return;
  }
  navigator.goTo(partner.track, Number(partner.ordinal));
}
