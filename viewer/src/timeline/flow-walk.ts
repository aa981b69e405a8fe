/** From the selected event along the first of its flows. Loaded late. */

import { announcement } from "../state/shell";
import { detailsWhenHere, type StepPort } from "./steps";

export async function followFlow(port: StepPort, direction: "in" | "out"): Promise<void> {
  const details = await detailsWhenHere(port.pane);
  if (details === null) {
    return;
  }
  const [partner] = details.flows?.[direction] ?? [];
  if (partner === undefined) {
    announcement.value = direction === "in" ? "No flow arrives here." : "No flow leaves from here.";
    return;
  }
  port.goTo(partner.track, Number(partner.ordinal));
}
