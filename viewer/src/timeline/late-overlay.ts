/** Code of the timeline that its first picture does not need: it is loaded behind it, as one module. */

export { connectExact } from "../state/exact";
export { allArrows } from "./all-arrows";
export { edgeHints, hintAt } from "./edge-hints";
export { countEvents } from "./event-count";
export { gapHints } from "./gap-hints";
export { paintOverlay } from "./paint-overlay";
export { pointedAt, targetOf } from "./pointing";
export { foldTracks, unfoldTracks } from "./track-rows";
