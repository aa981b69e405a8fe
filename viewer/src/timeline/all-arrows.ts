/** All arrows of the selected event: of its flows, and of the chain that these are part of, where that is known. */

import type { EventDetails } from "@tilescope/client";
import { chainView, placeIn } from "../state/flow-chain";
import type { Layout, ScrollPlace } from "../state/layout";
import { chainArrows, type FlowArrow, flowArrows } from "./flow-arrows";
import type { Picture } from "./picture";

export function allArrows(
  picture: Picture,
  layout: Layout,
  scroll: ScrollPlace,
  details: EventDetails,
): readonly FlowArrow[] {
  const own = flowArrows(picture, layout, scroll, details);
  const chain = chainView.peek();
  return chain.kind === "answered" && placeIn(chain.answer, details.track, Number(details.ordinal)) >= 0
    ? [...chainArrows(picture, layout, scroll, chain.answer, details), ...own]
    : own;
}
