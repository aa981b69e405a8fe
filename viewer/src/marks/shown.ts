/** The marks of the run on the screen, for those who list them. */

import { signal } from "@preact/signals";
import { centreOn, xOfTick } from "@tilescope/client";
import type { AppActions } from "../components/app-context";
import { perPane } from "../state/per-pane";
import type { Trace } from "../state/trace";
import { rangeOf } from "./mark";
import type { MarkCollection, ShownMark } from "./mark-collection";

/** Null while no run is open. */
export const collection = perPane(() => signal<MarkCollection | null>(null));

/** Reason why a trace has no UTC. */
export const NO_CLOCK = "This trace has no wall-clock time: its times count from the start of a machine.";

/** A shorter span is no more than a line. */
const SEEN_PX = 4;

/** Makes a mark the current one, and brings it into view. */
export function point({ stage, viewNavigator }: AppActions, trace: Trace, mark: ShownMark): void {
  if (collection(stage.pane).peek() === null) {
    return;
  }
  collection(stage.pane).peek()!.current.value = mark.id;
  stage.pane.isMarksOpen.value = true;
  const shown = stage.pane.view.peek();
  const { startTicks, endTicks } = rangeOf(mark);
  const [fromPx, toPx] = [xOfTick(shown, startTicks), xOfTick(shown, endTicks)];
  const isMoment = endTicks === startTicks;
  if (!(fromPx >= 0 && toPx <= shown.widthPx && (isMoment || toPx - fromPx > SEEN_PX))) {
    if (isMoment) {
      viewNavigator.onJump();
      stage.motion.glideTo(centreOn(shown, startTicks, stage.pane.bounds.peek()));
    } else {
      viewNavigator.zoomTo({ startTicks, endTicks });
    }
  }
  const [track] = mark.tracks;
  if (track !== undefined) {
    viewNavigator.goToPlace(trace, null, track);
  }
}
