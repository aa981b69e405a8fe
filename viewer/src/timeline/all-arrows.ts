/** All arrows of the selected event: of its flows, and of the chain that these are part of, where that is known. */

import type { EventDetails, Manifest } from "@tilescope/client";
import { chainOf, chainView } from "../state/flow-chain";
import type { Layout, ScrollPlace } from "../state/layout";
import type { Pane } from "../state/pane";
import { chainArrows, type FlowArrow, flowArrows } from "./flow-arrows";
import type { Picture } from "./picture";

export function allArrows(
  pane: Pane,
  picture: Picture,
  layout: Layout,
  scroll: ScrollPlace,
  details: EventDetails,
  manifest: Manifest,
): readonly FlowArrow[] {
  const own = flowArrows(picture, layout, scroll, details);
  const chain = chainOf(chainView(pane).peek(), manifest, details.track, Number(details.ordinal));
  return chain === null ? own : [...chainArrows(picture, layout, scroll, chain, details), ...own];
}
